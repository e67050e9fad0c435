"""Make untrusted text safe for a terminal, a page and a shell."""

from __future__ import annotations

import sys
import traceback

LONGEST_LINE = 500
EXCERPT = 16 * 1024
"""The limits of `excerpt`, in characters."""


def printable(text: str) -> str:
    r"""Return the text. Escape all characters that could control a terminal or a page. HTML is not escaped.

    Line feeds and tabs stay. All other characters that are not printable (see `str.isprintable`) become escapes such as
    `\x1b`: for example carriage returns, and invisible characters that change the writing direction.
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else _escape(c) for c in text)


def one_line(text: str) -> str:
    r"""Return the text as `printable` does, but on one line: a line feed becomes `\x0a`."""
    if text.isprintable():
        return text
    return "".join(c if c == "\t" or c.isprintable() else _escape(c) for c in text)


def harmless(cell: str) -> str:
    """Escape a cell, so that a spreadsheet does not treat it as a formula."""
    cell = one_line(cell)
    dangerous = cell[:1] in ("=", "@") or (cell[:1] in "+-" and not cell[1:].replace(".", "", 1).isdigit())
    return f"'{cell}" if cell and dangerous else cell


def excerpt(text: str) -> str:
    """Return a short text for a report: lines are cut after `LONGEST_LINE`, and the middle is left out if needed."""
    shown = "\n".join(map(_cut_line, text.split("\n")))
    if len(shown) <= EXCERPT:
        return shown
    end = EXCERPT // 2
    return f"{shown[:end]}\n[cut: {len(shown) - 2 * end} characters]\n{shown[-end:]}"


def _cut_line(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]} [cut: {more} characters]"


def command_line(*words: object) -> str:
    """Return a command for the user to copy. Quote the words that a shell would change, such as paths with spaces."""
    import shlex

    return shlex.join(map(str, words))


def print_traceback(error: BaseException) -> None:
    """Print the traceback of an exception to standard error. Escape untrusted text as `printable` does."""
    sys.stderr.write(printable("".join(traceback.format_exception(error))))
    sys.stderr.flush()


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
