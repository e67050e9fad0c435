"""How much of the record one player may fill: with logs and drawings, and with refused actions."""

from __future__ import annotations

from typing import Literal

from arena.match.policy import Policy

REFUSAL_BYTES_PER_TURN = 8_192
"""Further refused actions of a turn are counted, not recorded."""
REFUSAL_OVERHEAD = 64
"""Bytes that a refusal costs besides its action."""
MATCH_NOTE_BYTES = 4 * 1024 * 1024
"""Bytes of logs and drawings that are recorded in one match, shared equally by its players.

A file holds `arena_replays.limits.MAX_WRITTEN_NOTES`: the rest is for the outputs of the programs.
"""
NOTE_OVERHEAD = 16
"""Bytes that a note takes in the record besides its content."""
MATCH_REFUSAL_BYTES = 512 * 1024


class RecordShare:
    """What is left of one player's share of the record: of a turn, of an answer, and of the match.

    Args:
        policy: The limits of a turn and of an answer.
        players: How many players share the record.
    """

    __slots__ = ("_bytes", "_match_bytes", "_match_refusals", "_notes", "_policy", "_refusals", "_with_answer")

    def __init__(self, policy: Policy, players: int) -> None:
        self._policy = policy
        self._notes = self._bytes = self._refusals = self._with_answer = 0
        self._match_bytes = MATCH_NOTE_BYTES // players
        self._match_refusals = MATCH_REFUSAL_BYTES

    def start_turn(self) -> None:
        """Restore the limits of a turn."""
        self._notes = self._policy.notes_per_turn
        self._bytes = self._policy.note_bytes_per_turn
        self._refusals = REFUSAL_BYTES_PER_TURN

    def start_answer(self) -> None:
        """Restore the limit of an answer."""
        self._with_answer = 0

    def is_flood(self) -> bool:
        """Count one more note, and return whether there are too many for one answer."""
        self._with_answer += 1
        return self._with_answer > self._policy.notes_per_request

    def spend(self, size: int) -> Literal["keep", "last", "drop"]:
        """Return what to do with a note of this many bytes. A line about dropped notes replaces the last one."""
        if self._notes <= 0:
            return "drop"
        self._notes -= 1
        self._bytes -= size
        self._match_bytes -= size + NOTE_OVERHEAD
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
