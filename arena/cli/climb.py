"""``arena climb``: a ladder of the built-in bots."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AS_JSON, AT_ONCE, MAPS, OPTIONS
from arena.cli.output import Progress, print_json, say, say_quoting
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.contests.strength.climb import Climber, RungGame, RungResult
    from arena.contests.strength.compare import Comparison
    from arena.game import BuiltinBot, GameSpec
    from arena.match.settings import MatchSettings
    from arena.match.spec import NamedBot

WIDTH = 80
EPILOG = """\b
Examples:
  arena climb saloon my_bot
  arena climb saloon my_bot --seed monday          # other matches
  arena climb snakes my_bot -o players=2

Exit codes: 0 the climb was played, wherever it ended; 3 no such game; 4 bad option; 5 bad bot; 6 the folder cannot be
written; 7 this machine cannot isolate the build; 19 an extra is not installed; 22 the bot could not be built; 130
interrupted: the same command continues.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("bot")
@click.option("--seed", default="climb", show_default=True, help="Use this seed. The same seed gives the same matches.")
@click.option(
    "--most",
    type=click.IntRange(16),
    default=240,
    show_default=True,
    help="End a rung after this many games; an odd number is rounded up.",
)
@OPTIONS
@MAPS
@AT_ONCE
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("climb"),
    show_default=True,
    help="Keep results and the replays of lost games here.",
)
@AS_JSON
@needs_contest("A climb")
def command(
    game: str,
    bot: str,
    seed: str,
    most: int,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    at_once: int,
    folder: Path,
    as_json: bool,
) -> None:
    """Climb the ladder of GAME's built-in bots with BOT, and learn what to improve next.

    BOT plays against the weakest built-in bot first. The games come in pairs with the same seed, and BOT changes its
    seat within a pair. A sequential test ends the games when the result is clear. If BOT is stronger, it goes on to the
    next built-in bot: the next rung. If not, the report names what to learn next. For each rung with a loss, the report
    names a lost game to study. Each bot runs in a sandbox if this machine supports one.

    The same command continues an interrupted climb.
    """
    from arena.contests.strength.climb import climb
    from arena.match.lookup import find_game, refuse_cooperative

    spec = find_game(game)
    refuse_cooperative(spec, "The ladder")
    used, players = settings(spec, options, maps)
    loaded = load_climber(spec, bot, used)
    climber = climber_of(loaded, bot, used, players, seed, folder / spec.name, at_once)
    if not spec.bots:
        raise ArenaError(f"The game {spec.name} has no built-in bots to climb.", exit_code=ExitCode.BAD_BOT)
    document = _header(spec, climber, seed, most)
    if not as_json:
        say(f"{climber.bot.name} climbs the ladder of {spec.title}: {', '.join(one.name for one in spec.bots)}")
    progress = Progress()
    rungs = zip(spec.bots, climb(climber, _bosses(spec), most, games_shown(progress, most)), strict=False)
    for number, (boss, result) in enumerate(rungs, 1):
        rung = rung_document(boss, result)
        document["rungs"].append(rung)
        document["beaten"] += result.promoted
        progress.clear()
        if not as_json:
            _say_rung(number, len(spec.bots), rung)
    document["complete"] = document["beaten"] == len(spec.bots)
    if as_json:
        print_json(document)
    else:
        _say_end(spec, climber, document)


def settings(
    spec: GameSpec, options: tuple[str, ...], maps: tuple[str, ...], level: int = 0
) -> tuple[MatchSettings, int]:
    from arena.cli.settings import game_options, match_settings
    from arena.match.lookup import resolve_options

    given = game_options(spec, options, None)
    players = spec.players_in(resolve_options(spec, given))
    return match_settings(spec, given, spec.clock, level, maps), players


def load_climber(spec: GameSpec, reference: str, settings: MatchSettings) -> Bot:
    from arena.bots.bot import load_bot
    from arena.bots.build import built

    return built(load_bot(reference, spec), partial(say_quoting, err=True), require=settings.least_isolation)


def climber_of(
    bot: Bot,
    reference: str,
    settings: MatchSettings,
    players: int,
    seed: str,
    folder: Path,
    at_once: int = 0,
    *,
    keep: bool = True,
) -> Climber:
    """Return the object that plays a bot against the bosses: built-in bots, or other opponents.

    The object stores replays in a subfolder of `folder` that is named after the bot's hash. If `keep` is true, it
    stores results there too.
    """
    from arena.contests.strength.climb import Climber
    from arena.match.spec import NamedBot

    # The added letter makes the hashes of the bot and of a boss differ even if both are the same program.
    entrant = NamedBot(bot.name, "A" + bot.content_hash, reference)
    return Climber(settings, entrant, players, seed, folder / bot.content_hash[:12], keep, at_once)


def boss_of(spec: GameSpec, reference: str, level: int = 0) -> NamedBot:
    """Load and build an opponent: a built-in bot or another bot."""
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.match.spec import NamedBot

    bot = built(load_bot(reference, spec), require=level)
    return NamedBot(bot.name, "B" + bot.content_hash, reference)


def _bosses(spec: GameSpec) -> list[NamedBot]:
    return [boss_of(spec, f"builtin:{bot.name}") for bot in spec.bots]


def games_shown(progress: Progress, most: int | None, title: str = "") -> Callable[[Comparison], None]:
    """Return a function that shows how far the games of a rung are."""

    def show(found: Comparison) -> None:
        score = f", +{found.wins} ={found.draws} -{found.losses}, {found.pairs.score:.0%}"
        progress.count(found.games, "games", most, score + title)

    return show


def _header(spec: GameSpec, climber: Climber, seed: str, most: int) -> dict[str, Any]:
    from dataclasses import asdict

    from arena.contests.strength.climb import TEST

    return {
        "game": spec.name,
        "version": spec.version,
        "bot": climber.bot.name,
        "hash": climber.bot.hash[1:],
        "players": climber.players,
        "seed": seed,
        "test": asdict(TEST) | {"most": most},
        "folder": str(climber.folder),
        "bosses": [bot.name for bot in spec.bots],
        "beaten": 0,
        "complete": False,
        "rungs": [],
    }


def rung_document(boss: BuiltinBot, result: RungResult) -> dict[str, Any]:
    """Return the result of one rung, with the lesson of the boss and the loss to study (None without a loss)."""
    from arena.contests.strength.climb import document_of

    return document_of(result) | {"boss": boss.name, "doc": boss.doc, "lesson": boss.lesson, "loss": _loss(result.loss)}


def _loss(game: RungGame | None) -> dict[str, Any] | None:
    from arena.study.analysis.causes import causes_of
    from arena_replays import Reader

    if game is None:
        return None
    cause = causes_of(Reader(game.replay))[game.seat]
    return {
        "replay": str(game.replay),
        "player": game.seat,
        "cause": cause.kind,
        "message": cause.message,
        "explain": command_line("arena", "explain", game.replay, "--player", game.seat),
    }


def _say_rung(number: int, total: int, rung: dict[str, Any]) -> None:
    words = {"promoted": "promoted", "held": "not promoted", "undecided": "not promoted, since not decided"}
    say()
    say(
        f"Rung {number} of {total}, {rung['boss']}: {words[rung['decision']]}",
        bold=True,
        fg="green" if rung["decision"] == "promoted" else "yellow",
    )
    low, high = rung["score_interval"]
    say(
        f"  {rung['games']} games, +{rung['wins']} ={rung['draws']} -{rung['losses']}, "
        f"score {rung['score']:.0%} (95 %: {low:.0%} to {high:.0%})"
    )
    if rung["decision"] == "undecided":
        from arena.contests.ratings.sequential import evidence_in_words

        evidence = {f"to be {decision}": share for decision, share in rung["evidence"].items()}
        _say_wrapped(f"{evidence_in_words(evidence, rung['games_left'])} `--most N` plays up to N games.")
    if rung["failures"]:
        failures = ", ".join(f"{count} {ending}" for ending, count in rung["failures"].items())
        say(f"  Your program failed: {failures}.", fg="red")
    if rung["decision"] != "promoted":
        _say_wrapped(f"{rung['boss']}: {rung['doc']}")
        if rung["lesson"]:
            _say_wrapped(f"Learn next: {rung['lesson']}")
    if rung["loss"]:
        _say_wrapped(f"A loss to study: {rung['loss']['message']}")
        say(f"    {rung['loss']['explain']}")


def _say_wrapped(text: str, first: str = "  ", others: str = "    ") -> None:
    for line in textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False):
        say(line)


def _say_end(spec: GameSpec, climber: Climber, document: dict[str, Any]) -> None:
    test, total = document["test"], len(spec.bots)
    say()
    if document["complete"]:
        say(f"{climber.bot.name} beats all {total} bosses of {spec.title}.", bold=True, fg="green")
        say(f"Compare new versions with it: {command_line('arena', 'compare', spec.name, 'NEW', climber.bot.path)}")
    else:
        boss = document["rungs"][-1]["boss"]
        say(
            f"{climber.bot.name} beats {document['beaten']} of {total} bosses of {spec.title}. Next: {boss}.", bold=True
        )
        if any(rung["loss"] for rung in document["rungs"]):
            say(f"All losses: {command_line('arena', 'explain', 'losses', climber.folder, '--bot', climber.bot.name)}")
    _say_wrapped(
        f"A bot that is not stronger is promoted with a probability of {test['alpha']:.0%} at most. One that scores "
        f"{test['better']:.0%} is held with a probability of {test['beta']:.0%} at most. Without a decision after "
        f"{test['most']} games it is not promoted.",
        "",
        "",
    )
