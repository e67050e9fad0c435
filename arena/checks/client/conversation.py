"""A match of a real bot against random players in this process. A scenario changes the messages to the bot."""

from __future__ import annotations

import json
import select
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from arena.bots.bot import Bot
from arena.bots.exits import Exit
from arena.bots.launch import launch
from arena.game import Clock, GameSpec, Seeded
from arena.game.options import OptionValues
from arena.match.job import SeatAssignment
from arena.match.limits import Limits
from arena.match.policy import Policy
from arena.referee.clock import Reading
from arena.referee.match import Match
from arena.referee.outputs import Begin, HangUp, ReadClock, Send
from arena.referee.prepared import packages_of
from arena.referee.seat_connection import SeatConnection
from arena.referee.seat_link import PeerError, SeatLink
from arena_player import wire

if TYPE_CHECKING:
    from arena.checks.client.scenarios import Scenario

LONGEST_EXIT = 2.0
"""Seconds that the bot's program may take to exit after the match."""
LOOK = 0.05
"""Seconds between two readings of the clocks."""


class Conversation:
    """One match with the bot.

    Args:
        bot: The bot.
        game: The game.
        options: Resolved options.
        clock: The time limits.
        limits: The resource limits of the bot.
        scenario: Changes the messages of this match.

    Attributes:
        match: The state machine.
        player: The bot's player.
        last_sent: The last message to the bot, as text for the report.
        exit: How the bot's program exited; None if it was killed.
        startup: Seconds from the start of the program to its ``ready``: CPU time if measured, else wall time.
    """

    def __init__(
        self, bot: Bot, game: GameSpec, options: OptionValues, clock: Clock, limits: Limits, scenario: Scenario
    ) -> None:
        self.player = scenario.player
        self.scenario = scenario
        self.last_sent = ""
        self.exit: Exit | None = None
        self.startup = 0.0
        self._bot = bot
        self._game = game
        self._limits = limits
        self._random = Random(scenario.name)
        self._hung_up = False
        players = game.players_in(options)
        names = [bot.name if player == self.player else f"random {player + 1}" for player in range(players)]
        self.match = Match(
            game,
            game.start(options, Seeded("client check")),
            [SeatAssignment("", name) for name in names],
            Seeded(scenario.name),
            clock,
            Policy(),
            recorded=False,
            at_once=True,
            bot_seeds=[f"{player:032x}" for player in range(players)],
        )

    def run(self) -> None:
        """Start the bot and play until the match is over and the program has ended.

        Raises:
            ArenaError: The bot cannot be started on this machine.
        """
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="arena-"))
            link = SeatLink(Path(folder, "seat.sock"), wire.limits.CLIENT_BYTES)
            stack.callback(link.close)
            process = launch(
                self._bot,
                seat=0,
                socket=link.path,
                limits=self._limits,
                packages=packages_of(self._game),
                hold=True,
            )
            stack.callback(process.close)
            self._seat = SeatConnection(link, process)
            self.match.start_next()
            self._carry_out()
            while not self.match.over and not self._hung_up:
                self._wait(LOOK)
                self._carry_out()
            self._seat.wait_for_end(time.monotonic() + LONGEST_EXIT)
            self.exit = process.poll()
            process.kill()

    def hang_up(self) -> None:
        """Close the connection without sending ``over``, as if the referee had crashed."""
        self._hung_up = True
        self._seat.link.close()

    def listen(self, seconds: float) -> None:
        """Read messages for some seconds in which none should come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.match.over:
            self._wait(LOOK)

    @property
    def wrong(self) -> str:
        """What the bot did wrong in the match; empty if nothing."""
        seat = self.match.seats[self.player]
        return "" if seat.failure is None else f"{seat.failure[0]}: {seat.failure[1]}"

    @property
    def output(self) -> str:
        """The last line that the bot wrote to its standard error."""
        lines = self._seat.process.stderr.text().strip().splitlines()
        return lines[-1] if lines else ""

    # -- the loop ------------------------------------------------------------------------------------

    def _carry_out(self) -> None:
        outputs = self.match.outputs
        while outputs and not self._hung_up:
            output = outputs.popleft()
            if isinstance(output, ReadClock):
                self.match.on_clock(output.player, self._reading(output.player))
            elif isinstance(output, Begin):
                self._begin(output.player)
            elif isinstance(output, HangUp):
                self._seat.link.close()
                self._seat.process.kill()
            elif isinstance(output, Send) and output.player == self.player:
                for message in self.scenario.outgoing(self, output.message):
                    self._send(message)
            elif isinstance(output, Send):
                self._reply(output.player, output.message)

    def _begin(self, player: int) -> None:
        if player == self.player:
            self._began = self._seat.read_clocks()
            self._seat.process.release()
        else:
            hello = {"type": "hello", "protocol": wire.PROTOCOL, "client": "", "schema": None, "legal_actions": False}
            self.match.on_message(player, hello, self._reading(player))

    def _reply(self, player: int, message: dict[str, Any]) -> None:
        """Answer for a random player in this process."""
        name = message["type"]
        if name == "start":
            answer: dict[str, Any] = {"type": "ready", "seq": message["seq"]}
        elif name == "turn" or (name == "result" and message["your_move"]):
            actions = self.match.state.legal_actions(player)
            answer = {"type": "act", "seq": message["seq"], "actions": [self._random.choice(actions)]}
        else:
            return
        self.match.on_message(player, answer, self._reading(player))

    def _send(self, message: dict[str, Any]) -> None:
        self.last_sent = json.dumps(message, default=str)
        if self._seat.link.closed:
            return
        try:
            self._seat.link.send(wire.pack(message, trusted=True))
        except PeerError as error:
            self.match.on_violation(self.player, str(error))
        if message["type"] == "refused":
            self._hung_up = True

    def _wait(self, seconds: float) -> None:
        """Wait for the bot, and pass its messages, its exit and its time to the match."""
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
        if self._hung_up:  # from here on the program may exit
            return
        if (ending := process.poll()) is not None:
            self.match.on_exit(self.player, "out_of_memory" if ending.out_of_memory else "crashed", ending.reason)
        self.match.on_time(self.player, self._reading(self.player))

    def _take(self, message: dict[str, Any]) -> None:
        reading = self._reading(self.player)
        if message["type"] == "ready":
            self.startup = reading.wall - self._began.wall
            if reading.cpu is not None and self._began.cpu is not None:
                self.startup = reading.cpu - self._began.cpu
        self.match.on_message(self.player, self.scenario.incoming(self, message), reading)
        self._carry_out()

    def _reading(self, player: int) -> Reading:
        return self._seat.read_clocks() if player == self.player else Reading(time.monotonic())
