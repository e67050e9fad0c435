"""Estimate the win probability after each of several actions: those that a person or built-in bots choose."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path
from typing import Any, Final

from arena.analysis.playouts import Result
from arena.analysis.pool import Pool, Question
from arena.analysis.probability import win_difference, win_of
from arena.analysis.worker import Worker
from arena.game import Document, GameSpec
from arena.match.position import ReplayPlace
from arena.web.failures import failure

TIMES: Final = 20
LONGEST: Final = 120.0
"""No playout starts later than this many seconds after the first one."""


class ActionEstimates:
    """Estimates the win probability after each of some actions. A pool of processes plays on from each action."""

    def __init__(
        self,
        game: GameSpec,
        place: ReplayPlace,
        bot: str,
        player: int,
        actions: Sequence[Document],
        advisers: Sequence[str] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._bot, self._where, self._player = bot, (place.turn, place.action), player
        self._power = game.playout_power
        self._actions = list(actions)
        self._advisers = advisers
        self._choices: dict[str, list[Document]] = {}
        self._played: list[list[Result]] = []
        self._state, self._message = "playing", ""
        self._pool = Pool(Path(place.replay))
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def status(self) -> dict[str, Any]:
        """The progress, the bots' choices, and the win probability after each action so far.

        After the action, the built-in bot plays for all players. For the key ``bot``, this bot also chooses the action.
        """
        with self._lock:
            columns = list(zip(*self._played, strict=True)) or [()] * (len(self._actions) + 1)
            without = columns[-1]
            return {
                "state": self._state,
                "message": self._message,
                "played": len(self._played),
                "times": TIMES,
                "choices": [{"bot": bot, "actions": actions} for bot, actions in self._choices.items()],
                "rows": [
                    {
                        "action": action,
                        "win": win_of(column, self._player, self._power).to_document(),
                        "difference": win_difference(
                            list(zip(without, column, strict=True)), self._player, self._power
                        ).to_document(),
                    }
                    for action, column in zip(self._actions, columns, strict=False)
                ],
                "bot": win_of(without, self._player, self._power).to_document(),
            }

    def stop(self) -> None:
        with self._lock:
            running, self._state = self._state == "playing", "done"
        if running:
            self._pool.close()

    def _run(self) -> None:
        try:
            self._ask_bots()
            questions: list[Question] = [
                (Worker.after, f"builtin:{self._bot}", self._where, self._player, self._actions, [seed])
                for seed in range(TIMES)
            ]
            for _, rows in self._pool.ask(questions, time.monotonic() + LONGEST):
                with self._lock:
                    self._played += rows
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            with self._lock:
                self._message = "" if self._state == "done" else str(error)  # no message after stop
        except Exception as error:  # also after a fault of Arena, the page gets an end
            message = failure(error, "The estimate")["message"]
            with self._lock:
                self._message = message
        self.stop()

    def _ask_bots(self) -> None:
        questions: list[Question] = [
            (Worker.choice_at, f"builtin:{bot}", self._where, self._player) for bot in self._advisers
        ]
        found = dict(self._pool.ask(questions))
        with self._lock:
            for at, bot in enumerate(self._advisers):
                self._choices[bot] = found[at]
                if found[at] and found[at][0] not in self._actions:
                    self._actions.append(found[at][0])
