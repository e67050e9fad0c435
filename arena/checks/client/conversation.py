"""A match of one real bot against players in this process. A scenario changes the messages to and from the bot."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

from arena.game import Clock, GameSpec, Seeded
from arena.game.options import OptionValues
from arena.match.job import SeatAssignment
from arena.match.policy import Policy
from arena.match.stack import last_words
from arena.referee.carrying import Message, Resident
from arena.referee.clock import Reading
from arena.referee.host import Host, ProgramEnd
from arena.referee.match import Match
from arena.referee.one_program import play_one_program

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.bots.exits import Exit
    from arena.checks.client.scenarios import Scenario
    from arena.match.limits import Limits


class Conversation:
    """One match with the bot.

    Attributes:
        startup: Seconds from the start of the bot to its message ``ready``: CPU time if it is measured, else wall time.
        last_sent: The last message that was sent to the bot.
        exit: How the program ended; None before the end of `run`, or if the program had to be killed after the match.
        stderr: The end of the bot's standard error.
        last_words: What the bot's standard error says of its end, with the place (see `arena.match.stack.last_words`).
    """

    def __init__(self, bot: Bot, game: GameSpec, options: OptionValues, clock: Clock, scenario: Scenario) -> None:
        self.scenario = scenario
        self.player = scenario.player
        self.startup = 0.0
        self.last_sent = self.stderr = self.last_words = ""
        self.exit: Exit | None = None
        self._bot = bot
        self._random = Random(scenario.name)
        players = range(game.players_in(options))
        self.match = Match(
            game,
            game.start(options, Seeded("client check")),
            [SeatAssignment("", bot.name if player == self.player else f"random {player + 1}") for player in players],
            Seeded(scenario.name),
            clock,
            Policy(),
            recorded=False,
            bot_seeds=[f"{player:032x}" for player in players],
        )

    def run(self, limits: Limits) -> None:
        """Start the bot and play until the match is over."""
        seat = play_one_program(
            self.match, self.player, self._bot, program=self._program, resident=self._resident, limits=limits
        )
        self.exit = seat.exit
        self.stderr = seat.process.stderr.text()
        self.last_words = last_words(self.stderr, placed=True)

    @property
    def wrong(self) -> str:
        """The bot's mistake in the match; empty if it made none."""
        seat = self.match.seats[self.player]
        return seat.detail if seat.failure is None else f"{seat.failure[0]}: {seat.failure[1]}"

    def hang_up(self) -> None:
        """End the match, and close the connection without a message, as happens when the referee dies."""
        self.match.void("check")
        self._end.disconnect()

    def _program(self, host: Host, match: Match, player: int) -> ProgramEnd:
        self._end = _ChangedEnd(self, host, match, player)
        return self._end

    def _resident(self, match: Match, player: int) -> Resident:
        return Resident(match, player, lambda _: [match.state.random_action(player, self._random)])


class _ChangedEnd(ProgramEnd):
    """The end of the bot's seat. The scenario changes the messages. The time of the start-up is measured."""

    def __init__(self, conversation: Conversation, host: Host, match: Match, player: int) -> None:
        super().__init__(host, match, player)
        self._conversation = conversation
        self._began = Reading(0.0)

    def begin(self) -> None:
        self._began = self.read_clocks()
        super().begin()

    def send(self, message: dict[str, Any]) -> None:
        """Send what the scenario sends in place of a message of the referee."""
        for sent in self._conversation.scenario.outgoing(self._conversation, message):
            self._conversation.last_sent = json.dumps(sent, default=str)
            super().send(sent)

    def deliver(self, message: Message, reading: Reading) -> None:
        """Give the match what it gets in place of a message of the bot."""
        if message["type"] == "ready":
            now, began = self.read_clocks(), self._began
            measured = now.cpu is not None and began.cpu is not None
            self._conversation.startup = now.cpu - began.cpu if measured else now.wall - began.wall  # type: ignore[operator]
        super().deliver(self._conversation.scenario.incoming(self._conversation, message), reading)
