"""Read whole numbers in texts from outside."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[0-9]{1,15}")


def whole_number(text: str) -> int | None:
    """Return the number that a text writes with 1 to 15 decimal digits in ASCII; None for all other texts.

    `int` is less strict: it also accepts signs, underscores, spaces and the digits of other scripts.
    """
    return int(text) if _DIGITS.fullmatch(text) else None
