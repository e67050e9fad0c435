"""Try one action at a decision: play on many times after it, and without it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path
from typing import Any, Final

from arena.analysis.estimates import difference, share
from arena.analysis.pool import Pool
from arena.errors import ArenaError
from arena.game import Document
from arena.match.position import Place

TIMES: Final = 20
LONGEST: Final = 120.0
"""Seconds after which no more matches begin."""


class Try:
    """One action that is being tried, on all cores, by processes of its own.

    Args:
        place: The decision.
        bot: The built-in bot that plays on for all players.
        player: Whose decision it is.
        action: The action.
    """

    def __init__(self, place: Place, bot: str, player: int, action: Document) -> None:
        self._lock = threading.Lock()
        self._question = ("after", bot, (place.turn, place.action), player, action)
        self._player = player
        self._with: list[float] = []
        self._without: list[float] = []
        self._state, self._message = "playing", ""
        self._pool = Pool(Path(place.replay))
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def status(self) -> dict[str, Any]:
        """How far it is, and the win rates so far: with the action, without it, and their difference."""
        with self._lock:
            pairs = list(zip(self._with, self._without, strict=True))
            return {
                "state": self._state,
                "message": self._message,
                "played": len(pairs),
                "times": TIMES,
                "action": share(self._with).to_document(),
                "bot": share(self._without).to_document(),
                "difference": difference([one - other for one, other in pairs]).to_document(),
            }

    def stop(self) -> None:
        """End it."""
        with self._lock:
            running, self._state = self._state == "playing", "done"
        if running:
            self._pool.close()

    def _run(self) -> None:
        questions = [(*self._question, [seed]) for seed in range(TIMES)]
        try:
            for _, pairs in self._pool.ask(questions, time.monotonic() + LONGEST):
                with self._lock:
                    self._with += [result[self._player] for result, _ in pairs]
                    self._without += [result[self._player] for _, result in pairs]
        except (ArenaError, BrokenExecutor, CancelledError, RuntimeError) as error:
            with self._lock:
                self._message = "" if self._state == "done" else str(error)
        self.stop()
