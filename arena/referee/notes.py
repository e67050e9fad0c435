"""How much of the record one player may fill: with logs and drawings, and with refused actions."""

from __future__ import annotations

from typing import Literal

from arena.match.policy import Policy

REFUSAL_BYTES_PER_TURN = 8_192
"""Further refused actions of a turn are counted, not recorded."""
REFUSAL_OVERHEAD = 64
"""Bytes that a refusal costs besides its action."""
MATCH_NOTE_BYTES = 4 * 1024 * 1024
"""Bytes of logs and drawings that are recorded of one player in one match."""
MATCH_REFUSAL_BYTES = 512 * 1024


class NoteBudget:
    """What is left of one player's share of the record: of a turn, with one answer, and of the match.

    Args:
        policy: The limits of a turn and of an answer.
    """

    __slots__ = ("_bytes", "_match_bytes", "_match_refusals", "_notes", "_policy", "_refusals", "_with_answer")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._notes = self._bytes = self._refusals = self._with_answer = 0
        self._match_bytes = MATCH_NOTE_BYTES
        self._match_refusals = MATCH_REFUSAL_BYTES

    def new_turn(self) -> None:
        """Restore the limits of a turn."""
        self._notes = self._policy.notes_per_turn
        self._bytes = self._policy.note_bytes_per_turn
        self._refusals = REFUSAL_BYTES_PER_TURN

    def answered(self) -> None:
        """Restore the limit of an answer: the one that the notes preceded has come."""
        self._with_answer = 0

    def is_flood(self) -> bool:
        """Count one more note, and return whether there are too many for one answer."""
        self._with_answer += 1
        return self._with_answer > self._policy.notes_per_request

    def spend(self, size: int) -> Literal["keep", "last", "drop"]:
        """Return what to do with a note of this many bytes; in place of the last, a line reports that more came."""
        if self._notes <= 0:
            return "drop"
        self._notes -= 1
        self._bytes -= size
        self._match_bytes -= size
        if self._notes == 0 or self._bytes < 0 or self._match_bytes < 0:
            self._notes = 0
            return "last"
        return "keep"

    def keeps_refusal(self, size: int) -> bool:
        """Return whether one more refused action, of this many bytes, is recorded."""
        self._refusals -= size + REFUSAL_OVERHEAD
        if self._refusals < 0:
            return False
        self._match_refusals -= size + REFUSAL_OVERHEAD
        return self._match_refusals >= 0
