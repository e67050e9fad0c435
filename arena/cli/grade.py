"""``arena grade``: points for bots, by a rubric."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AT_ONCE
from arena.cli.output import Progress, print_json, say, say_lines
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.contests.strength.compare import Comparison
    from arena.contests.strength.grade import Grade, Rubric
    from arena.game import GameSpec
    from arena.match.spec import NamedBot

EPILOG = """\b
Examples:
  arena grade saloon --init > rubric.toml
  arena grade saloon my_bot --rubric rubric.toml
  arena grade saloon submission --rubric rubric.toml --json > results.json   # for Gradescope
  arena grade saloon submissions/* --rubric rubric.toml --csv > grades.csv

Exit codes: 0 all bots were graded, also those that do not work; 3 no such game; 4 bad option; 5 no such bot, or a bad
opponent; 7 this machine cannot isolate bots as the rubric requires; 14 a bad rubric; 19 an extra is not installed.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option("--rubric", "rubric_path", type=click.Path(path_type=Path), help="Grade by this file.")
@click.option("--init", is_flag=True, help="Print a commented rubric for GAME, and grade nothing.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print Gradescope's results.json; for several bots, print a list of these documents.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print a table with one line for each bot.")
@AT_ONCE
@needs_contest("Grading")
def command(
    game: str,
    bots: tuple[str, ...],
    rubric_path: Path | None,
    init: bool,
    as_json: bool,
    as_csv: bool,
    at_once: int,
) -> None:
    """Grade each BOT for GAME by a rubric: protocol, scores against named bots, time per turn, rung of the ladder.

    All bots run in the sandbox. Without a sandbox nothing is graded. A bot that is there, and cannot be read or built,
    gets 0 points, and its report says why.
    """
    from arena.bots.builtin import BUILTIN, no_bot, without_modules
    from arena.bots.references import exists, split_reference
    from arena.contests.strength.grade import gradescope_document, read_rubric, rubric_template
    from arena.match.lookup import find_game, refuse_cooperative

    spec = find_game(game)
    refuse_cooperative(spec, "A rubric")
    if init:
        say_lines(rubric_template(spec.name, [bot.name for bot in spec.bots]))
        return
    if rubric_path is None or not bots or (as_json and as_csv):
        raise click.UsageError("Name bots and --rubric FILE, and not both --json and --csv. --init writes a rubric.")
    rubric = read_rubric(rubric_path)
    if rubric.game != spec.name:
        raise ArenaError(f"{rubric_path} is for {rubric.game}, not for {spec.name}.", exit_code=ExitCode.BAD_LEAGUE)
    bots = without_modules(bots, partial(say, err=True))
    for bot in bots:
        path, _ = split_reference(bot)
        if not path.startswith(BUILTIN) and not exists(path):
            raise no_bot(Path(path), spec, "Nothing was graded.")
    grading = _Grading(spec, rubric, rubric_path.parent, at_once)
    graded = []
    for bot in bots:
        before = time.monotonic()
        grades, problem = grading.grade(bot)
        graded.append(gradescope_document(grades, time.monotonic() - before, problem))
        if not as_json and not as_csv:
            _say_grades(bot, graded[-1])
    if as_json:
        print_json(graded[0] if len(graded) == 1 else graded)
    elif as_csv:
        _say_csv(bots, graded)


class _Grading:
    """Grades bots by one rubric. It checks the machine, the opponents and the options once, before any bot runs."""

    def __init__(self, spec: GameSpec, rubric: Rubric, base: Path, at_once: int) -> None:
        from arena.bots.probe import probe
        from arena.cli.climb import boss_of, settings
        from arena.match.isolation import check_level

        self._spec = spec
        self._rubric = rubric
        self._at_once = at_once
        self._progress = Progress()
        level = rubric.least_isolation
        check_level(probe(), level)
        options = tuple(f"{name}={_text(value)}" for name, value in rubric.options)
        self._settings, self._players = settings(spec, options, rubric.maps, level)
        references = {item.against for item in rubric.items if item.against}
        self._opponents: dict[str, NamedBot] = {}
        for reference in sorted(references):
            path = reference if reference.startswith("builtin:") else str(base / reference)
            self._opponents[reference] = boss_of(spec, path, level)
        self._ladder = [boss_of(spec, f"builtin:{bot.name}") for bot in spec.bots]

    def grade(self, reference: str) -> tuple[list[Grade], str]:
        """Return the grade of each item, and the reason why the bot could not be graded; "" if it was graded."""
        from arena.cli.climb import climber_of, load_climber
        from arena.contests.strength.grade import Grade, Grader

        try:
            bot = load_climber(self._spec, reference, self._settings)
        except ArenaError as error:
            if error.exit_code not in (ExitCode.BAD_BOT, ExitCode.NO_BUILD):
                raise
            return [Grade(item, 0.0, "The bot cannot be read or built.") for item in self._rubric.items], error.message
        with tempfile.TemporaryDirectory(prefix="arena-grade-") as folder:
            climber = climber_of(
                bot,
                reference,
                self._settings,
                self._players,
                self._rubric.seed,
                Path(folder),
                self._at_once,
                keep=False,
            )
            shown = partial(self._item_shown, reference)
            grades = Grader(self._rubric, bot, climber, self._opponents, self._ladder, shown).run()
        self._progress.clear()
        return grades, ""

    def _item_shown(self, reference: str, title: str) -> Callable[[Comparison], None]:
        from arena.cli.climb import games_shown

        self._progress(f"{reference}: {title}")
        return games_shown(self._progress, None, f" ({reference}: {title})")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _say_grades(bot: str, document: dict[str, Any]) -> None:
    say(f"{bot}: {document['score']:g} of {document['extra_data']['max_score']:g} points", bold=True)
    for test in document["tests"]:
        say(f"  {test['score']:6g} of {test['max_score']:<6g} {test['name']}: {test['output']}")
    if not document["extra_data"]["graded"]:
        say_lines(document["output"])


def _say_csv(bots: tuple[str, ...], graded: list[dict[str, Any]]) -> None:
    from arena.contests.report.writers import csv_of

    columns = ("bot", *(test["name"] for test in graded[0]["tests"]), "points", "of", "problem")
    rows = tuple(
        (
            bot,
            *(f"{test['score']:g}" for test in one["tests"]),
            f"{one['score']:g}",
            f"{one['extra_data']['max_score']:g}",
            "" if one["extra_data"]["graded"] else one["output"],
        )
        for bot, one in zip(bots, graded, strict=True)
    )
    say_lines(csv_of(columns, rows))
