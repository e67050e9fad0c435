"""How much a player may log and draw."""

from __future__ import annotations

from typing import Literal

from arena.match.policy import Policy


class NoteBudget:
    """What is left of one player's notes, in a turn and with one answer.

    Args:
        policy: Says how much there is.
    """

    __slots__ = ("_bytes", "_notes", "_policy", "_with_answer")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._notes = self._bytes = self._with_answer = 0

    def new_turn(self) -> None:
        """A turn begins: the budget is whole again."""
        self._notes = self._policy.notes_per_turn
        self._bytes = self._policy.note_bytes_per_turn

    def answered(self) -> None:
        """The answer came that the notes had preceded."""
        self._with_answer = 0

    def is_flood(self) -> bool:
        """Count one more note, and tell whether there are too many for one answer."""
        self._with_answer += 1
        return self._with_answer > self._policy.notes_per_request

    def spend(self, size: int) -> Literal["keep", "last", "drop"]:
        """Tell what becomes of a note of this many bytes; in place of the last, a line says that more were dropped."""
        if self._notes <= 0:
            return "drop"
        self._notes -= 1
        self._bytes -= size
        if self._notes == 0 or self._bytes < 0:
            self._notes = 0
            return "last"
        return "keep"
