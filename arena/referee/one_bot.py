"""Run a match with one real bot. The actions of all other players come from this process."""

from __future__ import annotations

import json
import select
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from arena.bots.exits import Exit
from arena.bots.launch import launch
from arena.referee.clock import Reading
from arena.referee.outputs import Begin, HangUp, ReadClock, Send
from arena.referee.prepared import packages_of
from arena.referee.seat_connection import SeatConnection
from arena.referee.seat_link import PeerError, SeatLink
from arena_player import wire

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.game import GameSpec
    from arena.match.limits import Limits
    from arena.referee.match import Match

LONGEST_EXIT = 2.0
"""A program that has not ended this many seconds after the match is killed."""
LOOK = 0.05
"""The longest time between two readings of the clocks, in seconds."""


class OneBot:
    """Connects one bot with the state machine of a match. Subclasses define what the other players do.

    Attributes:
        exit: How the program ended; None before the end of `run`, or if the program had to be killed after the match.
    """

    def __init__(self, bot: Bot, player: int, game: GameSpec, match: Match, limits: Limits) -> None:
        self.player = player
        self.match = match
        self.last_sent = ""
        self.exit: Exit | None = None
        self.hung_up = False
        self._bot = bot
        self._game = game
        self._limits = limits

    def run(
        self, *, sandbox: str = "auto", terminal: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start the bot and play until the match is over. Kill the program if it does not end within `LONGEST_EXIT`."""
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="arena-"))
            link = SeatLink(Path(folder, "seat.sock"), wire.limits.CLIENT_BYTES)
            stack.callback(link.close)
            process = launch(
                self._bot,
                seat=0,
                socket=link.path,
                limits=self._limits,
                sandbox=sandbox,
                packages=packages_of(self._game),
                environment=environment,
                terminal=terminal,
                hold=True,
            )
            stack.callback(process.close)
            self._seat = SeatConnection(link, process)
            self.match.start_next()
            self._carry_out()
            while not self.match.over and not self.hung_up:
                self._wait(LOOK)
                self._carry_out()
            self._seat.wait_for_end(time.monotonic() + LONGEST_EXIT)
            self.exit = process.poll()
            process.kill()

    def hang_up(self) -> None:
        """Close the connection without a message, as happens when the referee dies."""
        self.hung_up = True
        self._seat.link.close()

    def listen(self, seconds: float) -> None:
        """Process messages for some seconds. Any message of the bot in this time is a violation."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.match.over:
            self._wait(LOOK)

    @property
    def wrong(self) -> str:
        """The bot's mistake in the match; empty if it made none."""
        seat = self.match.seats[self.player]
        return "" if seat.failure is None else f"{seat.failure[0]}: {seat.failure[1]}"

    @property
    def output(self) -> str:
        return self._seat.process.stdout.text()

    @property
    def error_output(self) -> str:
        return self._seat.process.stderr.text()

    # -- what subclasses change ----------------------------------------------------------------------

    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the messages to send to the bot instead of a message of the referee."""
        return [message]

    def incoming(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message that the referee processes instead of a message of the bot."""
        return message

    def answer(self, player: int, message: dict[str, Any]) -> None:
        """Process a message of the referee to a player that is not the bot."""

    def reading(self, player: int) -> Reading:
        return self._seat.read_clocks() if player == self.player else Reading(time.monotonic())

    def check_time(self) -> None:
        self.match.on_time(self.player, self.reading(self.player))

    # -- the loop ------------------------------------------------------------------------------------

    def _carry_out(self) -> None:
        outputs = self.match.outputs
        while outputs and not self.hung_up:
            output = outputs.popleft()
            if isinstance(output, ReadClock):
                self.match.on_clock(output.player, self.reading(output.player))
            elif isinstance(output, Begin):
                self._begin(output.player)
            elif isinstance(output, HangUp) and output.player == self.player:
                self._hang_up_for(output)
            elif isinstance(output, Send) and output.player == self.player:
                for message in self.outgoing(output.message):
                    self._send(message)
            elif isinstance(output, Send):
                self.answer(output.player, output.message)

    def _begin(self, player: int) -> None:
        if player == self.player:
            self._began = self._seat.read_clocks()
            self._seat.process.release()
        else:
            hello = {"type": "hello", "protocol": wire.PROTOCOL, "client": "", "schema": None, "legal_actions": False}
            self.match.on_message(player, hello, self.reading(player))

    def _hang_up_for(self, output: HangUp) -> None:
        if output.late:
            self._seat.collect_stack()
        self._seat.link.close()
        self._seat.process.kill()

    def _send(self, message: dict[str, Any]) -> None:
        self.last_sent = json.dumps(message, default=str)
        if self._seat.link.closed:
            return
        try:
            self._seat.link.send(wire.pack(message, trusted=True))
        except PeerError as error:
            self.match.on_violation(self.player, str(error))
        if message["type"] == "refused":
            self.hung_up = True

    def _wait(self, seconds: float) -> None:
        """Wait up to some seconds for a message or the end of the bot. Process all events, output and time limits."""
        link, process = self._seat.link, self._seat.process
        poller = select.poll()
        if not link.closed:
            poller.register(link.fileno(), select.POLLIN | (select.POLLOUT if link.wants_to_write else 0))
        poller.register(process.pidfd, select.POLLIN)
        if not link.read_ahead:
            poller.poll(seconds * 1000)
        process.stdout.drain()
        process.stderr.drain()
        if not link.connected:
            link.accept()
        link.flush()
        try:
            while not link.closed and not self.match.over and (data := link.receive()) is not None:
                self._take(wire.unpack(data))
        except (PeerError, wire.WireError) as error:
            self.match.on_violation(self.player, f"sent a message that breaks the protocol: {error}")
        if self.hung_up:  # from now on, the end of the program is no mistake
            return
        if (ending := process.poll()) is not None:
            self.match.on_exit(self.player, "out_of_memory" if ending.out_of_memory else "crashed", ending.reason)
        self.check_time()

    def _take(self, message: dict[str, Any]) -> None:
        self.match.on_message(self.player, self.incoming(message), self.reading(self.player))
        self._carry_out()
