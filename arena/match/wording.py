"""Write numbers and reasons in words."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, for example ``1 turn`` or ``2 turns``. The plural adds an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def reason_in_words(reason: str) -> str:
    """Return the first 80 characters of an outcome's reason in words.

    For example, return ``out of reach, by score`` for ``out_of_reach/score``.
    """
    return reason.replace("_", " ").replace("/", ", by ")[:80]


def distinct_names(names: Sequence[str], signs: Sequence[str], folders: Sequence[str] = ()) -> list[str]:
    """Return distinct names. Equal names become the names of the bots' folders, or else ``NAME (SIGN)``.

    If the result still contains equal names, all names get their signs.

    Args:
        folders: The names of the bots' folders; an empty text for a bot without one.
    """
    if folders:
        renamed = [folder if names.count(name) > 1 else name for name, folder in zip(names, folders, strict=True)]
        if len({name for name in renamed if name}) == len(names):
            return renamed
    signed = [f"{name} ({sign})" for name, sign in zip(names, signs, strict=True)]
    short = [with_sign if names.count(name) > 1 else name for name, with_sign in zip(names, signed, strict=True)]
    return short if len(set(short)) == len(short) else signed
