"""One run of a tournament from start to end: engine, sanity matches, journal, signals, status file."""

import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from arena.engines import Workload
from arena.errors import ArenaError, ExitCode
from arena.match.job import REMOTE
from arena.matches.engines.engine import Engine
from arena.matches.engines.local import LocalEngine
from arena.matches.folders import empty_scratch
from arena.matches.remote import RemotePlayers
from arena.seats.ticket import RemoteSettings
from arena.tournament.run.league import League, build_bots, try_bots
from arena.tournament.run.organizer import organize
from arena.tournament.run.runner import Observer, Runner, RunReport
from arena.tournament.run.sanity import Sanity
from arena.tournament.run.status import StatusFile

STUCK = ExitCode.STUCK
"""Exit code if matches failed repeatedly. Failures of bots do not count."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line.

    Attributes:
        amend: Whether to apply a changed configuration and changed bots to the rounds that are not yet paired.
        taken: Use changes of these bots only, and the stored copies of all others; None to read all bots again.
        check: Whether to play sanity matches with new bots: before the first result, or with `amend` or `taken`.
        limit: Stop after this many results of this run (0: no limit).
        elsewhere: Makes an engine of another distribution; None to play in processes on this machine.
    """

    amend: bool = False
    taken: tuple[str, ...] | None = None
    discard: int = 0
    check: bool = True
    limit: int = 0
    elsewhere: Callable[[Workload], Engine] | None = None


def make_engine(league: League, run_options: RunOptions) -> Engine:
    if run_options.elsewhere is not None:
        if any(entrant.is_remote for entrant in league.entrants):
            raise ArenaError(
                "Remote bots connect to this machine, and cannot play on others.",
                hint="Run the tournament without --engine, or without remote bots.",
                exit_code=ExitCode.BAD_LEAGUE,
            )
        return run_options.elsewhere(Workload(league.matches(), league.folder))
    matches = league.matches()
    return LocalEngine(matches.start, league.config.matches_at_once, rated=league.config.rated, on_close=matches.close)


def run_league(
    league: League,
    run_options: RunOptions,
    observers: Iterable[Observer],
    report: Callable[[Sanity], None],
    say: Callable[[str], None] = lambda _line: None,
) -> RunReport:
    """Run a tournament until it is over or stopped, or the limit is reached."""
    league = build_bots(league, report)
    remote = [entrant for entrant in league.entrants if entrant.is_remote]
    if not remote or run_options.elsewhere is not None:
        return _run(league, run_options, observers, report)
    config, names = league.config, [bot.name for bot in league.config.bots if bot.path == REMOTE]
    connections: dict[str, Any] = dict(config.remote)
    gateways = RemotePlayers(config.game, names, remote, RemoteSettings(**connections), league.folder, say)
    with contextlib.closing(gateways) as players:
        players.gather()
        return _run(replace(league, remote=players), run_options, observers, report)


def _run(
    league: League, run_options: RunOptions, observers: Iterable[Observer], report: Callable[[Sanity], None]
) -> RunReport:
    engine = make_engine(league, run_options)
    try:
        left_out = None if league.stored.begun else league.broken_messages()
        if run_options.check and (run_options.amend or run_options.taken or not league.stored.begun):
            league, messages = try_bots(league, engine, report)
            left_out = None if league.stored.begun else messages
            engine.close()
            engine = make_engine(league, run_options)
        with organize(
            league.folder,
            league.config,
            league.entrants,
            excluded=left_out,
            amend=run_options.amend,
            bots=bool(run_options.taken),
            discard=run_options.discard,
        ) as organizer:
            empty_scratch(league.folder)
            with contextlib.closing(StatusFile(league.folder)) as status:
                runner = Runner(
                    organizer.schedule, organizer.journal, engine, [*observers, status], limit=run_options.limit
                )
                with _signals(runner, league.remote):
                    ended = runner.run()
            empty_scratch(league.folder, gone=True)
    finally:
        engine.close()
    if ended.stuck:
        match_id, reason = next((match_id, text.rstrip(".")) for match_id, text in ended.stuck.items())
        raise ArenaError(
            f"{len(ended.stuck)} matches cannot be played, through no fault of the bots. One is {match_id}: {reason}.",
            hint="Fix the cause and run it again; all other results are safe.",
            exit_code=STUCK,
        )
    return ended


@contextlib.contextmanager
def _signals(runner: Runner, remote: RemotePlayers | None) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop the runner. The first signal lets running matches finish, the second ends them."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        runner.stop()
        if remote is not None:
            remote.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
