"""The referee of a match in memory: the state machine, and what it needs from this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.match.ending import Ending
from arena.play.memory.choices import as_sent
from arena.play.memory.notes import Note
from arena.play.memory.watch import Watch
from arena.play.referee.carrying import NO_TIME, SeatEnd, Write, hand_over, read_clocks
from arena.play.referee.clock import Reading
from arena.play.referee.match import Match
from arena.play.referee.outputs import Entry, NoteEntry, Printed
from arena_player.wire import WireError, check, unpack


class Referee:
    """Gives the messages of the players to the state machine, and carries out what it wants.

    Args:
        write: Called with each entry of the record; None if nothing is recorded.
        clock: Returns the time in seconds; None if no time passes.
        watch: Learns whose code runs; None if nobody asks.
        copies: Whether messages are copied. Without copies, players share lists with each other and with the rules, and
            a message can be longer than one that travels.

    Attributes:
        seat_ends: The seats, in the order of players. They need the referee, so the match sets them later.
        notes: What players said so far.
    """

    def __init__(
        self,
        match: Match,
        write: Write | None = None,
        clock: Callable[[], float] | None = None,
        watch: Watch | None = None,
        *,
        copies: bool = True,
    ) -> None:
        self.match = match
        self.watch = watch
        self.copies = copies
        self.seat_ends: Sequence[SeatEnd] = ()
        self._fault: Exception | None = None
        self.notes: list[Note] = []
        self._write = write
        self._clock = clock

    def read_clock(self) -> Reading:
        return NO_TIME if self._clock is None else Reading(self._clock())

    def carry_out(self) -> None:
        match = self.match
        try:
            while match.outputs:
                read_clocks(match, self.seat_ends)
                hand_over(match, self.seat_ends, self._record)
        except Exception as error:
            self._fault = error
            raise

    def _record(self, entry: Entry) -> None:
        if isinstance(entry, NoteEntry):
            turn = self.match.seats[entry.player].clock.turn
            self.notes.append(Note(entry.player, turn, entry.kind, entry.payload))
        if self._write is not None:
            self._write(entry)

    def receive(self, player: int, message: dict[str, Any]) -> None:
        """Handle a message of a player.

        Raises:
            WireError: The player's end of a connection would not send the message.
            Exception: The rules or the referee failed. `take_fault` returns the exception, since a bot could catch it.
        """
        sent = as_sent(message) if self.copies else check(message, "client")
        try:
            try:
                received = sent if isinstance(sent, dict) else unpack(sent)
                self.match.on_message(player, received, self.read_clock())
            except WireError as error:
                self.match.on_violation(player, f"sent a message that breaks the protocol: {error}")
            self.carry_out()
        except Exception as error:
            self._fault = error
            raise

    def is_at_fault(self, error: BaseException) -> bool:
        """Return whether an exception is one of the rules or the referee."""
        return error is self._fault

    def take_fault(self) -> Exception | None:
        """Return and forget an exception of the rules or the referee; None if there was none."""
        fault, self._fault = self._fault, None
        return fault

    def connect(self, player: int) -> None:
        self.match.on_connection(player)

    def end(self, player: int, ending: Ending, detail: str) -> None:
        """Handle the end of a player's code."""
        self.match.on_exit(player, ending, detail)
        self.carry_out()

    def print(self, player: int, kind: Printed, text: str) -> None:
        if text:
            self.match.on_printed(player, kind, text)
            self.carry_out()
