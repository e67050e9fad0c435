"""Print tables, for commands that show results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from arena.cli.options import Choice
from arena.cli.output import say_lines

if TYPE_CHECKING:
    from arena.contests.report.tables import Table

FORM = click.option(
    "--format", "form", type=Choice(["table", "json", "csv"]), default="table", show_default=True,
    help="Choose the output format.",
)  # fmt: skip
JSON_FORM = click.option("--json", "form", flag_value="json", help="Print the result as JSON.")


def print_tables(tables: Sequence[Table], form: str) -> None:
    from arena.contests.report.writers import print_table, to_csv

    for table in tables:
        if form == "csv":
            say_lines(to_csv(table))
        else:
            print_table(table)
