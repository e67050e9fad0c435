"""The outputs of the state machine of a match: tasks for the host, and entries for the replay.

The host carries them out in their order, with one exception: clocks are read first (`ReadClock`), so that no program
sees a message before its time runs.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from arena.match.limits import Policy
from arena_player.wire.limits import LOG_TEXT

Printed = Literal["stdout", "stderr"]
NoteKind = Literal["log", "draw"] | Printed


class ReadClock(NamedTuple):
    """Read the clocks of a seat and pass them to `Match.on_clock`, before the host handles any other output."""

    player: int


class Begin(NamedTuple):
    """Start the program of a seat, if it waits in a sandbox. Without a sandbox, the program already runs."""

    player: int


class Send(NamedTuple):
    player: int
    message: dict[str, Any]


class HangUp(NamedTuple):
    """Close a seat's connection and kill its program.

    If the program's time ran out (`late`), first let the program print its stack.
    """

    player: int
    late: bool = False


class ActionEntry(NamedTuple):
    """An accepted action, with the deltas and events for each stream of the replay."""

    player: int
    action: dict[str, Any]
    draws: list[Any]
    deltas: list[list[Any]]
    events: list[list[Any]]


class LeaveEntry(NamedTuple):
    """A player left the game. The changes have the same form as in an `ActionEntry`."""

    player: int
    draws: list[Any]
    deltas: list[list[Any]]
    events: list[list[Any]]


class RefusalEntry(NamedTuple):
    player: int
    action: Any
    code: str
    message: str


class NoteEntry(NamedTuple):
    """A log text, a drawing or printed lines of a bot. If `late`, the bot printed the lines after its last turn."""

    player: int
    kind: NoteKind
    payload: Any
    late: bool = False


class TurnEntry(NamedTuple):
    """A turn that has ended, for one player: time used, bank, and 8 bytes of the state's digest after the turn."""

    number: int
    player: int
    wall_us: int
    cpu_us: int | None
    bank_us: int | None
    digest8: bytes


class SeatEntry(NamedTuple):
    """An event that concerns a player but is not an action, such as a time-out.

    If the turn was only `skipped`, the referee has finished it, and the program plays on.
    """

    player: int
    ending: str
    detail: str
    skipped: bool = False


Entry = ActionEntry | LeaveEntry | RefusalEntry | NoteEntry | TurnEntry | SeatEntry
Output = ReadClock | Begin | Send | HangUp | Entry


# Divide a long text into notes.

LOGS = 30
"""The most notes of one text: the record of a turn keeps about as much."""


def notes_of(text: str) -> list[str]:
    """Return the parts of a text that fit into notes. They end where lines end, if lines are not too long.

    Of a text that has too many parts, the middle is left out.
    """
    parts: list[str] = []
    while text:
        end = len(text) if len(text) <= LOG_TEXT else text.rfind("\n", 0, LOG_TEXT) + 1 or LOG_TEXT
        parts.append(text[:end])
        text = text[end:]
    if len(parts) > LOGS:
        parts = [*parts[: LOGS // 2], "(a part is left out)", *parts[-LOGS // 2 :]]
    return parts


# Limit the bytes of notes (log texts and drawings) and of refused actions that one player adds to the replay.

REFUSAL_BYTES_PER_TURN = 8_192
"""Bytes of a player's refused actions that are recorded in one turn. Further refused actions are only counted.

Enough for 14 refusals of the largest size, or for about 80 ordinary ones: more is no help in finding the mistake.
"""
REFUSAL_OVERHEAD = 64
"""Bytes of a refusal in the replay besides its action."""
MATCH_NOTE_BYTES = 4 * 1024 * 1024
"""The limit of recorded log texts and drawings in one match, in bytes. Each player has an equal share.

The rest of `arena_replays.limits.MAX_WRITTEN_NOTES` is for the output of the programs.
"""
LINE_OVERHEAD = 16
"""Bytes that each line of a note counts in the match besides its content, as if it were a note of its own.

A page that shows the notes needs about as much for an empty line as for a note.
"""
MATCH_REFUSAL_BYTES = 512 * 1024
"""The limit of one player's recorded refusals in one match, in bytes: 64 turns that use up their share."""


class RecordShare:
    """Counts the notes and bytes that one player can still add to the replay: in an answer, a turn and the match."""

    __slots__ = ("_bytes", "_match_bytes", "_match_refusals", "_notes", "_notes_with_answer", "_refusals", "policy")

    def __init__(self, policy: Policy, players: int) -> None:
        self.policy = policy
        self._notes = self._bytes = self._refusals = self._notes_with_answer = 0
        self._match_bytes = MATCH_NOTE_BYTES // players
        self._match_refusals = MATCH_REFUSAL_BYTES

    def start_turn(self) -> None:
        self._notes = self.policy.notes_per_turn
        self._bytes = self.policy.note_bytes_per_turn
        self._refusals = REFUSAL_BYTES_PER_TURN

    def start_answer(self) -> None:
        self._notes_with_answer = 0

    def is_flood(self) -> bool:
        """Count one more note, and return whether the answer has too many."""
        self._notes_with_answer += 1
        return self._notes_with_answer > self.policy.notes_per_request

    def spend(self, size: int, lines: int) -> Literal["keep", "last", "drop"]:
        """Count one more note of this size. Return whether to record it ("keep") or not ("last" or "drop").

        "last" also means: record a line that says that notes were dropped.
        """
        if self._notes <= 0:
            return "drop"
        self._notes -= 1
        self._bytes -= size
        self._match_bytes -= size + lines * LINE_OVERHEAD
        if self._notes == 0 or self._bytes < 0 or self._match_bytes < 0:
            self._notes = 0
            return "last"
        return "keep"

    def keeps_refusal(self, size: int) -> bool:
        self._refusals -= size + REFUSAL_OVERHEAD
        if self._refusals < 0:
            return False
        self._match_refusals -= size + REFUSAL_OVERHEAD
        return self._match_refusals >= 0

    def has_room_for_refusal(self, size: int) -> bool:
        """Return whether a refused action of this size would be recorded."""
        return min(self._refusals, self._match_refusals) >= size + REFUSAL_OVERHEAD
