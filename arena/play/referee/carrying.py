"""Carry out the outputs of the state machine of a match, whatever is at the other ends of its seats.

The host, matches in memory, checks of clients and reruns all use these two functions: none has an order of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arena.play.referee.clock import Reading
from arena.play.referee.match import Match
from arena.play.referee.outputs import Begin, Entry, HangUp, ReadClock, Send
from arena_player.wire import PROTOCOL

Write = Callable[[Entry], None]
Message = dict[str, Any]
NO_TIME = Reading(0.0)
HELLO: Message = {"type": "hello", "protocol": PROTOCOL, "client": "", "schema": None, "legal_actions": False}
"""What a player says who is an object in this process."""


class SeatEnd(Protocol):
    """The other end of a seat: a program, or an object in this process."""

    def read_clocks(self) -> Reading:
        """Return the clocks of the seat."""

    def begin(self) -> None:
        """Start the player."""

    def send(self, message: Message) -> None:
        """Send a message to the player. An object must copy what it keeps: the record and other seats share it."""

    def collect_stack(self) -> None:
        """Find out where the player's code is, because its time has run out."""

    def hang_up(self) -> None:
        """End the player's part in the match."""


def read_clocks(match: Match, seat_ends: Sequence[SeatEnd]) -> None:
    """Read the clocks that the match waits for, and the stacks of those who are late. Call it before `hand_over`.

    The `HangUp` of a late player is before the `ReadClock` of the next one. So waiting for a stack is nobody's time.
    """
    for output in list(match.outputs):  # a stack adds outputs: what the player printed
        if isinstance(output, HangUp) and output.late:
            seat_ends[output.player].collect_stack()
        elif isinstance(output, ReadClock):
            match.outputs.remove(output)
            match.on_clock(output.player, seat_ends[output.player].read_clocks())


def hand_over(match: Match, seat_ends: Sequence[SeatEnd], write: Write | None) -> None:
    """Handle and remove all outputs, also those that a seat causes meanwhile. `write` gets the entries of a replay."""
    outputs = match.outputs
    while outputs:
        output = outputs.popleft()
        if isinstance(output, Send):
            seat_ends[output.player].send(output.message)
        elif isinstance(output, Begin):
            seat_ends[output.player].begin()
        elif isinstance(output, HangUp):
            seat_ends[output.player].hang_up()
        elif isinstance(output, ReadClock):
            match.on_clock(output.player, seat_ends[output.player].read_clocks())
        elif write is not None:
            write(output)


class Resident:
    """The end of a seat whose player is an object in this process. It answers at once, so it takes no time.

    Args:
        choose: Returns the actions for a message in which it is the player's move; None for no answer.
    """

    def __init__(self, match: Match, player: int, choose: Callable[[Message], list[Message] | None]) -> None:
        self._match = match
        self._player = player
        self._choose = choose

    def read_clocks(self) -> Reading:
        return NO_TIME

    def begin(self) -> None:
        self._say(HELLO)

    def send(self, message: Message) -> None:
        if message["type"] == "start":
            self._say({"type": "ready", "seq": message["seq"]})
        elif message["type"] == "turn" or message.get("your_move"):
            actions = self._choose(message)
            if actions is not None:
                self._say({"type": "act", "seq": message["seq"], "actions": actions})

    def collect_stack(self) -> None:
        """Do nothing. It is never late."""

    def hang_up(self) -> None:
        """Do nothing. The state machine asks it no more."""

    def _say(self, message: Message) -> None:
        self._match.on_message(self._player, message, NO_TIME)
