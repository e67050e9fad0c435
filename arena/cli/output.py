"""Print lines, errors, JSON and plain tables.

Names, logs, details and file names can come from untrusted authors. Control characters in them can change the
terminal's title, fill the clipboard, or clear the screen. So all text is escaped here.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError, ExitCode
from arena.text.printable import one_line, print_traceback
from arena.text.terminal import columns

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.contests.report.columns import PublishedTable


_NO_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""If an error with one of these numbers names no file, standard output is full or broken."""


def say(text: str = "", *, nl: bool = True, err: bool = False, **style: Any) -> None:
    """Print one line. Line ends and control characters are escaped.

    Args:
        text: The line.
        nl: End the line.
        err: Print to standard error.
        **style: As for `click.style`.
    """
    click.secho(one_line(text), nl=nl, err=err, **style)  # noqa: TID251


def say_lines(text: str, *, err: bool = False, **style: Any) -> None:
    """Print a text of several lines. Control characters are escaped.

    Args:
        text: The text.
        err: Print to standard error.
        **style: As for `click.style`.
    """
    for line in text.rstrip("\n").split("\n"):
        say(line, err=err, **style)


def say_quoting(text: str, *, err: bool = False) -> None:
    """Print a text. Mark all lines after the first as a quotation, such as a compiler's output."""
    first, *others = text.rstrip("\n").split("\n")
    say(first, err=err)
    for line in others:
        say(f"  | {line}", err=err)


def say_status(text: str = "") -> None:
    """Replace the last line of the terminal with a text. If the text is empty, clear the line."""
    click.echo(f"\r\x1b[K{one_line(text)}", nl=False, err=True)  # noqa: TID251


def warn_of_hidden_files(bots: Iterable[Bot]) -> None:
    for bot in dict.fromkeys(bots):
        for name in bot.hidden_files:
            module = f"`import {name.removesuffix('.py')}` gives the module of Python or of the kit with this name."
            say(f"Warning: {bot.name} cannot import its file {name}: {module} Rename the file.", err=True)


class Progress:
    """Says on standard error how far a long command is: in the last line of a terminal, or else now and then in a line.

    Without a terminal, a command that is quick says nothing.
    """

    EVERY = 10.0
    """The seconds between two lines without a terminal."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._said = monotonic()
        self._begun = (monotonic(), 0)

    def __call__(self, text: str) -> None:
        if self._terminal:
            say_status(text)
        elif monotonic() - self._said >= self.EVERY:
            self._said = monotonic()
            say(text, err=True)

    def count(self, done: int, unit: str, most: int | None = None, more: str = "") -> None:
        """Say a number of things that are done, of how many at most, and how many in a second."""
        if done <= self._begun[1]:
            self._begun = (monotonic(), done)
        seconds = monotonic() - self._begun[0]
        rate = f", {(done - self._begun[1]) / seconds:.1f} a second" if seconds >= 1 else ""
        self(f"{done}{'' if most is None else f' of at most {most}'} {unit}{rate}{more}")

    def clear(self) -> None:
        """Clear the line in the terminal, before the results are printed."""
        if self._terminal:
            say_status()


def complain(error: Exception) -> int:
    """Print the message and the hint of an error. For a fault of Arena, print the traceback first.

    A full or broken standard output, a path that is too long and a deleted folder are not faults of Arena.

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
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        _say_error(f"The path {error.filename} cannot be used: it is too long.", "Choose a shorter one.")
        return ExitCode.CANNOT_WRITE
    if isinstance(error, FileNotFoundError) and not _current_folder_exists():
        _say_error("The current folder no longer exists.", "Change to another folder, and run the command again.")
        return ExitCode.CANNOT_WRITE
    print_traceback(error)
    _say_error("This is a fault of Arena, not yours.", "Please report it with the lines above.")
    return ExitCode.FAULT


def _current_folder_exists() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _say_error(message: str, hint: str = "") -> None:
    say("Error: ", fg="red", bold=True, nl=False, err=True)
    first, *others = message.split("\n")
    say(first, err=True)
    # Indent further lines, so that a name with a line end in it cannot imitate another message.
    for line in [*others, *([hint] if hint else [])]:
        say(f"  {line}", err=True)


def complain_of_usage(error: click.ClickException) -> None:
    """Print click's message about wrong usage. For a group without a command, print the group's help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say_lines(error.format_message(), err=True)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say_lines(error.ctx.get_usage(), err=True)
        say(f"Try '{error.ctx.command_path} --help' for help.", err=True)
        say(err=True)
    _say_error(error.format_message())


def print_json(document: Any) -> None:
    """Print a document as JSON, the output of ``--json``."""
    # Write ASCII only, so that characters that change the direction of writing are escaped.
    # Replays by untrusted authors can contain bytes, for which JSON has no type.
    click.echo(json.dumps(document, indent=2, default=bytes.hex))  # noqa: TID251


def print_table(
    rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), head: bool = True, width: int | None = None
) -> None:
    """Print a table. If it is wider than the terminal, or than `width`, its widest columns are wrapped.

    Args:
        right: The columns of numbers.
        head: Whether the first row names the columns.
        width: None: that of the terminal; a pipe has none.
    """
    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    for number, line in enumerate(columns([[one_line(cell) for cell in row] for row in rows], width, right)):
        say(line, **({"bold": True} if head and number == 0 else {}))


def print_tables(tables: Sequence[PublishedTable], form: str) -> None:
    from arena.contests.report.writers import print_table, to_csv

    for table in tables:
        if form == "csv":
            say_lines(to_csv(table))
        else:
            print_table(table)
