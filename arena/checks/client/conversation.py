"""A match of one real bot against players in this process. A scenario changes the messages to and from the bot."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from arena.bots.bot import Bot
from arena.game import Clock, GameSpec, Seeded
from arena.game.options import OptionValues
from arena.match.job import SeatAssignment
from arena.match.limits import Limits
from arena.match.policy import Policy
from arena.match.stack import last_words
from arena.referee.match import Match
from arena.referee.one_bot import OneBot

if TYPE_CHECKING:
    from arena.checks.client.scenarios import Scenario


class Conversation(OneBot):
    """One match with the bot.

    Attributes:
        startup: Seconds from the start of the bot to its message ``ready``: CPU time if it is measured, else wall time.
    """

    def __init__(
        self, bot: Bot, game: GameSpec, options: OptionValues, clock: Clock, limits: Limits, scenario: Scenario
    ) -> None:
        self.scenario = scenario
        self.startup = 0.0
        self._random = Random(scenario.name)
        players = game.players_in(options)
        names = [bot.name if player == scenario.player else f"random {player + 1}" for player in range(players)]
        match = Match(
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
        super().__init__(bot, scenario.player, game, match, limits)

    @property
    def last_words(self) -> str:
        """Where the bot's time ran out, as "at FILE, line N, in FUNCTION", or the last line of its standard error."""
        return last_words(self.error_output)

    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the messages that the scenario sends instead of a message of the referee."""
        return self.scenario.outgoing(self, message)

    def incoming(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message that the referee gets instead of a message of the bot. Measure the start-up time."""
        if message["type"] == "ready":
            reading = self.reading(self.player)
            self.startup = reading.wall - self._began.wall
            if reading.cpu is not None and self._began.cpu is not None:
                self.startup = reading.cpu - self._began.cpu
        return self.scenario.incoming(self, message)

    def answer(self, player: int, message: dict[str, Any]) -> None:
        """Answer a message to a player in this process. Choose a random legal action."""
        name = message["type"]
        if name == "start":
            answer: dict[str, Any] = {"type": "ready", "seq": message["seq"]}
        elif name == "turn" or (name == "result" and message["your_move"]):
            action = self.match.state.random_action(player, self._random)
            answer = {"type": "act", "seq": message["seq"], "actions": [action]}
        else:
            return
        self.match.on_message(player, answer, self.reading(player))
