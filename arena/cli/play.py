"""``arena play``: matches on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import AS_JSON, CLOCK, ISOLATION, OPTIONS, SANDBOX, FiniteRange
from arena.cli.output import say, say_quoting, say_status
from arena.cli.people import Listening, People, Serving
from arena.cli.replay_paths import with_replays
from arena.cli.settings import (
    POSITIONS,
    bot_limits,
    bot_settings,
    check_cpu,
    check_seed,
    clock_settings,
    game_options,
    start_from,
)
from arena.cli.stopping import Stopping
from arena.errors import ExitCode
from arena.match.ending import HOST_LATE
from arena.match.job import REPLAY, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.policy import Policy
from arena.referee.clock import GUARD_FACTOR, GUARD_SECONDS, MATCH_GUARD_SECONDS
from arena.referee.match_process import ForkServer, MatchProcess
from arena.referee.prepared import PreparedMatch

if TYPE_CHECKING:
    from arena.match.result import MatchResult
    from arena.web.live import LivePage

EPILOG = f"""\b
Time:
  At isolation level 3 the clock measures CPU time; below level 3, wall time. At level 3 wall time is limited too:
  {GUARD_FACTOR:g} x (limit + grace) + {GUARD_SECONDS:g} s for a turn,
  {GUARD_FACTOR:g} x (all time that the clock has given so far) + {MATCH_GUARD_SECONDS:g} s for all turns of a player.
  A bot that uses the processor in another bot's turn is frozen, except with --ponder.
\b
Examples:
  arena play saloon my_bot.py builtin:pianist
  arena play saloon my_bot/ builtin:sheriff --games 10 --swap --seed 1
  arena play saloon my_bot.py my_bot.py --debug
  arena play saloon human builtin:pianist
  arena play saloon my_bot.py replay --from replays/lost.arena@57
\b
Exit codes: 0 the match was played to an end, whoever won; 2 wrong usage; 3 unknown game; 4 bad option;
5 bad bot; 6 the replay cannot be written; 7 the required isolation is not available; 8 a bot did not
start; 22 a bot could not be built; 70 the rules or the referee failed; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("bots", nargs=-1, required=True)
@click.option("--seed", type=int, help="Use this seed, to repeat a match; random if not given.")
@OPTIONS
@click.option("--map", "map_reference", metavar="NAME|FILE", help="Play on this map.")
@click.option("--from", "reference", metavar="POSITION", help=f"Start from a position: {POSITIONS}.")
@click.option(
    "--same-dice",
    is_flag=True,
    help="With --from REPLAY@TURN: repeat the dice that the replay has after this position.",
)
@click.option(
    "--games",
    "count",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Play this many matches. With --swap, this is the number of seeds.",
)
@click.option("--swap", is_flag=True, help="Play several matches with each seed, so that each bot has each seat once.")
@click.option(
    "--legs", type=click.IntRange(1, 2), help="Play this many legs for each match, in a game with unequal sides."
)
@CLOCK
@click.option(
    "--limit", "limits", multiple=True, metavar="NAME=SIZE", help="Change a limit: memory=2GiB, processes=100."
)
@click.option(
    "--bot-option",
    "settings",
    multiple=True,
    metavar="[SEAT:]NAME=VALUE",
    help="Pass this setting to all bots, or only to the bot on SEAT (0 is the first).",
)
@click.option("--replay", metavar="FILE|none", help="Write the replay here; in the folder replays/ if not given.")
@click.option("--view", is_flag=True, help="Show the replay in the browser afterwards.")
@click.option("--live", is_flag=True, help="Follow the match in the browser while it is played.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Serve pages on this port; a free one if not given."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Serve the pages for human players at this address."
)
@click.option("--no-browser", is_flag=True, help="Only print the addresses of pages.")
@SANDBOX
@ISOLATION
@click.option(
    "--timeout-policy",
    type=click.Choice(["forfeit", "skip", "strike"]),
    default="forfeit",
    show_default=True,
    help="Choose the penalty for a time-out: loss of the match, loss of the turn, or one of three strikes.",
)
@click.option(
    "--ponder", is_flag=True, help="Let bots use the processor in the opponent's turn. Only for trusted bots."
)
@click.option("--no-timeout", is_flag=True, help="Play without time limits, except for the start of a bot.")
@click.option(
    "--debug", is_flag=True, help="Run bots in this terminal without sandbox and clock, so that breakpoint() works."
)
@click.option(
    "--human-clock", metavar="NAME=SECONDS,...", help="Give human players a clock too. The form is that of --clock."
)
@click.option("--listen", metavar="ADDRESS", help="Accept remote bots at this address, such as tcp://0.0.0.0:5555.")
@click.option(
    "--address",
    default="",
    metavar="HOST",
    help="Write this host name of the machine into the tickets for remote bots.",
)
@click.option(
    "--resume",
    type=FiniteRange(1, 3600),
    default=30.0,
    show_default=True,
    help="Let a remote bot resume a lost connection within this many seconds. Its clock runs on.",
)
@click.option("--cpu", type=click.IntRange(0), help="Pin the match to this processor.")
@AS_JSON
@click.pass_obj
def command(
    server: ForkServer | None,
    game: str,
    bots: tuple[str, ...],
    seed: int | None,
    options: tuple[str, ...],
    map_reference: str | None,
    reference: str | None,
    same_dice: bool,
    count: int,
    swap: bool,
    legs: int | None,
    clock: str | None,
    limits: tuple[str, ...],
    settings: tuple[str, ...],
    replay: str | None,
    view: bool,
    live: bool,
    port: int,
    host: str,
    no_browser: bool,
    sandbox: str,
    level: int,
    timeout_policy: Any,
    ponder: bool,
    no_timeout: bool,
    debug: bool,
    human_clock: str | None,
    listen: str | None,
    address: str,
    resume: float,
    cpu: int | None,
    as_json: bool,
) -> int:
    """Play a match of GAME between BOTS.

    A bot is a Python file, a folder with bot.toml, an archive of such a folder, or builtin:NAME. `arena games GAME`
    lists the built-in bots. Each bot runs in its own sandbox if this machine supports one. The match is recorded in a
    replay.

    Write human in the place of a bot to play yourself in the browser. Write human:terminal to play with text at the
    terminal or through a pipe.
    """
    spec = find_game(game)
    check_seed(seed)
    check_cpu(cpu)
    time = clock_settings(spec.clock, clock)
    if no_timeout:
        time = replace(time, bank=None, turn=None, turn_wall=None)
    unhurried = clock_settings(replace(time, bank=None, turn=None, turn_wall=None), human_clock)
    people = People(spec.name, bots, unhurried, Listening(listen, address, resume))
    if people.use_browser and live and port:
        raise click.UsageError("--live and human need two pages, and --port is for one. Leave out --port or --live.")
    seats = tuple(
        people.assign(number, SeatAssignment(bot, settings=own))
        for number, (bot, own) in enumerate(zip(bots, bot_settings(settings, len(bots)), strict=True))
    )
    start = start_from(spec, reference, options, map_reference, same_dice=same_dice, moves=REPLAY in bots)
    first = Job(
        game=spec.name,
        seats=seats,
        options=game_options(spec, options, map_reference) if start is None else {},
        start=start,
        seed=seed,
        clock=time,
        policy=Policy(timeout=timeout_policy, pause_idle="" if ponder else "freeze"),
        limits=bot_limits(limits),
        sandbox=sandbox,
        require_isolation=level,
        cpu=cpu,
        debug=debug,
    ).seeded()
    # Build bots, and find errors in game, options and bots before anything starts.
    prepared = PreparedMatch(first, partial(say_quoting, err=True))
    # Number bots of the same name here. If each match numbered its bots, the numbers would change with swapped seats.
    named = zip(first.seats, prepared.names(), strict=True)
    first = replace(first, seats=tuple(replace(seat, name=name) for seat, name in named))
    two_legs = (legs or (spec.legs if start is None else 1)) == len(seats) == 2
    jobs = _schedule(first, count, swap or two_legs, drawn=seed is None)
    jobs = with_replays(jobs, replay)
    if (view or live) and not jobs[0].replay:
        raise click.UsageError("--view and --live need a replay. Leave out --replay none.")
    if live and len(jobs) > 1:
        one_leg = " Play a single leg with --legs 1." if two_legs and count == 1 else ""
        raise click.UsageError(f"--live follows one match only.{one_leg}")
    server = server or ForkServer(first.game, forks=True)
    server.open()  # fork now, while there is only one thread; the server of the page starts another thread
    page = _follow(Path(jobs[0].replay), port, no_browser) if live else None
    results: list[MatchResult] = []
    try:
        serving = Serving(host, port, not no_browser)
        with closing(server), people.playing(prepared, serving, as_json), Stopping() as stopping:
            for result in _play_all(jobs, server, stopping, quiet=as_json or people.use_terminal):
                results.append(result)
                if people.error is not None:
                    break
    finally:
        if results:  # print results even after an error
            from arena.cli.match_report import print_results

            unboxed = debug or sandbox == "none"
            print_results(results, as_json, single=len(jobs) == 1, two_legs=two_legs, unboxed=unboxed)
    if page is not None:
        if not stopping.asked:
            page.wait()
        page.stop()
    if stopping.asked:
        return ExitCode.INTERRUPTED
    if view and page is None:
        _serve([Path(job.replay) for job, _ in zip(jobs, results, strict=False)], port, no_browser)
    return _exit_code(results)


def _follow(replay: Path, port: int, no_browser: bool) -> LivePage:
    """Show a match in the browser while it is played."""
    from arena.web.live import LivePage
    from arena.web.server import show

    def announce(url: str) -> None:
        _show_address(url)
        if not no_browser:
            show(url)

    return LivePage(replay, port, announce, partial(say, err=True))


def _serve(replays: list[Path], port: int, no_browser: bool) -> None:
    """Serve the replays until the user stops it."""
    from arena.replays import legs_for
    from arena.web.branching import Branching
    from arena.web.server import serve
    from arena.web.viewing import Viewing
    from arena_replays.legs import as_matches

    viewing = Viewing(as_matches(replays, legs_for))
    serve(Branching(viewing).application(), port, _show_address, page=viewing.first_page, open_browser=not no_browser)


def _show_address(url: str) -> None:
    say(f"Watch at {url}   (Ctrl-C stops it)", err=True)


def _schedule(first: Job, count: int, swap: bool, *, drawn: bool) -> list[Job]:
    """Return the jobs of all matches. With `swap`, each seed has several jobs, so that each bot has each seat once.

    Seeds from the operating system (`drawn`) are independent: the seed of one match tells nothing about the next ones.
    """
    assert isinstance(first.seed, int)
    jobs = []
    for number in range(count):
        job = replace(first, seed=None).seeded() if drawn and number else replace(first, seed=first.seed + number)
        rotated = range(len(job.seats) if swap else 1)
        jobs += [replace(job, leg=leg, seats=(*job.seats[leg:], *job.seats[:leg])) for leg in rotated]
    return jobs


def _play_all(jobs: list[Job], server: ForkServer, stopping: Stopping, *, quiet: bool) -> Iterator[MatchResult]:
    """Play one match after the other until the user stops. If this machine delayed a match, repeat it once."""
    for number, job in enumerate(jobs, 1):
        label = f"match {number} of {len(jobs)}, " if len(jobs) > 1 else ""
        result = _play(job, label, server, stopping, quiet=quiet)
        if result.outcome.reason == HOST_LATE and not stopping.asked:
            say("This machine was too slow, not the bot. The match does not count and is repeated.", err=True)
            result = _play(job, label, server, stopping, quiet=quiet)
        yield result
        if stopping.asked:
            return


def _play(job: Job, label: str, server: ForkServer, stopping: Stopping, *, quiet: bool) -> MatchResult:
    show = not quiet and sys.stderr.isatty() and not job.debug

    def report(document: dict[str, Any]) -> None:
        scores = " : ".join(f"{score:zg}" for score in document["scores"])
        say_status(f"{label}turn {document['turn']}   {scores}")

    with MatchProcess(replace(job, progress=show), server) as process, stopping.ends(process):
        result = process.wait(report if show else None)
    if show:
        say_status()
    return result


def _exit_code(results: list[MatchResult]) -> int:
    if any(result.fault for result in results):
        return ExitCode.FAULT
    endings = {player.ending for result in results for player in result.players}
    return ExitCode.NO_BUILD if "no_build" in endings else ExitCode.NO_START if "no_start" in endings else 0
