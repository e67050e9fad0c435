"""``arena play``: matches on the command line."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arena.cli.options import takes
from arena.cli.output import say, say_quoting, say_status, warn_of_hidden_files
from arena.cli.output_files import with_replays
from arena.cli.people import People, Serving, follow, serve_replays
from arena.cli.play_options import PlayOptions
from arena.cli.settings import (
    PlaySettings,
    bot_settings,
    check_seed,
    clock_settings,
    game_options,
    read_settings,
    start_from,
    untimed,
)
from arena.errors import ExitCode
from arena.game import Clock, GameSpec
from arena.match.isolation import KEYS
from arena.match.job import REPLAY, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.void import OUTAGE
from arena.play.referee.clock import GUARD_FACTOR, GUARD_SECONDS, MATCH_GUARD_SECONDS
from arena.play.referee.match_process import ForkServer, MatchInProgress, MatchServer
from arena.play.referee.prepared import PreparedMatch

if TYPE_CHECKING:
    from arena.contests.queue.queue import Ended
    from arena.match.result import MatchResult


# Handle Ctrl-C while matches are played: interrupt the running match and start no other.


class Stopping:
    """A context in which the first Ctrl-C interrupts the match (`is_asked`). A second one raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.is_asked = False
        self._match: MatchInProgress | None = None
        self._before: Any = signal.SIG_DFL

    @contextlib.contextmanager
    def interrupts(self, match: MatchInProgress) -> Iterator[None]:
        """Let Ctrl-C interrupt a match in this context. Interrupt it at once after an earlier Ctrl-C."""
        self._match = match
        if self.is_asked:
            match.interrupt()
        try:
            yield
        finally:
            self._match = None

    def __enter__(self) -> Stopping:
        self._before = signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(self, *exception: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        if self._match is not None:
            self._match.interrupt()


EPILOG = f"""Time: at isolation level 3 the clock measures CPU time, below it wall time. Level 3 limits wall time
as well: to {GUARD_FACTOR:g} x (limit + grace) + {GUARD_SECONDS:g} s for a turn, and to {GUARD_FACTOR:g} x (all time
that the clock has given so far) + {MATCH_GUARD_SECONDS:g} s for all turns of a player. A bot that uses the processor in
another bot's turn is frozen.

\b
Examples:
  arena play saloon my_bot.py builtin:pianist
  arena play saloon my_bot/ builtin:sheriff --games 10 --swap --seed 1
  arena play saloon my_bot.py my_bot.py --debug
  arena play saloon human builtin:pianist
  arena play saloon remote builtin:pianist --listen tcp://0.0.0.0:5555
  arena play saloon llm:small builtin:pianist
  arena play saloon my_bot.py replay --from replays/lost.arena@57

Exit codes: 0 the match was played to an end, whoever won; 2 wrong usage; 3 unknown game; 4 bad option;
5 bad bot; 6 the replay cannot be written; 7 the required isolation is not available; 8 a bot did not
start; 14 a bad file of --settings; 22 a bot could not be built; 26 the match was played, but its replay is not
whole; 70 the rules or the referee failed; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@takes(PlayOptions)
@click.pass_obj
def command(server: ForkServer | None, options: PlayOptions) -> int:
    """Play a match of GAME between BOTS.

    A bot is a Python file, a folder with bot.toml, an archive of such a folder, or builtin:NAME. `arena games GAME`
    lists the built-in bots. Each bot runs in its own sandbox if this machine supports one. The match is recorded in a
    replay.

    Write human in the place of a bot to play yourself in the browser. Write human:terminal to play with text at the
    terminal or through a pipe.

    Write remote in the place of a bot, with --listen, to play with a bot of another machine. The command prints a
    ticket for each such seat. Send each ticket to one person, who runs `arena join TICKET MY_BOT`. The match begins
    when all bots have joined. This machine does not isolate a remote bot. Its wall time counts.

    Write llm:NAME in the place of a bot to let a language model play. The distribution arena-agents brings these
    players.
    """
    spec = find_game(options.game)
    check_seed(options.seed)
    settings = read_settings(spec, options.settings_file)
    people = _people(spec, options, settings)
    # Build bots, and find errors in game, options and bots before anything starts.
    job = _job(spec, options, settings, people)
    prepared = PreparedMatch(job, partial(say_quoting, err=True), in_memory=options.in_memory)
    warn_of_hidden_files(prepared.bots)
    two_legs = _has_two_legs(options, prepared)
    jobs = _schedule(options, _named(prepared), two_legs=two_legs)
    _check_pages(options, jobs, two_legs=two_legs)
    with ExitStack() as stack:
        replay = options.replay
        if options.log and replay == "none":  # the lines are in a replay, which nobody keeps
            replay = str(Path(stack.enter_context(TemporaryDirectory(prefix="arena-log-"))) / "match.arena")
        return _play_jobs(server, options, prepared, people, with_replays(jobs, replay), two_legs=two_legs)


def _play_jobs(
    server: MatchServer | None,
    options: PlayOptions,
    prepared: PreparedMatch,
    people: People,
    jobs: list[Job],
    *,
    two_legs: bool,
) -> int:
    if options.in_memory:
        from arena.play.memory.workers import MemoryWorkers

        server = MemoryWorkers(jobs[0].game)
    server = server or ForkServer(jobs[0].game, forks=True)
    if not (options.in_memory and options.debug):
        server.open()  # fork now, while there is only one thread; the server of the page starts another thread
    page = follow(Path(jobs[0].replay), options.port, not options.no_browser) if options.live else None
    results: list[MatchResult] = []
    stopping = Stopping()
    serving = Serving(options.host, options.port, not options.no_browser)
    try:
        with closing(server), people.playing(prepared, len(jobs), serving, options.as_json), stopping:
            for result in _play_all(jobs, server, stopping, quiet=options.as_json or people.use_terminal):
                results.append(result)
                if people.error is not None:
                    break
    finally:
        _print(options, results, single=len(jobs) == 1, two_legs=two_legs)  # also after an error
    if page is not None:
        if not stopping.is_asked:
            page.wait()
        page.stop()
    elif options.view and not stopping.is_asked:
        replays = [Path(job.replay) for job, _ in zip(jobs, results, strict=False)]
        serve_replays(replays, options.port, not options.no_browser)
    return ExitCode.INTERRUPTED if stopping.is_asked else _exit_code(results)


def _people(spec: GameSpec, options: PlayOptions, settings: PlaySettings) -> People:
    clock = replace(untimed(_clock(spec, options, settings)), **dict(settings.human_clock))  # type: ignore[arg-type]
    remote = settings.remote if not options.listen else replace(settings.remote, listen=options.listen)
    people = People(
        spec.name, options.bots, clock, None if options.listen is None else remote, in_memory=options.in_memory
    )
    if people.use_browser and options.live and options.port:
        raise click.UsageError("--live and human need two pages, and --port is for one. Leave out --port or --live.")
    return people


def _clock(spec: GameSpec, options: PlayOptions, settings: PlaySettings) -> Clock:
    return clock_settings(settings.timed_for(spec).match_clock or spec.clock, options.clock)


def _job(spec: GameSpec, options: PlayOptions, settings: PlaySettings, people: People) -> Job:
    """Return the first match. Its seats have the bots in the given order."""
    of_bots = bot_settings(options.bot_options, len(options.bots))
    seats = [SeatAssignment(bot, settings=own) for bot, own in zip(options.bots, of_bots, strict=True)]
    assigned = tuple(people.assign(number, seat) for number, seat in enumerate(seats))
    game_settings = game_options(spec, options.options, options.map_reference, dict(settings.options))
    same_dice, moves = options.seed == REPLAY, REPLAY in options.bots
    start = start_from(spec, options.reference, game_settings, same_dice=same_dice, moves=moves)
    return Job(
        game=spec.name,
        seats=assigned,
        options=game_settings if start is None else {},
        start=start,
        seed=None if same_dice else options.seed,
        clock=_clock(spec, options, settings),
        policy=settings.match_policy,
        limits=settings.match_limits,
        sandbox="none" if options.sandbox == "none" else "auto",
        require_isolation=0 if options.sandbox == "auto" else KEYS.index(options.sandbox),
        debug=options.debug,
    ).seeded()


def _named(prepared: PreparedMatch) -> Job:
    """Return the match with the names of its players.

    Bots of the same name get numbers here: a number for each match alone would change with swapped seats.
    """
    job = prepared.job
    named = zip(job.seats, prepared.names(), strict=True)
    return replace(job, seats=tuple(replace(seat, name=name) for seat, name in named))


def _has_two_legs(options: PlayOptions, prepared: PreparedMatch) -> bool:
    legs = prepared.game.legs if prepared.job.start is None else 1
    return options.swap is not False and legs == len(prepared.job.seats) == 2


def _schedule(options: PlayOptions, first: Job, *, two_legs: bool) -> list[Job]:
    """Return the jobs of all matches. With swapped seats, each seed has several jobs: each bot has each seat once.

    Seeds from the operating system are independent: the seed of one match tells nothing about the next ones.
    """
    assert isinstance(first.seed, int)
    jobs = []
    for number in range(options.count):
        if number and options.seed in (None, REPLAY):
            job = replace(first, seed=None).seeded()
        else:
            job = replace(first, seed=first.seed + number)
        legs = len(job.seats) if options.swap or two_legs else 1
        jobs += [replace(job, leg=leg, seats=(*job.seats[leg:], *job.seats[:leg])) for leg in range(legs)]
    return jobs


def _check_pages(options: PlayOptions, jobs: list[Job], *, two_legs: bool) -> None:
    if (options.view or options.live) and options.replay == "none":
        raise click.UsageError("--view and --live need a replay. Leave out --replay none.")
    if options.log and options.as_json:
        raise click.UsageError("--log prints text. Leave out --json: its result has what the bots printed.")
    if options.live and len(jobs) > 1:
        one_leg = " Play a single leg with --no-swap." if two_legs and options.count == 1 else ""
        raise click.UsageError(f"--live follows one match only.{one_leg}")


def _print(options: PlayOptions, results: list[MatchResult], *, single: bool, two_legs: bool) -> None:
    if results:
        from arena.cli.match_report import print_results

        unboxed = options.debug or options.sandbox == "none"
        printed = results[-1].replay if options.log else ""
        if options.replay == "none":
            results = [replace(result, replay="") for result in results]
        results = [replace(result, void=result.why_void()) for result in results]
        print_results(results, options.as_json, single=single, two_legs=two_legs, unboxed=unboxed, printed=printed)


def _play_all(jobs: list[Job], server: MatchServer, stopping: Stopping, *, quiet: bool) -> Iterator[MatchResult]:
    """Play one match after the other until the user stops. Repeat a match that this machine delayed."""
    from arena.contests.queue.queue import (
        DirectEngine,  # imported while the fork server starts, to save time
        MatchQueue,
        repeat_late,
    )

    def again(ended: Ended[_Match]) -> bool:
        if not stopping.is_asked:
            assert ended.played is not None
            for player in ended.played.players:
                if player.detail:
                    say(f"{player.name} {player.detail}.", err=True)
            say("The match does not count and is repeated.", err=True)
        return not stopping.is_asked

    engine = DirectEngine[_Match](partial(_play, server=server, stopping=stopping, quiet=quiet))
    queue = MatchQueue(engine, repeat_late, failures=0)
    for number, job in enumerate(jobs, 1):
        match = _Match(f"match {number} of {len(jobs)}, " if len(jobs) > 1 else "", job)
        ended = queue.finish(queue.start(match), again)
        if ended.played is None:
            assert ended.error is not None
            raise ended.error
        yield ended.played
        if stopping.is_asked:
            return


class _Match(NamedTuple):
    match_id: str
    job: Job


def _play(match: _Match, server: MatchServer, stopping: Stopping, *, quiet: bool) -> MatchResult:
    job = match.job
    show = not quiet and sys.stderr.isatty() and not job.debug

    def report(document: dict[str, Any]) -> None:
        scores = " : ".join(f"{score:zg}" for score in document["scores"])
        say_status(f"{match.match_id}turn {document['turn']}   {scores}")

    with server.begin(replace(job, progress=show)) as running, stopping.interrupts(running):
        result = running.wait(report if show else None)
    if show:
        say_status()
    return result


def _exit_code(results: list[MatchResult]) -> int:
    if any(result.fault for result in results):
        return ExitCode.FAULT
    endings = {player.ending for result in results for player in result.players}
    if endings & {"no_build", "no_start"}:
        return ExitCode.NO_BUILD if "no_build" in endings else ExitCode.NO_START
    if any(result.outcome.reason == OUTAGE for result in results):
        return ExitCode.NOT_REACHED
    return ExitCode.NOT_RECORDED if any(result.left_out for result in results) else 0
