"""The outputs of the state machine of a match: tasks for the host, and entries for the replay."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

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
