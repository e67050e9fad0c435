"""The named ways in which a match ends for a player."""

from __future__ import annotations

from typing import Literal

Ending = Literal[
    "won",
    "lost",
    "drawn",
    "timed_out",
    "crashed",
    "no_start",
    "bad_message",
    "out_of_memory",
    "refused_too_often",
    "void",
]

REGULAR = ("won", "lost", "drawn")
"""Endings of players who played to the end of the game or of the match."""

MEANINGS: dict[str, str] = {
    "won": "won by the rules of the game, or because the other one failed",
    "lost": "lost by the rules of the game",
    "drawn": "neither won nor lost",
    "timed_out": "did not answer within its time",
    "crashed": "its program ended before the match did",
    "no_start": "its program never got as far as the first turn",
    "bad_message": "sent something that the protocol does not allow",
    "out_of_memory": "its program was ended because it used more memory than allowed",
    "refused_too_often": "submitted more illegal actions in one turn than allowed",
    "void": "the match does not count, through no fault of this player",
}
