"""Write numbers and reasons in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, for example ``1 turn`` or ``2 turns``. The plural adds an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def reason_in_words(reason: str) -> str:
    """Return the first 80 characters of an outcome's reason in words.

    For example, return ``out of reach, by score`` for ``out_of_reach/score``.
    """
    return reason.replace("_", " ").replace("/", ", by ")[:80]
