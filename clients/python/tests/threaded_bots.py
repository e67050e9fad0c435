"""Run bots in threads of this process, without sockets or a clock, for tests of built-in bots."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from arena_player.ai import AI
from arena_player.runner import find_ai, load_module
from arena_player.session import Session

Message = dict[str, Any]
NO_CLOCK = {"startup": None, "bank": None, "increment": None, "turn": None, "grace": None}


class Over(BaseException):
    """Ends a bot's thread."""


class Seat:
    """One bot in its own thread. Either the bot or the test runs, never both."""

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
        """Send a message from the bot to the test."""
        if message["type"] not in ("log", "draw"):
            self.from_bot.put(message)

    def receive(self) -> Message:
        """Wait for the next message to the bot."""
        message = self.to_bot.get()
        if message is None:
            raise Over
        return message

    def answer(self) -> Message:
        """Return the bot's next message. If the bot raised an exception, raise it."""
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


def begin(seats: Sequence[Seat], schema: Message, options: Message, views: Sequence[Any]) -> None:
    """Exchange the messages before the first turn."""
    for player, (seat, view) in enumerate(zip(seats, views, strict=True)):
        assert seat.answer()["type"] == "hello"
        welcome = {"type": "welcome", "schema": schema, "player": player, "settings": {}, "clock": NO_CLOCK}
        seat.to_bot.put({**welcome, "options": options})
        seat.to_bot.put({"type": "start", "seq": 0, "view": view})
        assert seat.answer()["type"] == "ready"


def end(seats: Sequence[Seat]) -> None:
    """End the threads of all bots."""
    for seat in seats:
        seat.to_bot.put(None)
        seat.thread.join(10)
