"""Let built-in bots play on from any state, in this process. This needs no programs, no connections and no clocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.game import Chance, Document, GameSpec, IllegalAction, State
from arena.game.data import Number
from arena_player.ai import AI
from arena_player.session import Session
from arena_player.wire import PROTOCOL


class GameTable:
    """Bots that play on from one state. They are called directly, in this process.

    Args:
        game: The game.
        schema: Its schema.
        state: The state. It is changed.
        chance: The source of draws for the rules.
        bots: The class of each player's bot.
        seeds: The seed of each bot's own random numbers, hexadecimal.

    Attributes:
        done: The accepted actions of all players, in order: player, action, and the values that the rules drew.
    """

    def __init__(
        self,
        game: GameSpec,
        schema: Document,
        state: State,
        chance: Chance,
        bots: Sequence[type[AI]],
        seeds: Sequence[str],
    ) -> None:
        self.game = game
        self.schema = schema
        self.state = state
        self.done: list[tuple[int, Document, list[Number]]] = []
        self._chance = chance
        self._hides = state.hides_information()
        self.seats = [
            _BotSeat(self, player, bot(), seed) for player, (bot, seed) in enumerate(zip(bots, seeds, strict=True))
        ]

    def push(self, player: int, action: Document) -> IllegalAction | None:
        """Carry out an action, and keep its changes and events for the bots' next messages. Return any refusal."""
        state = self.state
        try:
            mark = state.push(player, action, self._chance)
        except IllegalAction as refusal:
            return refusal
        self.done.append((player, action, [draw.value for draw in self._chance.take()]))
        if self._hides:
            for seat in self.seats:
                seat.delta += state.delta(mark, seat.player)
                seat.events += state.events(mark, seat.player)
        else:
            delta, events = state.delta(mark), state.events(mark)
            for seat in self.seats:
                seat.delta += delta
                seat.events += events
        state.commit()
        return None

    def move(self, player: int) -> None:
        """Let a player's bot play its turn. If the bot raises an exception, submit fallback actions instead."""
        number = self.state.turn_number()
        try:
            self.seats[player].move(number)
        except Exception:
            self.pass_turn(player, number)

    def pass_turn(self, player: int, number: int) -> None:
        """Submit the game's fallback actions until the player is not to move, or the turn is over.

        Raises:
            RuntimeError: The rules refused a fallback action.
        """
        state = self.state
        while player in state.to_move() and state.turn_number() == number:
            if self.push(player, state.fallback_action(player)) is not None:
                raise RuntimeError(f"the rules of {self.game.name} refused their own fallback action")


class _BotSeat:
    """One bot, and the link that its session uses to send and receive messages."""

    def __init__(self, table: GameTable, player: int, bot: AI, seed: str) -> None:
        self.player = player
        self.delta: list[Any] = []
        self.events: list[Any] = []
        self._table = table
        self._seed = seed
        self._bot = bot
        self._answer: dict[str, Any] = {}
        self._session: Session | None = None

    def move(self, number: int) -> None:
        """Let the bot play its turn."""
        if self._session is None:
            self._sit_down()
        assert self._session is not None
        self._session.take(self._message({"type": "turn", "turn": number}))

    def send(self, message: dict[str, Any]) -> None:
        """Process a message of the bot: carry out its actions, and prepare the answer."""
        if message["type"] == "act":
            self._answer = self._act(message["actions"])

    def receive(self) -> dict[str, Any]:
        """Return the answer to the last message of the bot."""
        return self._answer

    def _sit_down(self) -> None:
        """Start the bot's session: send the schema, the options and the current view."""
        table = self._table
        state = table.state
        self._session = Session(self._bot, self)
        self._answer = {
            "type": "welcome",
            "protocol": PROTOCOL,
            "schema": table.schema,
            "player": self.player,
            "players": len(table.seats),
            "options": state.options_for(self.player),
            "settings": {},
            "seed": self._seed,
        }
        self._session.enter()
        self.delta, self.events = [], []
        self._session.take({"type": "start", "seq": 0, "view": state.view(self.player)})

    def _act(self, actions: list[Document]) -> dict[str, Any]:
        table = self._table
        state = table.state
        number = state.turn_number()
        accepted, error, value, again = 0, None, None, True
        for action in actions:
            refusal = table.push(self.player, action)
            if refusal is not None:
                error = {"code": refusal.code, "message": refusal.message}
                break
            accepted += 1
            value = state.value
            again = self.player in state.to_move() and state.turn_number() == number
            if not again:
                break
        reply = {
            "type": "result",
            "accepted": accepted,
            "error": error,
            "value": None if value is None else value.id,
            "draws": [],
            "your_move": again,
        }
        return self._message(reply)

    def _message(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message for the bot, with all changes and events since the previous message to this bot."""
        message |= {"seq": 0, "delta": self.delta, "events": self.events}
        self.delta, self.events = [], []
        if self._bot.wants_legal_actions and message.get("your_move", True):
            message["legal_actions"] = self._table.state.legal_actions(self.player)
        return message
