"""``arena compare``: find out which of two bots is stronger."""

from __future__ import annotations

import secrets
import signal
import tempfile
from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AS_JSON, AT_ONCE, CLOCK, MAPS, OPTIONS
from arena.cli.output import Progress, print_json, say, say_quoting
from arena.cli.settings import POSITIONS
from arena.errors import ArenaError, ExitCode
from arena.match.ending import counted, distinct_names
from arena.text.reading import rounded

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.contests.queue.referee_match import RefereeMatches
    from arena.contests.ratings.sequential import Sprt
    from arena.contests.strength.compare import Comparison
    from arena.match.position import Position
    from arena.match.settings import MatchSettings
    from arena.match.spec import NamedBot

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
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
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
@AS_JSON
@needs_contest("A comparison")
def command(
    game: str,
    one: str,
    other: str,
    others: tuple[str, ...],
    games: int | None,
    sprt: str | None,
    seed: str,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    references: tuple[str, ...],
    clock: str | None,
    at_once: int,
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
    from arena.contests.queue.local import LocalEngine
    from arena.contests.strength.compare import Comparer, Subject

    test = sprt_of(sprt) if sprt else None
    bots = without_modules((one, other, *others), partial(say, err=True))
    if len(bots) < 2:
        raise click.UsageError("Name two bots at least.")
    if test and bots[2:]:
        raise ArenaError("--sprt is for two bots that play against each other. Leave out --sprt or the other bots.")
    entrants, settings = _prepare(game, bots, options, maps, clock)
    starts = _starts(settings, references, options, maps, max(2, len(entrants) - 1))
    first, second, *rest = entrants
    subject = Subject(
        settings.game, first, second, tuple(rest), settings.maps, settings.options, seed or secrets.token_hex(16)
    )
    with tempfile.TemporaryDirectory(prefix="arena-compare-") as folder:
        matches = _matches(settings, entrants, Path(folder), starts)
        engine = LocalEngine(matches.start, at_once, on_close=matches.close)
        most = games or (1_000_000 if test else max(100, 2 * len(starts)))
        progress = Progress()
        comparer = Comparer(subject, engine, most, test, lambda found: _show(progress, found, test, most))
        before = signal.signal(signal.SIGINT, lambda number, frame: _stop(number, frame, comparer))
        try:
            comparison = comparer.run()
        finally:
            signal.signal(signal.SIGINT, before)
            engine.close()
    progress.clear()
    document = report(comparison, [entrant.name for entrant in entrants], test)
    if starts:
        document["positions"] = len(starts)
    if as_json:
        print_json(document)
    else:
        for line in lines(document):
            say(line)
    ended = comparison.games >= most or comparison.decision or comparison.repeating
    return ExitCode.OK if ended else ExitCode.INTERRUPTED


def _stop(number: int, frame: FrameType | None, comparer: Any) -> None:
    del number, frame
    comparer.stop()


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


def _prepare(
    game: str, bots: tuple[str, ...], options: tuple[str, ...], maps: tuple[str, ...], clock: str | None
) -> tuple[list[NamedBot], MatchSettings]:
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.cli.settings import clock_settings, game_options, match_settings
    from arena.match.lookup import find_game, options_for
    from arena.match.spec import NamedBot

    spec = find_game(game)
    players = max(2, len(bots) - 1)
    if spec.state.cooperative and len(bots) == 2:
        raise ArenaError(
            f"In {spec.name} all players play together.",
            hint="Name other bots after A and B. A and B each play with them, in the same seats, with the same dice.",
        )
    if players not in spec.player_counts:
        needed = spec.player_counts[0] - 1
        raise ArenaError(
            f"{spec.name} is for {spec.describe_players()}, not {players}.",
            hint="" if len(bots) > 2 else f"Name {needed} other bots after A and B, which take one seat among them.",
        )
    given = game_options(spec, options, None)
    options_for(spec, given, players)
    loaded = [load_bot(bot, spec) for bot in bots]
    for bot in loaded:
        built(bot, partial(say_quoting, err=True))
    # The added letter makes the hashes of A and B differ if both are the same program.
    letters = ["A", "B", *("C" * (len(bots) - 2))]
    entrants = [
        NamedBot(name, letter + bot.content_hash, path)
        for name, letter, bot, path in zip(_names(loaded, bots), letters, loaded, bots, strict=True)
    ]
    return entrants, match_settings(spec, given, clock_settings(spec.clock, clock), 0, maps)


def _names(bots: list[Bot], references: Sequence[str]) -> list[str]:
    from arena.bots.bot import folder_name

    names = [bot.name for bot in bots]
    signs = ["A", "B", *(str(1 + names[2:place].count(name)) for place, name in enumerate(names[2:], 2))]
    return distinct_names(names, signs, [folder_name(reference) for reference in references])


def _starts(
    settings: MatchSettings, references: tuple[str, ...], options: tuple[str, ...], maps: tuple[str, ...], players: int
) -> list[Position]:
    from arena.match.lookup import find_game
    from arena.study.replaying.positions import read_positions

    spec = find_game(settings.game)
    given = dict(settings.options) | ({"players": players} if len(spec.player_counts) > 1 else {})
    starts = read_positions(references, spec, given)
    if starts and (maps or (options and any(start.parent for start in starts))):
        raise click.UsageError("--from a replay takes the options of that match. Leave out --option and --map.")
    for start in starts:
        if spec.players_in(start.options) != players:
            there = spec.players_in(start.options)
            raise ArenaError(
                f"A position of --from is for {there} players, not {players}.", exit_code=ExitCode.BAD_OPTION
            )
    return starts


def _matches(settings: MatchSettings, entrants: list[NamedBot], folder: Path, starts: list[Position]) -> RefereeMatches:
    from arena.contests.queue.referee_match import RefereeMatches
    from arena.match.lookup import find_game

    spec = find_game(settings.game)
    paths = {entrant.hash: entrant.path for entrant in entrants}
    return RefereeMatches(
        settings,
        paths,
        lambda match_id: folder / f"{match_id}.arena",
        spec.map_option,
        spec.load_map,
        replay=False,
        starts=starts,
    )


def _show(progress: Progress, comparison: Comparison, test: Sprt | None, most: int) -> None:
    low, high = comparison.pairs.interval
    text = f", +{comparison.wins} ={comparison.draws} -{comparison.losses}"
    text += f", score {100 * comparison.pairs.score:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
    if test is not None:
        bottom, top = test.bounds
        text += f", LLR {test.ratio(comparison.pairs.evidence):+z.2f} ({bottom:.2f} to {top:.2f})"
    progress.count(comparison.games, "games", None if test else most, text)


def report(comparison: Comparison, names: list[str], test: Sprt | None) -> dict[str, Any]:
    from arena.contests.ratings.sequential import mean_and_margin

    pairs = comparison.pairs
    interval = pairs.interval
    document: dict[str, Any] = {
        "bots": names[:2],
        "games": comparison.games,
        "different_games": comparison.different,
        "superiority": round(pairs.superiority, 6),
        "endings": [dict(sorted(one_side.items())) for one_side in comparison.endings],
        "causes": comparison.causes,
        "replayed": comparison.replays,
    }
    if comparison.differences:
        mean, margin = mean_and_margin(comparison.differences)
        document |= {
            "others": names[2:],
            "common": [round(2 * points / comparison.games, 6) for points in comparison.points],
            "difference": rounded(mean, 6),
            "difference_interval": [rounded(mean + end, 6) if isfinite(end) else None for end in (-margin, margin)],
        }
        return document
    if names[2:]:
        document |= {
            "others": names[2:],
            "points": [round(2 * points / max(1, comparison.games), 6) for points in comparison.points],
            "difference": rounded(2 * pairs.score - 1, 6),
            "difference_interval": [rounded(2 * end - 1, 6) for end in interval],
        }
        return document
    document |= {
        "wins": comparison.wins,
        "draws": comparison.draws,
        "losses": comparison.losses,
        "pairs": pairs.counts,
        "score": round(pairs.score, 6),
        "score_interval": [round(end, 6) for end in interval],
        "elo": [None if abs(value) == float("inf") else rounded(value, 2) for value in pairs.elo],
    }
    if test is not None:
        from arena.contests.ratings.sequential import games_left

        document["sprt"] = {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "ratio": rounded(test.ratio(pairs.evidence), 4),
            "bounds": [round(bound, 4) for bound in test.bounds],
            "evidence": {name: round(share, 4) for name, share in test.progress(pairs).items()},
            "games_left": None if comparison.decision else games_left(comparison.games, pairs, test.progress),
            "decision": comparison.decision or None,
            "repeating": comparison.repeating,
        }
    return document


def lines(document: dict[str, Any]) -> list[str]:
    from arena.contests.ratings.sequential import evidence_in_words

    one, other = document["bots"]
    report_lines = _together_lines if "common" in document else _among_lines if "others" in document else _duel_lines
    text = report_lines(document)
    if "positions" in document:
        text.append(f"From {counted(document['positions'], 'position')}, each both ways.")
    if document["different_games"] < document["games"]:
        text.append(
            f"Only {document['different_games']} of the games are different. Identical games count once in "
            "intervals and likelihood."
        )
    for name, endings, cause in zip((one, other), document["endings"], document["causes"], strict=True):
        if endings:
            counts = ", ".join(f"{count} {ending}" for ending, count in endings.items())
            text.append(f"{name}: {counts}" + (f", such as: {cause}" if cause else ""))
    if "sprt" in document:
        test = document["sprt"]
        bounds = f"{test['bounds'][0]:.2f} to {test['bounds'][1]:.2f}"
        verdict = {
            "elo1": f"it is about {test['elo1']:g} Elo stronger or more (elo1 accepted)",
            "elo0": f"it is not {test['elo1']:g} Elo stronger (elo0 accepted)",
            None: "not decided, since the bots only repeat games" if test["repeating"] else "not decided yet",
        }[test["decision"]]
        text.append(
            f"SPRT of {test['elo0']:g} against {test['elo1']:g} Elo: LLR {test['ratio']:+z.2f} ({bounds}): {verdict}"
        )
        if test["decision"] is None and not test["repeating"]:
            evidence = {f"to accept {hypothesis}": share for hypothesis, share in test["evidence"].items()}
            text.append(evidence_in_words(evidence, test["games_left"]))
    return text


def _duel_lines(document: dict[str, Any]) -> list[str]:
    one, other = document["bots"]
    low, high = document["score_interval"]
    elo = ["beyond measure" if value is None else f"{value:+z.0f}" for value in document["elo"]]
    return [
        f"{one} against {other}: {document['games']} games, {document['wins']} won, {document['draws']} drawn, "
        f"{document['losses']} lost",
        f"Score {100 * document['score']:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f} %), "
        f"Elo {elo[1]} (95 %: {elo[0]} to {elo[2]})",
        f"{one} is stronger with {100 * document['superiority']:.1f} % likelihood; "
        f"pairs with 0, ½, 1, 1½, 2 points: {', '.join(map(str, document['pairs']))}",
    ]


def _together_lines(document: dict[str, Any]) -> list[str]:
    one, other = document["bots"]
    low, high = (f"{end:+z.4g}" if end is not None else "unknown" for end in document["difference_interval"])
    first, second = document["common"]
    return [
        f"{one} and {other}, each in {document['games'] // 2} games with {', '.join(document['others'])}",
        f"Mean common score: {one} {first:.4g}, {other} {second:.4g}, "
        f"difference {document['difference']:+z.4g} (95 %: {low} to {high})",
    ]


def _among_lines(document: dict[str, Any]) -> list[str]:
    one, other = document["bots"]
    low, high = document["difference_interval"]
    first, second = document["points"]
    return [
        f"{one} and {other}, each in {document['games'] // 2} games among {', '.join(document['others'])}",
        f"Share of opponents beaten: {one} {100 * first:.1f} %, {other} {100 * second:.1f} %, "
        f"difference {100 * document['difference']:+z.1f} % (95 %: {100 * low:+z.1f} to {100 * high:+z.1f} %)",
        f"{one} is stronger with {100 * document['superiority']:.1f} % likelihood",
    ]
