"""``arena compare``: find out which of two bots is stronger."""

from __future__ import annotations

import secrets
import signal
import tempfile
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AS_JSON, AT_ONCE, CLOCK, IN_MEMORY, MAPS, OPTIONS, POSITIONS
from arena.cli.output import Progress, print_json, say, say_quoting
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.contests.ratings.sequential import Sprt
    from arena.contests.strength.compare import Comparison
    from arena.game import GameSpec
    from arena.match.position import Position

EPILOG = """\b
Examples:
  arena compare saloon old.py new.py --games 200
  arena compare saloon old.py new.py --sprt "elo0=0 elo1=10"
  arena compare saloon old.py new.py --from positions.txt
  arena compare snakes old.py new.py builtin:forager builtin:forager builtin:hatchling

With --sprt the comparison stops when the test has decided between two hypotheses: A is stronger than B by elo1 points,
or by elo0 points. Each kind of error has a probability of 5 %.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.argument("others", nargs=-1, metavar="[OTHER]...")
@click.option(
    "--games",
    type=click.IntRange(2),
    help="Play this many games; an odd number is rounded up. The default is 100, but with --from at least 2 for each "
    "position. With --sprt, the default is as many games as the test needs.",
)
@click.option("--sprt", "sprt", metavar='"elo0=0 elo1=10"', help="Stop when this sequential test has decided.")
@click.option("--seed", default="", help="Use this seed, to repeat a comparison; random if not given.")
@OPTIONS
@MAPS
@click.option(
    "--from",
    "references",
    multiple=True,
    metavar="POSITION|FILE",
    help=f"Start from these positions in turn: {POSITIONS}. Or give a text file with one position on each line.",
)
@CLOCK
@AT_ONCE
@IN_MEMORY
@AS_JSON
@needs_contest("A comparison")
def command(
    game: str,
    first: str,
    second: str,
    others: tuple[str, ...],
    games: int | None,
    sprt: str | None,
    seed: str,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    references: tuple[str, ...],
    clock: str | None,
    at_once: int,
    in_memory: bool,
    as_json: bool,
) -> int:
    """Find out which of the bots A and B is stronger in GAME.

    A and B play pairs of matches with the same seed and swapped seats.

    If you name other bots, A and B do not play against each other. In each pair, A plays one match with the other bots,
    and B plays one match in A's seat. The seats rotate after each pair; with --map, after one pair on each map.

    A pair that only repeats earlier games does not narrow the intervals.

    With --from, both matches of a pair start from the same position. The pairs use the given positions in turn.
    """
    from arena.bots.builtin import without_modules
    from arena.cli.settings import clock_settings, game_options, match_settings
    from arena.contests.queue.local import LocalEngine
    from arena.contests.queue.referee_match import RefereeMatches
    from arena.contests.strength.compare import Comparer, Subject, check_players, load_entrants
    from arena.contests.strength.comparison_report import ComparisonReport
    from arena.match.lookup import find_game, options_for
    from arena.play.memory.workers import match_servers

    test = sprt_of(sprt) if sprt else None
    bots = without_modules((first, second, *others), partial(say, err=True))
    if len(bots) < 2:
        raise click.UsageError("Name two bots at least.")
    if test and bots[2:]:
        raise ArenaError("--sprt is for two bots that play against each other. Leave out --sprt or the other bots.")
    spec = find_game(game)
    players = check_players(spec, len(bots))
    chosen = game_options(spec, options, None)
    options_for(spec, chosen, players)
    entrants = load_entrants(spec, bots, partial(say_quoting, err=True), in_memory=in_memory)
    settings = match_settings(spec, chosen, clock_settings(spec.clock, clock), 0, maps)
    starts = _starts(spec, references, options, maps, dict(settings.options), players)
    most = games or (1_000_000 if test else max(100, 2 * len(starts)))
    subject = Subject(
        spec.name,
        entrants[0],
        entrants[1],
        tuple(entrants[2:]),
        settings.maps,
        settings.options,
        seed or secrets.token_hex(16),
    )
    progress = Progress()
    with tempfile.TemporaryDirectory(prefix="arena-compare-") as folder:
        matches = RefereeMatches(
            settings,
            {entrant.hash: entrant.path for entrant in entrants},
            lambda match_id: Path(folder) / f"{match_id}.arena",
            spec.map_option,
            spec.load_map,
            replay=False,
            servers=match_servers(spec.name, in_memory=in_memory),
            starts=starts,
        )
        engine = LocalEngine(matches.start, at_once, on_close=matches.close)
        comparer = Comparer(subject, engine, most, test, partial(_show, progress, test, most))
        # Ctrl-C ends the comparison after the running games, so that what was played counts.
        before = signal.signal(signal.SIGINT, lambda *_: comparer.stop())
        failure: ArenaError | None = None
        try:
            comparer.run()
        except ArenaError as error:
            failure = error
        finally:
            signal.signal(signal.SIGINT, before)
            engine.close()
    progress.clear()
    comparison = comparer.comparison
    if failure and not comparison.games:
        raise failure
    report = ComparisonReport.of(comparison, [entrant.name for entrant in entrants], test, len(starts))
    if as_json:
        print_json(report.to_document())
    else:
        for line in report.lines():
            say(line)
    if failure:
        raise failure
    complete = comparison.games >= most or comparison.decision or comparison.repeating
    return ExitCode.OK if complete else ExitCode.INTERRUPTED


def sprt_of(text: str) -> Sprt:
    """Read ``elo0=0 elo1=10 alpha=0.05 beta=0.05``. Commas can replace the spaces. Each value has a default."""
    from arena.contests.ratings.sequential import Sprt

    values: dict[str, float] = {}
    for word in text.replace(",", " ").split():
        name, _, value = word.partition("=")
        try:
            values[name] = float(value)
            if not isfinite(values[name]):
                raise ValueError
        except ValueError:
            raise ArenaError(f"--sprt: {word!r} is not of the form NAME=NUMBER.") from None
        if name not in ("elo0", "elo1", "alpha", "beta"):
            raise ArenaError(f"--sprt has elo0, elo1, alpha and beta, but no {name!r}.")
    test = Sprt(**values)
    if not test.elo0 < test.elo1:
        raise ArenaError(f"--sprt: elo0 must be less than elo1, but {test.elo0:g} is not less than {test.elo1:g}.")
    if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise ArenaError("--sprt: alpha and beta must be between 0 and 0.5.")
    return test


def _starts(
    spec: GameSpec,
    references: tuple[str, ...],
    options: tuple[str, ...],
    maps: tuple[str, ...],
    chosen: dict[str, Any],
    players: int,
) -> list[Position]:
    """Return the positions of `--from`, after a check that matches of so many players can start from them."""
    from arena.study.replaying.positions import read_positions

    if len(spec.player_counts) > 1:
        chosen["players"] = players
    starts = read_positions(references, spec, chosen)
    if starts and (maps or (options and any(start.parent for start in starts))):
        raise click.UsageError("--from a replay takes the options of that match. Leave out --option and --map.")
    for start in starts:
        count = spec.players_in(start.options)
        if count != players:
            raise ArenaError(
                f"A position of --from is for {count} players, not {players}.", exit_code=ExitCode.BAD_OPTION
            )
    return starts


def _show(progress: Progress, test: Sprt | None, most: int, comparison: Comparison) -> None:
    low, high = comparison.pairs.interval
    text = f", +{comparison.wins} ={comparison.draws} -{comparison.losses}"
    text += f", score {100 * comparison.pairs.score:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
    if test is not None:
        bottom, top = test.bounds
        text += f", LLR {test.ratio(comparison.pairs.evidence):+z.2f} ({bottom:.2f} to {top:.2f})"
    progress.count(comparison.games, "games", None if test else most, text)
