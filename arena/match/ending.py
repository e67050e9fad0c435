"""The endings: the ways in which a match can end for one player."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Ending = Literal[
    "won",
    "lost",
    "drawn",
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

REGULAR = frozenset({"won", "lost", "drawn"})
"""Endings of players who did not fail."""

CRASHES: frozenset[Ending] = frozenset({"crashed", "no_start", "no_build", "out_of_memory"})
"""Endings of bots whose program crashed, used too much memory, did not start or could not be built."""

HOST_LATE = "host_late"
"""The reason of a match that is void because the machine was too slow, not the player."""

KILLED = "killed_from_outside"
"""The reason of a match that is void because another program killed the sandbox of a bot."""

CAUSES: dict[str, Ending] = {HOST_LATE: "timed_out", KILLED: "crashed"}
CAUSES.update((ending, ending) for ending in CRASHES)
"""The ending of the failed player, by the reason of a void match. `MatchResult.without_void` uses it."""


def is_void(endings: Iterable[str]) -> bool:
    """Return whether a match with these endings of its players is void, that is, has no result.

    A void match has no winner and no loser, and is no draw. It gives nobody points. It counts in no column of games, in
    no head-to-head, in no skill and in no rating. A schedule goes on as after a game without points: a tied knockout
    has more games, for example. All code that counts results asks this function, or `MatchResult.has_verdict`.

    Args:
        endings: The endings of all players. A player who failed before the match became void keeps their ending.
    """
    return "void" in endings


def in_words(ending: str, place: str) -> str:
    """Return how a match ended for a player: the ending, the place, or both. `place` is empty for two players."""
    if not place:
        return ending
    return place if ending in REGULAR else f"{ending}, {place}"


MEANINGS: dict[str, str] = {
    "won": "won by the rules of the game, or because the others failed",
    "lost": "lost by the rules of the game",
    "drawn": "neither won nor lost; with more than two players, shared the first place",
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
