"""One run of a contest, from start to end: its bots, an engine, the loop, signals, and the status file.

The order of `playing` keeps two promises. Nothing is written before everything is known that can refuse the run: a
changed file, changed copies of bots, too few bots. And no bot enters that has not started once.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

from arena.bots.folders.files import BUILT
from arena.bots.players import brought_player
from arena.contests.config_file import read_config_file
from arena.contests.contest_journal import first_entry
from arena.contests.engines import Workload
from arena.contests.entries import Written
from arena.contests.journal.files import disk_errors, folder_of, make_private, private_files
from arena.contests.journal.store import FILE
from arena.contests.loop import Loop, Observer, RunReport
from arena.contests.open_contest import LoadedContest, OpenContest, load_contest, open_contest
from arena.contests.people.erasure import finish
from arena.contests.queue.copies import check_copies
from arena.contests.queue.local import LocalEngine
from arena.contests.queue.queue import Engine
from arena.contests.queue.referee_match import folder_matches
from arena.contests.queue.remote import RemotePlayers
from arena.contests.roster import (
    PARTNER,
    Roster,
    TrialReport,
    enter,
    entries_of,
    examined,
    refuse_begun,
    refuse_changes,
    survey,
)
from arena.contests.state import Contest
from arena.contests.status_file import StatusFile
from arena.errors import ArenaError, ExitCode
from arena.match.job import REMOTE, remote_identity
from arena.match.spec import NamedBot
from arena.play.seats.ticket import RemoteSettings

Elsewhere = Callable[[Workload], Engine]
"""Makes an engine of another distribution."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line.

    Attributes:
        amend: Whether to accept a changed configuration and changed bots.
        check: Whether to play a match with each new version.
        limit: Stop after this many results of this run (0: no limit).
        stays: Whether to wait for people when nothing can be played. Then the machine must provide the isolation that
            the configuration requires before anything is begun.
        elsewhere: None to play in processes on this machine.
    """

    amend: bool = False
    check: bool = True
    limit: int = 0
    stays: bool = False
    elsewhere: Elsewhere | None = None


class Paths(dict[str, str]):
    """Maps the content hash of each version to the path of its copy, or of the program that was built from it.

    Args:
        copies: The copies of versions that the journal does not know yet.
    """

    def __init__(self, contest: LoadedContest, copies: Mapping[str, str]) -> None:
        super().__init__()
        self._contest = contest
        self._copies = copies
        bots = contest.game.bots
        self |= {PARTNER: f"builtin:{bots[0].name}"} if bots else {}
        self |= {remote_identity(bot.name): REMOTE for bot in contest.config.bots if bot.path == REMOTE}
        brought = {bot.path: brought_player(bot.path) for bot in contest.config.bots}
        self |= {player[0].identity(player[1]): path for path, player in brought.items() if player is not None}

    def __missing__(self, content: str) -> str:
        state = self._contest.state
        versions = [state.by_player[player] for player in state.by_hash.get(content, ())]
        copies = [version.path for version in versions if version.path] or [self._copies[content]]
        path = self._contest.folder / copies[0]
        built = path / BUILT
        return str(built if built.is_dir() else path)


def make_engine(
    contest: LoadedContest,
    elsewhere: Elsewhere | None = None,
    remote: RemotePlayers | None = None,
    copies: Mapping[str, str] = MappingProxyType({}),
) -> Engine:
    """Return an engine that plays the matches of a contest."""
    config, paths = contest.config, Paths(contest, copies)
    matches = folder_matches(config, contest.game, contest.folder, paths, remote)
    if elsewhere is not None:
        return elsewhere(Workload(matches, contest.folder))
    return LocalEngine(matches.start, config.matches_at_once, rated=config.rated, on_close=matches.close)


def check(
    path: Path, report: Callable[[TrialReport], None], surveyed: Callable[[Roster], None]
) -> tuple[Roster, list[str]]:
    """Do what a run does before its first match, but enter no bot: another process can run the contest meanwhile.

    Returns:
        The bots of the file, and the names of those that can take part.
    """
    contest = load_contest(path)
    roster = survey(contest.config, contest.game, path, contest.state)
    surveyed(roster)
    with disk_errors(contest.folder):
        contest.folder.mkdir(parents=True, exist_ok=True)
        make_private(contest.folder)
    with private_files(), contextlib.closing(make_engine(contest, copies=roster.copies)) as engine:
        ready = {bot.name for bot in examined(contest, roster, engine, report)}
    refuse_changes(contest.state, roster)
    refuse_begun(contest.state, contest.config)
    _check_copies(contest)
    new = {bot.name for bot in roster.new}
    return roster, [bot.name for bot in roster.bots if bot.name in ready or bot.name not in new]


def _check_copies(contest: LoadedContest) -> None:
    """Refuse to play with changed copies of the organizer's bots. A team hands in again."""
    state = contest.state
    active = [state.active(name) for name in state.playing() if not state.entrants[name].is_team]
    copied = [(version.hash, version.entrant) for version in active if version is not None and version.path]
    check_copies(contest.folder, copied)


@contextlib.contextmanager
def playing(
    path: Path,
    run_options: RunOptions,
    observer: Observer | None,
    report: Callable[[TrialReport], None],
    surveyed: Callable[[Roster], None] = lambda _roster: None,
    say: Callable[[str], None] = lambda _line: None,
) -> Iterator[tuple[Loop, RemotePlayers | None]]:
    """Open a contest, and enter the bots of its file, after a match with each new version.

    Args:
        report: Called with what each new bot did in the match to try it.
        surveyed: Called with the bots before anything is played.
        say: Called with lines about bots on other machines.

    Yields:
        The loop, which plays the contest and is closed at the end, and the gateways of bots on other machines.
    """
    with open_contest(path, isolated=run_options.stays) as contest:
        finish(contest)
        roster = survey(contest.config, contest.game, path, contest.state)
        surveyed(roster)
        if not run_options.amend:
            refuse_changes(contest.state, roster)
        refuse_begun(contest.state, contest.config)
        _check_copies(contest)
        if run_options.elsewhere is not None and any(bot.path == REMOTE for bot in contest.config.bots):
            raise ArenaError(
                "Remote bots connect to this machine, and cannot play on others.",
                hint="Run the contest without --engine, or without remote bots.",
                exit_code=ExitCode.BAD_LEAGUE,
            )
        with gathered(contest, roster, say) as remote:
            tries = run_options.check and bool(roster.new)
            engine = make_engine(contest, run_options.elsewhere, remote, roster.copies) if tries else None
            with contextlib.closing(engine) if engine else contextlib.nullcontext():
                enter(contest, roster, engine, report, remote=remote is not None)
            engine = make_engine(contest, run_options.elsewhere, remote)
            loop = Loop(contest, engine, observer, limit=run_options.limit, stays=run_options.stays)
            with contextlib.closing(loop), contextlib.closing(StatusFile(contest.folder, lambda: loop.running)):
                yield loop, remote


def run(
    path: Path,
    run_options: RunOptions,
    observer: Observer | None,
    report: Callable[[TrialReport], None],
    surveyed: Callable[[Roster], None] = lambda _roster: None,
    say: Callable[[str], None] = lambda _line: None,
) -> RunReport:
    """Play a contest until it is over or stopped, or the limit is reached. The arguments are those of `playing`."""
    with playing(path, run_options, observer, report, surveyed, say) as (loop, remote), _signals(loop, remote):
        run_report = loop.run()
    stuck = run_report.stuck
    if stuck:
        match_id, reason = next(iter(stuck.items()))
        raise ArenaError(
            f"{len(stuck)} matches cannot be played, through no fault of the bots. One is {match_id}: "
            f"{reason.rstrip('.')}.",
            hint="Fix the cause and run it again; all other results are safe.",
            exit_code=ExitCode.STUCK,
        )
    return run_report


def first_entries(path: Path, contest_id: str) -> list[Written]:
    """Return the first entries of the contest of a file, for a rebuild of which only replays are left.

    The bots that can take part get their ids in the order of the file, as in the first run.
    """
    config, game = read_config_file(path)
    folder = folder_of(path.resolve())
    contest = LoadedContest(folder, config, game, Contest(folder / FILE))
    roster = survey(config, game, path)
    with contextlib.closing(make_engine(contest, copies=roster.copies)) as engine:
        ready = examined(contest, roster, engine, lambda _tried: None)
    return [("", first_entry(config, contest_id)), *entries_of(contest, roster, ready)]


@contextlib.contextmanager
def gathered(contest: OpenContest, roster: Roster, say: Callable[[str], None]) -> Iterator[RemotePlayers | None]:
    """Wait for the bots on other machines, and yield their gateways; None if there are none."""
    config, gone = contest.config, contest.state.orders.gone
    remote = [
        NamedBot(found.name, found.bot.content_hash)
        for found in roster.bots
        if found.entry.path == REMOTE and found.name not in gone
    ]
    if not remote:
        yield None
        return
    names = [bot.name for bot in config.bots if bot.path == REMOTE]
    connections: dict[str, Any] = dict(config.remote)
    settings = RemoteSettings(**connections)
    gateways = RemotePlayers(config.game, names, remote, settings, contest.folder, say)
    with contextlib.closing(gateways) as players:
        players.gather()
        yield players


@contextlib.contextmanager
def _signals(loop: Loop, remote: RemotePlayers | None) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop the loop. The first signal lets running matches finish, the second ends them."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        loop.stop()
        if remote is not None:
            remote.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
