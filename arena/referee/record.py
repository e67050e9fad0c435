"""Where a match writes what happened; the replay writer is one such place, a list in a test another."""

from __future__ import annotations

from typing import Any, Literal, Protocol

NoteKind = Literal["log", "draw", "stdout", "stderr"]


class Record(Protocol):
    """What the state machine of a match reports, in the order in which it happens."""

    def do(
        self, player: int, action: dict[str, Any], draws: list[Any], deltas: list[list[Any]], events: list[list[Any]]
    ) -> None:
        """An action was accepted; deltas and events are given for each stream."""

    def refuse(self, player: int, action: Any, code: str, message: str) -> None:
        """An action was refused."""

    def note(self, player: int, kind: NoteKind, payload: Any) -> None:
        """A player logged or drew something."""

    def turn(
        self, number: int, player: int, wall_us: int, cpu_us: int | None, bank_us: int | None, digest8: bytes
    ) -> None:
        """A player's part of a turn is over."""

    def seat(self, player: int, ending: str, detail: str) -> None:
        """Something other than an action happened to a player."""


class Memory:
    """A record that keeps everything in lists, for tests and for matches that nobody wants to see again.

    Attributes:
        entries: Tuples of the method's name and its arguments.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[Any, ...]] = []

    def do(
        self, player: int, action: dict[str, Any], draws: list[Any], deltas: list[list[Any]], events: list[list[Any]]
    ) -> None:
        """Keep an accepted action."""
        self.entries.append(("do", player, action, draws, deltas, events))

    def refuse(self, player: int, action: Any, code: str, message: str) -> None:
        """Keep a refusal."""
        self.entries.append(("refuse", player, action, code, message))

    def note(self, player: int, kind: NoteKind, payload: Any) -> None:
        """Keep a note."""
        self.entries.append(("note", player, kind, payload))

    def turn(
        self, number: int, player: int, wall_us: int, cpu_us: int | None, bank_us: int | None, digest8: bytes
    ) -> None:
        """Keep the end of a turn."""
        self.entries.append(("turn", number, player, wall_us, cpu_us, bank_us, digest8))

    def seat(self, player: int, ending: str, detail: str) -> None:
        """Keep what happened to a player."""
        self.entries.append(("seat", player, ending, detail))


class Silence:
    """A record for matches that leave no replay."""

    def do(
        self, player: int, action: dict[str, Any], draws: list[Any], deltas: list[list[Any]], events: list[list[Any]]
    ) -> None:
        """Forget an accepted action."""

    def refuse(self, player: int, action: Any, code: str, message: str) -> None:
        """Forget a refusal."""

    def note(self, player: int, kind: NoteKind, payload: Any) -> None:
        """Forget a note."""

    def turn(
        self, number: int, player: int, wall_us: int, cpu_us: int | None, bank_us: int | None, digest8: bytes
    ) -> None:
        """Forget the end of a turn."""

    def seat(self, player: int, ending: str, detail: str) -> None:
        """Forget what happened to a player."""
