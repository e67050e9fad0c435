"""One run of a tournament from beginning to end: engine, sanity matches, journal, signals, display."""

import contextlib
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from arena.errors import ArenaError, ExitCode
from arena.tournament.run.engines.engine import Engine
from arena.tournament.run.engines.local import LocalEngine
from arena.tournament.run.league import League, has_begun, scratch_folder, try_bots
from arena.tournament.run.organizer import EXCLUDED, organize, write_json
from arena.tournament.run.runner import Observer, Runner, RunReport
from arena.tournament.run.sanity import Sanity
from arena.tournament.run.status import StatusFile

STUCK = ExitCode.STUCK
"""Exit code where matches failed again and again through no fault of the bots."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for on the command line.

    Attributes:
        amend: Take a changed configuration for what is still to be played.
        check: Try the bots before the first match of the tournament.
        limit: Stop after this many results (0: no limit).
        slots: Matches at once (0: as configured).
        unrated: More matches than cores are all right.
        scheduler: Address of a Dask scheduler, or "" for this machine alone.
        keys: Folder with the keys of the cluster; None for a cluster without.
    """

    amend: bool = False
    check: bool = True
    limit: int = 0
    slots: int = 0
    unrated: bool = False
    scheduler: str = ""
    keys: Path | None = None


def make_engine(league: League, wishes: Wishes) -> Engine:
    """Return the engine that was asked for."""
    if wishes.scheduler:
        from arena.tournament.run.engines.dask import connect

        return connect(wishes.scheduler, league, wishes.keys)
    slots = wishes.slots or league.config.matches_at_once
    rated = league.config.rated and not wishes.unrated
    matches = league.matches()
    return LocalEngine(matches.start, slots, rated=rated, on_close=matches.close)


def run_league(
    league: League, wishes: Wishes, observers: Iterable[Observer], tell: Callable[[Sanity], None]
) -> RunReport:
    """Run a tournament until it is over or stopped.

    Raises:
        ArenaError: The user must fix something; nothing false has been recorded.
    """
    fresh = not has_begun(league.folder)
    engine = make_engine(league, wishes)
    try:
        if fresh:
            left_out = league.broken_messages()
            if wishes.check:
                league, left_out = try_bots(league, engine, tell)
                engine.close()
                engine = make_engine(league, wishes)
            write_json(league.folder / EXCLUDED, left_out)
        with organize(league.folder, league.config, league.entrants, amend=wishes.amend) as organizer:
            _empty(scratch_folder(league.folder))
            with contextlib.closing(StatusFile(league.folder)) as status:
                runner = Runner(organizer.schedule, organizer.journal, engine, [*observers, status], limit=wishes.limit)
                with _signals(runner):
                    report = runner.run()
            _empty(scratch_folder(league.folder), gone=True)
    finally:
        engine.close()
    if report.stuck:
        match_id, reason = next((match_id, text.rstrip(".")) for match_id, text in report.stuck.items())
        raise ArenaError(
            f"{len(report.stuck)} matches cannot be played, through no fault of the bots; one is {match_id}: {reason}.",
            hint="Fix the cause and run it again; all other results are safe.",
            exit_code=STUCK,
        )
    return report


def _empty(folder: Path, *, gone: bool = False) -> None:
    """Remove what killed matches have left, or all; only for the process that holds the tournament's lock."""
    for path in folder.iterdir():
        shutil.rmtree(path, ignore_errors=True)
    if gone:
        with contextlib.suppress(OSError):
            folder.rmdir()


@contextlib.contextmanager
def _signals(runner: Runner) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the runner: the first in good order, the second at once."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        runner.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
