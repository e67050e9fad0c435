"""How commands speak: errors, JSON, and plain tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from arena.errors import ArenaError


def complain(error: Exception) -> int:
    """Say what a user did wrong and what to do; anything else is our own mistake and is raised again.

    Returns:
        The exit code.
    """
    from arena_replays import ReplayError

    if isinstance(error, ArenaError | ReplayError):
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(error.sentence, err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
        return error.exit_code
    raise error


def print_json(document: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print rows with aligned columns; the first row is the heading.

    Args:
        rows: Texts.
        right: The numbers of the columns that are aligned to the right.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  ".join(cells).rstrip()
        click.echo(click.style(line, bold=True) if number == 0 else line)
