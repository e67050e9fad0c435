"""Carry out the outputs of the state machine of a match, whatever is at the other ends of its seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arena.referee.clock import Reading
from arena.referee.match import Match
from arena.referee.outputs import Begin, Entry, HangUp, ReadClock, Send

Write = Callable[[Entry], None]


class SeatEnd(Protocol):
    """The other end of a seat: a program, or an object in this process."""

    def read_clocks(self) -> Reading:
        """Return the clocks of the seat."""

    def begin(self) -> None:
        """Start the player."""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the player. An object must copy what it keeps: the record and other seats share it."""

    def collect_stack(self) -> None:
        """Find out where the player's code is, because its time has run out."""

    def hang_up(self) -> None:
        """End the player's part in the match."""


def read_clocks(match: Match, ends: Sequence[SeatEnd]) -> None:
    """Read the clocks that the match waits for, and the stacks of those who are late. Call it before `hand_over`."""
    for output in list(match.outputs):  # a stack adds outputs: what the player printed
        if isinstance(output, HangUp) and output.late:
            ends[output.player].collect_stack()
        elif isinstance(output, ReadClock):
            match.outputs.remove(output)
            match.on_clock(output.player, ends[output.player].read_clocks())


def hand_over(match: Match, ends: Sequence[SeatEnd], write: Write | None) -> None:
    """Handle and remove all outputs, also those that a seat causes meanwhile. `write` gets the entries of a replay."""
    outputs = match.outputs
    while outputs:
        output = outputs.popleft()
        if isinstance(output, Send):
            ends[output.player].send(output.message)
        elif isinstance(output, Begin):
            ends[output.player].begin()
        elif isinstance(output, HangUp):
            ends[output.player].hang_up()
        elif isinstance(output, ReadClock):
            match.on_clock(output.player, ends[output.player].read_clocks())
        elif write is not None:
            write(output)
