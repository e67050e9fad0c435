"""What bots print: read as it comes, noted where it belongs, and cheap however they print it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from arena.bots.capture import Capture
from arena.referee.chair import Chair
from arena.referee.record import NoteKind
from arena.referee.watch import Watch

MUTE_SECONDS = 0.01
"""For how long a bot's output is left in its pipe after each look; one that prints byte by byte would keep us busy."""

Note = Callable[[int, NoteKind, Any], None]


class Outputs:
    """Reads stdout and stderr of all seats.

    Args:
        chairs: The seats.
        watch: The loop's poller.
        note: Called with a player, ``stdout`` or ``stderr``, and whole lines.

    Attributes:
        muted_until: When to look again at those that were looked at just now; None if there are none.
    """

    def __init__(self, chairs: list[Chair], watch: Watch, note: Note) -> None:
        self.muted_until: float | None = None
        self._chairs = chairs
        self._watch = watch
        self._note = note
        self._muted: set[int] = set()

    def add(self, player: int) -> None:
        """Begin to watch a seat whose program was started."""
        for _, output in self._open(player):
            self._watch.add(output.fileno(), self._on_ready, player)

    def catch_up(self, player: int) -> None:
        """Read what a muted seat has printed: what came before an action belongs before it."""
        if player in self._muted:
            self.drain(player)

    def drain(self, player: int) -> None:
        """Read what is there."""
        for kind, output in self._open(player):
            descriptor = output.fileno()
            output.drain()
            if output.closed:
                self._watch.remove(descriptor)
            text = output.take()
            if text:
                self._note(player, kind, text)

    def unmute(self) -> None:
        """Watch all seats again."""
        self.muted_until = None
        for player in sorted(self._muted):
            self.add(player)
        self._muted.clear()

    def _on_ready(self, player: int) -> None:
        if player not in self._muted:
            self._muted.add(player)
            for _, output in self._open(player):
                self._watch.remove(output.fileno())
            self.muted_until = self.muted_until or time.monotonic() + MUTE_SECONDS
        self.drain(player)

    def _open(self, player: int) -> list[tuple[NoteKind, Capture]]:
        process = self._chairs[player].process
        if process is None:
            return []
        both: tuple[tuple[NoteKind, Capture], ...] = (("stdout", process.stdout), ("stderr", process.stderr))
        return [(kind, output) for kind, output in both if output.fileno() >= 0]
