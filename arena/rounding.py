"""Round numbers for people."""

from __future__ import annotations


def rounded(value: float, digits: int) -> float:
    """Return a rounded number. A small negative number becomes 0.0, and not -0.0 as with `round`.

    In an f-string, the option z does the same: ``f"{value:+z.0f}"``.
    """
    return round(value, digits) + 0.0
