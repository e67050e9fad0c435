"""Read numbers in texts from outside, and round numbers for people."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[0-9]{1,15}")


def whole_number(text: str) -> int | None:
    """Return the number that a text writes with 1 to 15 decimal digits in ASCII; None for all other texts.

    `int` is less strict: it also accepts signs, underscores, spaces and the digits of other scripts.
    """
    return int(text) if _DIGITS.fullmatch(text) else None


def rounded(value: float, digits: int) -> float:
    """Return a rounded number. A small negative number becomes 0.0, and not -0.0 as with `round`.

    In an f-string, the option z does the same: ``f"{value:+z.0f}"``.
    """
    return round(value, digits) + 0.0
