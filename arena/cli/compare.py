"""``arena compare``: find out which of two bots is stronger."""

from __future__ import annotations

import secrets
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from arena.cli.output import print_json, say, say_status
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.tournament.plan.config import Entrant, TournamentConfig
    from arena.tournament.plan.ratings.sprt import Sprt
    from arena.tournament.run.compare import Comparison
    from arena.tournament.run.engines.referee_match import RefereeMatches

EPILOG = """\b
Examples:
  arena compare saloon old.py new.py --games 200
  arena compare saloon old.py new.py --sprt "elo0=0 elo1=10"
\b
With --sprt the comparison stops when the test has decided whether A is stronger than B by elo1 points or only by elo0.
Each kind of error has a probability of 5 %.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--games", type=click.IntRange(2), help="Play this many games; 100 if not given.")
@click.option("--sprt", "sprt", metavar='"elo0=0 elo1=10"', help="Stop when this sequential test has decided.")
@click.option("--seed", default="", help="Repeat a comparison; random if not given.")
@click.option("-o", "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the game.")
@click.option("--map", "maps", multiple=True, metavar="NAME", help="Play on this map; several take turns.")
@click.option(
    "--clock",
    metavar="NAME=SECONDS,...",
    help="Change the clock: startup, bank, increment, turn, grace. bank and turn may be none.",
)
@click.option(
    "--require-isolation",
    "level",
    type=click.IntRange(0, 3),
    default=0,
    help="Play at this isolation level or above.",
)
@click.option(
    "--at-once", type=click.IntRange(0), default=0, help="Play this many matches at once; one per core if not given."
)
@click.option("--unrated", is_flag=True, help="Allow more matches than cores. The clocks are unreliable then.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    game: str,
    one: str,
    other: str,
    games: int | None,
    sprt: str | None,
    seed: str,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    clock: str | None,
    level: int,
    at_once: int,
    unrated: bool,
    as_json: bool,
) -> int:
    """Find out which of the bots A and B is stronger in GAME.

    They play pairs of matches with the same seed and swapped seats.
    """
    from arena.tournament.run.compare import Comparer, Subject
    from arena.tournament.run.engines.local import LocalEngine

    test = sprt_of(sprt) if sprt else None
    entrants, config = _prepare(game, (one, other), options, maps, clock, level)
    subject = Subject(config.game, *entrants, config.maps, config.options, seed or secrets.token_hex(16))
    with tempfile.TemporaryDirectory(prefix="arena-compare-") as folder:
        matches = _matches(config, entrants, Path(folder))
        engine = LocalEngine(matches.start, at_once, rated=not unrated, on_close=matches.close)
        most = games or (1_000_000 if test else 100)
        show = not as_json and sys.stderr.isatty()
        comparer = Comparer(subject, engine, most, test, lambda found: _progress(found, test, show))
        before = signal.signal(signal.SIGINT, lambda number, frame: _stop(number, frame, comparer))
        try:
            comparison = comparer.run()
        finally:
            signal.signal(signal.SIGINT, before)
            engine.close()
    if show:
        say_status()
    document = report(comparison, entrants[0].name, entrants[1].name, test)
    if as_json:
        print_json(document)
    else:
        for line in lines(document):
            say(line)
    return ExitCode.INTERRUPTED if comparison.games < most and not comparison.decision else 0


def _stop(number: int, frame: FrameType | None, comparer: Any) -> None:
    del number, frame
    comparer.stop()


def sprt_of(text: str) -> Sprt:
    """Read ``elo0=0 elo1=10 alpha=0.05 beta=0.05``; commas may stand for spaces.

    Raises:
        ArenaError: The text has another form, or a number is out of range.
    """
    from arena.tournament.plan.ratings.sprt import Sprt

    values: dict[str, float] = {}
    for word in text.replace(",", " ").split():
        name, _, value = word.partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            raise ArenaError(f"--sprt: {word!r} is not of the form NAME=NUMBER.") from None
        if name not in ("elo0", "elo1", "alpha", "beta"):
            raise ArenaError(f"--sprt has elo0, elo1, alpha and beta, but no {name!r}.")
    test = Sprt(**values)  # type: ignore[arg-type]
    if not test.elo0 < test.elo1:
        raise ArenaError(f"--sprt: elo0 must be less than elo1, but {test.elo0:g} is not less than {test.elo1:g}.")
    if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise ArenaError("--sprt: alpha and beta must be between 0 and 0.5.")
    return test


def _prepare(
    game: str, bots: tuple[str, str], options: tuple[str, ...], maps: tuple[str, ...], clock: str | None, level: int
) -> tuple[tuple[Entrant, Entrant], TournamentConfig]:
    from dataclasses import asdict

    from arena.bots.bot import load_bot
    from arena.bots.builtin import builtin_bot
    from arena.cli.settings import clock_settings, game_options
    from arena.lookup import find_game
    from arena.match.isolation import KEYS
    from arena.tournament.plan.config import Entrant, TournamentConfig
    from arena.tournament.run.league import check_options

    spec = find_game(game)
    loaded = [load_bot(bot, builtins=lambda name: builtin_bot(spec, name)) for bot in bots]
    first, second = loaded[0].name, loaded[1].name
    if first == second:
        first, second = f"{first} (A)", f"{second} (B)"
    entrants = (
        Entrant(first, "A" + loaded[0].content_hash, bots[0]),
        Entrant(second, "B" + loaded[1].content_hash, bots[1]),
    )
    times = asdict(clock_settings(spec.clock, clock))
    config = TournamentConfig(
        name="compare",
        game=spec.name,
        bots=(),
        stages=(),
        maps=maps,
        options=tuple(sorted(game_options(spec, options, None).items())),
        clock=tuple(sorted(times.items())),
        isolation=KEYS[level],
    )
    check_options(config, spec)
    return entrants, config


def _matches(config: TournamentConfig, entrants: tuple[Entrant, Entrant], folder: Path) -> RefereeMatches:
    """Return the object that starts the matches, without replays."""
    from arena.lookup import find_game
    from arena.tournament.run.engines.referee_match import RefereeMatches

    spec = find_game(config.game)
    paths = {entrant.hash: entrant.path for entrant in entrants}
    return RefereeMatches(
        config, paths, lambda match_id: folder / f"{match_id}.arena", spec.map_option, spec.load_map, replay=False
    )


def _progress(comparison: Comparison, test: Sprt | None, show: bool) -> None:
    if not show:
        return
    low, elo, high = comparison.pairs.elo
    text = f"{comparison.games} games, +{comparison.wins} ={comparison.draws} -{comparison.losses}"
    text += f", Elo {elo:+.0f} ({low:+.0f} to {high:+.0f})"
    if test is not None:
        bottom, top = test.bounds
        text += f", LLR {test.ratio(comparison.pairs.counts):+.2f} ({bottom:.2f} to {top:.2f})"
    say_status(text)


def report(comparison: Comparison, one: str, other: str, test: Sprt | None) -> dict[str, Any]:
    """Return the result of a comparison as a document."""
    pairs = comparison.pairs
    low, high = pairs.interval
    document: dict[str, Any] = {
        "bots": [one, other],
        "games": comparison.games,
        "wins": comparison.wins,
        "draws": comparison.draws,
        "losses": comparison.losses,
        "pairs": list(pairs.counts),
        "score": round(pairs.score, 6),
        "score_interval": [round(low, 6), round(high, 6)],
        "elo": [None if abs(value) == float("inf") else round(value, 2) for value in pairs.elo],
        "superiority": round(pairs.superiority, 6),
        "endings": [dict(sorted(one_side.items())) for one_side in comparison.endings],
        "replayed": comparison.replays,
    }
    if test is not None:
        document["sprt"] = {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "ratio": round(test.ratio(pairs.counts), 4),
            "bounds": [round(bound, 4) for bound in test.bounds],
            "decision": comparison.decision or None,
        }
    return document


def lines(document: dict[str, Any]) -> list[str]:
    """Return the document as lines of text."""
    one, other = document["bots"]
    low, high = document["score_interval"]
    elo = ["beyond measure" if value is None else f"{value:+.0f}" for value in document["elo"]]
    text = [
        f"{one} against {other}: {document['games']} games, {document['wins']} won, {document['draws']} drawn, "
        f"{document['losses']} lost",
        f"Score {100 * document['score']:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f} %), "
        f"Elo {elo[1]} (95 %: {elo[0]} to {elo[2]})",
        f"{one} is stronger with {100 * document['superiority']:.1f} % likelihood; "
        f"pairs with 0, ½, 1, 1½, 2 points: {', '.join(map(str, document['pairs']))}",
    ]
    for name, endings in zip(document["bots"], document["endings"], strict=True):
        if endings:
            text.append(f"{name}: " + ", ".join(f"{count} {ending}" for ending, count in endings.items()))
    if "sprt" in document:
        test = document["sprt"]
        bounds = f"{test['bounds'][0]:.2f} to {test['bounds'][1]:.2f}"
        verdict = {
            "elo1": f"it is about {test['elo1']:g} Elo stronger or more (elo1 accepted)",
            "elo0": f"it is not {test['elo1']:g} Elo stronger (elo0 accepted)",
            None: "not decided yet",
        }[test["decision"]]
        text.append(
            f"SPRT of {test['elo0']:g} against {test['elo1']:g} Elo: LLR {test['ratio']:+.2f} ({bounds}): {verdict}"
        )
    return text
