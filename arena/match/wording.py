"""Format a number with a noun."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, for example ``1 turn`` or ``2 turns``. The plural adds an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
