"""``arena grade``: points for bots, by a rubric."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AT_ONCE
from arena.cli.output import Progress, print_json, say, say_lines, say_quoting
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.contests.strength.compare import Comparison

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
    from arena.bots.probe import probe
    from arena.bots.references import exists, split_reference
    from arena.cli.settings import ladder_settings
    from arena.contests.strength.grade import Grading, gradescope_document, read_rubric, rubric_template
    from arena.match.isolation import check_level
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
    level = rubric.least_isolation
    check_level(probe(), level)
    settings, players = ladder_settings(
        spec, tuple(f"{name}={_text(value)}" for name, value in rubric.options), rubric.maps, level
    )
    grading = Grading(spec, rubric, settings, players, rubric_path.parent, at_once)
    progress = Progress()
    documents = []
    for bot in bots:
        begin = time.monotonic()
        grades, problem = grading.grade(bot, partial(say_quoting, err=True), partial(_item_shown, progress, bot))
        progress.clear()
        documents.append(gradescope_document(grades, time.monotonic() - begin, problem))
        if not as_json and not as_csv:
            _say_grades(bot, documents[-1])
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)
    elif as_csv:
        _say_csv(bots, documents)


def _item_shown(progress: Progress, bot: str, title: str) -> Callable[[Comparison], None]:
    """Show which item is graded, and return a function that shows how far its games are."""
    from arena.cli.climb import games_shown

    progress(f"{bot}: {title}")
    return games_shown(progress, None, f" ({bot}: {title})")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _say_grades(bot: str, document: dict[str, Any]) -> None:
    say(f"{bot}: {document['score']:g} of {document['extra_data']['max_score']:g} points", bold=True)
    for test in document["tests"]:
        say(f"  {test['score']:6g} of {test['max_score']:<6g} {test['name']}: {test['output']}")
    if not document["extra_data"]["graded"]:
        say_lines(document["output"])


def _say_csv(bots: Sequence[str], documents: Sequence[dict[str, Any]]) -> None:
    from arena.contests.report.writers import csv_of

    columns = ("bot", *(test["name"] for test in documents[0]["tests"]), "points", "of", "problem")
    rows = []
    for bot, document in zip(bots, documents, strict=True):
        extra = document["extra_data"]
        scores = [f"{test['score']:g}" for test in document["tests"]]
        problem = "" if extra["graded"] else document["output"]
        rows.append((bot, *scores, f"{document['score']:g}", f"{extra['max_score']:g}", problem))
    say_lines(csv_of(columns, rows))
