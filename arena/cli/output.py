"""Print errors, JSON and plain tables."""

from __future__ import annotations

import errno
import json
import traceback
from collections.abc import Sequence
from typing import Any

import click

from arena.errors import ArenaError, ExitCode

_NO_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors of a full or broken standard output. An error with another file has its name."""


def complain(error: Exception) -> int:
    """Print the message and the hint of an error; for a fault of Arena, print its traceback first.

    Returns:
        The exit code.
    """
    from arena_replays import ReplayError

    if isinstance(error, ArenaError | ReplayError):
        _say_error(error.message, error.hint)
        return error.exit_code
    if isinstance(error, OSError) and error.filename is None and error.errno in _NO_OUTPUT:
        _say_error(f"The output cannot be written: {error.strerror}.")
        return ExitCode.CANNOT_WRITE
    traceback.print_exception(error)
    _say_error("This is a fault of Arena, not yours.", "Please report it with the lines above.")
    return ExitCode.FAULT


def _say_error(message: str, hint: str = "") -> None:
    click.secho("Error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(message, err=True)
    if hint:
        click.echo(f"  {hint}", err=True)


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
