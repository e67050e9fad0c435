"""``arena climb``: a ladder of bots, from random play to search."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AS_JSON, AT_ONCE, IN_MEMORY, MAPS, OPTIONS
from arena.cli.output import Progress, print_json, say, say_quoting
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

if TYPE_CHECKING:
    from arena.contests.strength.climb_report import ClimbReport, RungReport
    from arena.contests.strength.compare import Comparison
    from arena.game import GameSpec

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
@IN_MEMORY
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
    in_memory: bool,
    as_json: bool,
) -> None:
    """Climb the ladder of GAME with BOT, and learn what to improve next.

    The ladder has the built-in bots, weaker variants of them, and searches. BOT plays against the weakest one first.
    The games come in pairs with the same seed, and BOT changes its seat within a pair. A sequential test ends the games
    when the result is clear. If BOT is stronger, it goes on to the next one: the next rung. If not, the report names
    what to learn next. For each rung with a loss, the report names a lost game to study. Each bot runs in a sandbox if
    this machine supports one, unless you play in memory.

    The same command continues an interrupted climb.
    """
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.bots.builtin import builtin_bot_of
    from arena.cli.settings import ladder_settings
    from arena.contests.strength.climb import Climber, climb, load_boss
    from arena.contests.strength.climb_report import ClimbReport, RungReport
    from arena.match.lookup import find_game, refuse_cooperative
    from arena.play.referee.prepared import check_in_memory

    spec = find_game(game)
    refuse_cooperative(spec, "The ladder")
    settings, players = ladder_settings(spec, options, maps)
    unbuilt = load_bot(bot, spec)
    if in_memory:
        check_in_memory(unbuilt)
    loaded = built(unbuilt, partial(say_quoting, err=True), require=settings.least_isolation)
    climber = Climber.of(loaded, bot, settings, players, seed, folder / spec.name, at_once, in_memory=in_memory)
    if not spec.ladder:
        raise ArenaError(f"The game {spec.name} has no built-in bots to climb.", exit_code=ExitCode.BAD_BOT)
    ladder = [reference for reference in spec.ladder if builtin_bot_of(spec, reference) is not None]
    bosses = [load_boss(spec, reference) for reference in ladder]
    if not as_json:
        names = ", ".join(boss.name for boss in bosses)
        _say_wrapped(f"{climber.bot.name} climbs the ladder of {spec.title}: {names}", "")
        if len(ladder) < len(spec.ladder):
            say(f"{len(spec.ladder) - len(ladder)} more need arena-learn: pip install arena-learn")
    progress = Progress()
    rungs: list[RungReport] = []
    for reference, result in zip(ladder, climb(climber, bosses, most, games_shown(progress, most)), strict=False):
        rungs.append(RungReport.of(result, builtin_bot_of(spec, reference)))
        progress.clear()
        if not as_json:
            _say_rung(len(rungs), len(bosses), rungs[-1])
    report = ClimbReport.of(spec, climber, most, [boss.name for boss in bosses], rungs)
    if as_json:
        print_json(report.to_document())
    else:
        _say_end(spec, report, climber.bot.path)


def games_shown(progress: Progress, most: int | None, title: str = "") -> Callable[[Comparison], None]:
    """Return a function that shows how far the games of a rung are."""

    def show(comparison: Comparison) -> None:
        score = f", +{comparison.wins} ={comparison.draws} -{comparison.losses}, {comparison.pairs.score:.0%}"
        progress.count(comparison.games, "games", most, score + title)

    return show


_DECISIONS = {"promoted": "promoted", "held": "not promoted", "undecided": "not promoted, since not decided"}


def _say_rung(number: int, total: int, rung: RungReport) -> None:
    color = "green" if rung.decision == "promoted" else "yellow"
    low, high = rung.score_interval
    say()
    say(f"Rung {number} of {total}, {rung.boss}: {_DECISIONS[rung.decision]}", bold=True, fg=color)
    say(
        f"  {rung.games} games, +{rung.wins} ={rung.draws} -{rung.losses}, "
        f"score {rung.score:.0%} (95 %: {low:.0%} to {high:.0%})"
    )
    if rung.decision == "undecided":
        from arena.contests.ratings.sequential import evidence_in_words

        evidence = {f"to be {decision}": share for decision, share in rung.evidence.items()}
        _say_wrapped(f"{evidence_in_words(evidence, rung.games_left)} `--most N` plays up to N games.")
    if rung.failures:
        failures = ", ".join(f"{count} {ending}" for ending, count in rung.failures.items())
        say(f"  Your program failed: {failures}.", fg="red")
    if rung.decision != "promoted":
        _say_wrapped(f"{rung.boss}: {rung.doc}")
        if rung.lesson:
            _say_wrapped(f"Learn next: {rung.lesson}")
    if rung.loss:
        _say_wrapped(f"A loss to study: {rung.loss.message}")
        say(f"    {rung.loss.explain}")


def _say_wrapped(text: str, first: str = "  ", others: str = "    ") -> None:
    for line in textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False):
        say(line)


def _say_end(spec: GameSpec, report: ClimbReport, bot: str) -> None:
    total, test = len(report.bosses), report.test
    say()
    if report.complete:
        say(f"{report.bot} beats all {total} bosses of {spec.title}.", bold=True, fg="green")
        say(f"Compare new versions with it: {command_line('arena', 'compare', spec.name, 'NEW', bot)}")
    else:
        boss = report.rungs[-1].boss
        say(f"{report.bot} beats {report.beaten} of {total} bosses of {spec.title}. Next: {boss}.", bold=True)
        if any(rung.loss for rung in report.rungs):
            say(f"All losses: {command_line('arena', 'explain', 'losses', report.folder, '--bot', report.bot)}")
    if report.rungs:
        say(f"Played {report.rungs[-1].played}.")
    _say_wrapped(
        f"A bot that is not stronger is promoted with a probability of {test['alpha']:.0%} at most. One that scores "
        f"{test['better']:.0%} is held with a probability of {test['beta']:.0%} at most. Without a decision after "
        f"{test['most']} games it is not promoted.",
        "",
        "",
    )
