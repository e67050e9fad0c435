"""Plays bots against each other in this process, without sockets or a clock."""

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
from arena_snakes import GAME, Game

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
        bots: The class of each player.
        seed: Of all draws.
        options: Of the game.
    """
    chance = Seeded(seed)
    resolved = GAME.resolve_options({"players": len(bots), **(options or {})})
    state: Any = GAME.start(resolved, chance)
    seats = [Seat(kind()) for kind in bots]
    schema = GAME.schema()
    clock = {"startup": None, "bank": None, "increment": None, "turn": None, "grace": None}
    for index, seat in enumerate(seats):
        assert seat.answer()["type"] == "hello"
        welcome = {"type": "welcome", "schema": schema, "player": index, "settings": {}, "clock": clock}
        seat.to_bot.put({**welcome, "options": resolved.to_document()})
        seat.to_bot.put({"type": "start", "seq": 0, "view": state.view(index)})
        assert seat.answer()["type"] == "ready"
    while to_move := state.to_move():
        for player in to_move:
            _turn(state, player, seats[player], chance)
    for seat in seats:
        seat.to_bot.put(None)
        seat.thread.join(10)
    game: Game = state
    return game, seats


def _turn(state: Any, player: int, seat: Seat, chance: Seeded) -> None:
    """Let one player choose a move; the last one to choose plays the turn."""
    seat.to_bot.put({"type": "turn", "seq": 1, "turn": state.turn, **_news(state, player, seat)})
    accepted = 0
    error = None
    (action,) = seat.answer()["actions"]
    try:
        state.push(player, action, chance)
        accepted = 1
    except IllegalAction as refusal:
        error = {"code": refusal.code, "message": refusal.message}
        seat.refusals.append((action, refusal.code))
    result = {"type": "result", "seq": 1, "accepted": accepted, "error": error, "value": None, "your_move": False}
    seat.to_bot.put({**result, **_news(state, player, seat)})


def _news(state: Any, player: int, seat: Seat) -> Message:
    mark, seat.seen = seat.seen, state.mark
    return {"delta": state.delta(mark, player), "events": state.events(mark, player)}
