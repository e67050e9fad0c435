"""Plays two bots against each other in this process, without sockets or a clock."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from arena.game import IllegalAction, Seeded
from arena_player.ai import AI
from arena_player.runner import find_ai, load_module
from arena_player.session import Session
from arena_saloon import GAME, Game

Message = dict[str, Any]


class Over(BaseException):
    """Ends a bot's thread."""


class Seat:
    """One bot in a thread of its own; only one side runs at any time."""

    def __init__(self, ai: AI) -> None:
        self.ai = ai
        self.to_bot: SimpleQueue[Message | None] = SimpleQueue()
        self.from_bot: SimpleQueue[Message | BaseException] = SimpleQueue()
        self.seen = 0
        self.refusals: list[tuple[Message, str]] = []
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            Session(self.ai, self).play()
        except Over:
            pass
        except BaseException as error:
            self.from_bot.put(error)

    def send(self, message: Message) -> None:
        """Called by the bot."""
        if message["type"] not in ("log", "draw"):
            self.from_bot.put(message)

    def receive(self) -> Message:
        """Called by the bot."""
        message = self.to_bot.get()
        if message is None:
            raise Over
        return message

    def answer(self) -> Message:
        """The bot's next message; raises what the bot raised."""
        message = self.from_bot.get(timeout=60)
        if isinstance(message, BaseException):
            raise message
        return message


def bot_class(path: Path) -> type[AI]:
    """Load a bot's file."""
    before = list(sys.path)
    try:
        return find_ai(load_module(str(path)))
    finally:
        sys.path[:] = before


def play(bots: Sequence[type[AI]], seed: int, options: Message | None = None) -> tuple[Game, list[Seat]]:
    """Play a whole game.

    Args:
        bots: The classes of player 0 and player 1.
        seed: Of map and coin.
        options: Of the game.
    """
    chance = Seeded(seed)
    resolved = GAME.resolve_options(options or {})
    state: Any = GAME.start(resolved, chance)
    seats = [Seat(kind()) for kind in bots]
    schema = GAME.schema()
    clock = {"startup": None, "bank": None, "increment": None, "turn": None, "grace": None}
    for index, seat in enumerate(seats):
        assert seat.answer()["type"] == "hello"
        seat.to_bot.put(
            {
                "type": "welcome",
                "schema": schema,
                "player": index,
                "settings": {},
                "options": resolved.to_document(),
                "clock": clock,
            }
        )
        seat.to_bot.put({"type": "start", "seq": 0, "view": state.view()})
        assert seat.answer()["type"] == "ready"
    while state.to_move():
        _turn(state, seats[state.current_player], chance)
    for seat in seats:
        seat.to_bot.put(None)
        seat.thread.join(10)
    game: Game = state
    return game, seats


def _turn(state: Any, seat: Seat, chance: Seeded) -> None:
    player = state.current_player
    seat.to_bot.put({"type": "turn", "seq": 1, "turn": state.current_turn, **_news(state, seat)})
    while state.to_move() == (player,):
        accepted = 0
        error = None
        value = None
        for action in seat.answer()["actions"]:
            if state.to_move() != (player,):
                break
            try:
                state.push(player, action, chance)
            except IllegalAction as refusal:
                error = {"code": refusal.code, "message": refusal.message}
                seat.refusals.append((action, refusal.code))
                break
            accepted += 1
            value = getattr(state.value, "id", None)
        seat.to_bot.put(
            {
                "type": "result",
                "seq": 1,
                "accepted": accepted,
                "error": error,
                "value": value,
                "your_move": state.to_move() == (player,),
                **_news(state, seat),
            }
        )


def _news(state: Any, seat: Seat) -> Message:
    mark, seat.seen = seat.seen, state.mark
    return {"delta": state.delta(mark), "events": state.events(mark)}
