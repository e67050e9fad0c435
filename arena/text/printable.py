"""Make untrusted text safe for a terminal, a page and a shell; and find names that look alike."""

from __future__ import annotations

import os
import re
import sys
import traceback
import unicodedata
from functools import lru_cache

__all__ = ["command_line", "printable"]
LONGEST_LINE = 500
EXCERPT = 16 * 1024
"""The limits of `excerpt`, in characters. Chosen, not measured: the errors of a compiler fit in, and a log that prints
without end does not fill a page or a journal."""


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
    lines = "\n".join(map(_cut_line, text.split("\n")))
    if len(lines) <= EXCERPT:
        return lines
    half = EXCERPT // 2
    return f"{lines[:half]}\n[cut: {len(lines) - 2 * half} characters]\n{lines[-half:]}"


def _cut_line(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]} [cut: {more} characters]"


def command_line(*words: object) -> str:
    """Return a command for the user to copy. Words that a shell would change are quoted, such as paths with spaces."""
    if os.name == "nt":
        import subprocess

        return subprocess.list2cmdline(map(str, words))
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


# Names that look alike: nobody may take a name that readers of a table take for another one.

_NUMBER = re.compile(r"\s*\(\w*\)$")
"""A number that a match adds to the name of a player with several seats, as in "NAME (2)"."""
_NOT_DRAWN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without a shape, among those that `str.isprintable` accepts."""
_OUTSIDE_NUMBERS = re.compile(r"(?<!\d)\.|\.(?!\d)")
_PAIRS = (("rn", "m"), ("vv", "w"))


def without_invisible(name: str) -> str:
    """Return the name without characters that are not drawn. What is left may be empty."""
    return _NOT_DRAWN.sub("", name).strip()


def look_keys(name: str) -> tuple[tuple[str, bool], ...]:
    """Return a case-sensitive and a case-insensitive key of a name. Two names look alike if they share a key.

    Names are normalised by Unicode's NFKC. Spaces, characters that are not drawn, a number in parentheses at the end,
    and punctuation are removed; between two digits, punctuation becomes one dot. Each letter is replaced by the first
    of its lookalikes, and "rn" and "vv" are "m" and "w".
    """
    plain = _core("".join(unicodedata.normalize("NFKC", without_invisible(name)).split()))
    folded = unicodedata.normalize("NFKC", plain.casefold())
    return (_shape(plain), False), (_shape(folded), True)


def _core(name: str) -> str:
    """Return the name without a number in parentheses and punctuation; the whole name if nothing else is left."""
    punctuation = "".join({char for char in name if _is_punctuation(char)})
    before, core = "", name
    while core != before:
        before, core = core, _NUMBER.sub("", core.rstrip(punctuation.replace(")", "")))
    dotted = "".join("." if _is_punctuation(char) else char for char in core)
    return _OUTSIDE_NUMBERS.sub("", re.sub(r"\.+", ".", dotted)) or name


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P")


def _shape(name: str) -> str:
    for pair, letter in _PAIRS:
        name = name.replace(pair, letter)
    return "".join(map(_lookalike, name))


@lru_cache(maxsize=4096)
def _lookalike(char: str) -> str:
    """Return the first letter of the group of lookalikes that this letter belongs to.

    If A looks like B, and B like C, all three are one group.
    """
    from confusable_homoglyphs import confusables

    group, pending = {char}, [char]
    while pending:
        for entry in confusables.confusables_data.get(pending.pop(), ()):
            letter = entry["c"]
            if len(letter) == 1 and letter not in group:
                group.add(letter)
                pending.append(letter)
    return min(group)
