"""Read whole numbers in texts from outside."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[0-9]{1,15}")


def whole_number(text: str) -> int | None:
    """Return the number that a text writes with 1 to 15 decimal digits in ASCII; None for all other texts.

    `int` also accepts signs, underscores, spaces and the digits of other scripts, and raises an exception for more than
    4,300 digits. `str.isdigit` is true for a superscript, which `int` refuses.
    """
    return int(text) if _DIGITS.fullmatch(text) else None
