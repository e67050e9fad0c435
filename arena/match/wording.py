"""Words for numbers."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, for example ``1 turn`` or ``2 turns``. The plural is made with an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
