"""The endings: the ways in which a match can end for one player, and how they are said.

An ending is the verdict of the rules, or the failure that took the player out of the match. It is not a rank: with more
than two players, several lose, and the result of the match has their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

__all__ = ["REGULAR", "counted"]

Ending = Literal[
    "won",
    "lost",
    "drawn",
    "finished",
    "timed_out",
    "crashed",
    "no_start",
    "no_build",
    "bad_message",
    "out_of_memory",
    "refused_too_often",
    "resigned",
    "void",
]

REGULAR = frozenset({"won", "lost", "drawn", "finished"})
"""Endings of players who did not fail."""

CRASHES: frozenset[Ending] = frozenset({"crashed", "no_start", "no_build", "out_of_memory"})
"""Endings of bots whose program crashed, used too much memory, did not start or could not be built."""

NO_PROGRAM: frozenset[Ending] = frozenset({"no_start", "no_build"})
"""Endings of bots whose program never came to the first turn."""

FAILURES: frozenset[str] = frozenset(get_args(Ending)) - REGULAR - {"void"}
"""Endings of players who failed or gave up. When a match is ``void``, `arena.match.void` says."""


def column_of(ending: str, verdict: str) -> str:
    """Return the column in which a match counts for a player: each match in one of them.

    Args:
        verdict: The verdict of the rules: ``won``, ``drawn``, ``lost`` or ``finished``.
    """
    if ending == "void":
        return ending
    if ending in FAILURES:
        return "lost_by_form"
    return "lost_by_play" if verdict == "lost" else verdict


def ending_and_place(ending: str, place: str) -> str:
    """Return what a table shows: the place of a player who did not fail, otherwise the ending, and the place if any."""
    if not place:
        return ending
    return place if ending in REGULAR else f"{ending}, {place}"


_PHRASES: dict[str, str] = {
    "drawn": "draw",
    "timed_out": "ran out of time",
    "no_start": "did not start",
    "no_build": "could not be built",
    "bad_message": "sent a bad message",
    "out_of_memory": "ran out of memory",
    "refused_too_often": "was refused too often",
}


def ending_phrase(ending: str) -> str:
    """Return an ending as it is said of a player in a sentence, such as "ran out of time"."""
    return _PHRASES.get(ending, ending)


MEANINGS: dict[str, str] = {
    "won": "won by the rules of the game, or because the others failed",
    "lost": "lost by the rules of the game",
    "drawn": "neither won nor lost; with more than two players, shared the first place",
    "finished": "played a cooperative game to its end; the common score is the result",
    "timed_out": "did not answer within its time",
    "crashed": "its program ended before the match did",
    "no_start": "its program never reached the first turn",
    "no_build": "its program could not be built from its sources",
    "bad_message": "sent something that the protocol does not allow",
    "out_of_memory": "its program was ended because it used more memory than allowed",
    "refused_too_often": "submitted more illegal actions in one turn than allowed",
    "resigned": "gave the match up",
    "void": "the match does not count, through no fault of this player",
}


# Numbers, reasons and names in words.


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
