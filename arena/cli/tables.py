"""Print matches and tables, for the commands of tournaments and seasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from arena.cli.options import Choice
from arena.cli.output import print_json, say, say_lines
from arena.errors import ArenaError
from arena.game.validation import did_you_mean

if TYPE_CHECKING:
    from arena.match.result import MatchResult
    from arena.match.spec import MatchSpec
    from arena.contests.report.sheets import Sheet

FORM = click.option(
    "--format",
    "form",
    type=Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
    help="Choose the output format.",
)
ENDING = click.option(
    "--ending", help="List only matches in which a player has this ending, such as crashed or timed_out."
)
LAST = click.option("--last", type=click.IntRange(1), help="List only this number of matches, the latest ones.")
JSON_FORM = click.option("--json", "form", flag_value="json", help="Print the result as JSON.")


def print_matches(
    played: Sequence[tuple[MatchSpec, MatchResult]],
    names: Sequence[str],
    form: str,
    bot: str | None,
    ending: str | None,
    last: int | None,
) -> None:
    """Print the matches of a tournament or season. `names` are those of all bots or teams."""
    from arena.contests.report import sheets
    from arena.contests.report.documents import match_document

    _check_filters(names, bot, ending)
    found = [
        match_document(spec, result, private=True)
        for spec, result in played
        if (bot is None or bot in spec.names) and (ending is None or ending in _endings(result))
    ]
    found = found[-last:] if last else found
    if form == "json":
        print_json(found)
        return
    print_sheets([sheets.matches_sheet(found)], form)


def _check_filters(names: Sequence[str], bot: str | None, ending: str | None) -> None:
    """Refuse unknown names, so that the user gets an error instead of an empty list."""
    from arena.match.ending import MEANINGS

    if bot is not None and bot not in names:
        raise ArenaError(f"No bot is called {bot}{did_you_mean(bot, names)}.")
    if ending is not None and ending not in MEANINGS:
        raise ArenaError(f"No match ends with {ending}{did_you_mean(ending, MEANINGS)}.")


def _endings(result: MatchResult) -> list[str]:
    return [player.ending for player in result.players]


def print_sheets(chosen: list[Sheet], form: str) -> None:
    from arena.contests.report import text

    for sheet in chosen:
        if form == "csv":
            say_lines(text.to_csv(sheet))
        elif form == "markdown":
            say_lines(text.to_markdown(sheet))
            say()
        else:
            text.print_sheet(sheet)
