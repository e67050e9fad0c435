"""Matches tried from the editor: each in a process of its own, watched by a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.match.job import Job
from arena.match.result import MatchResult
from arena.referee.client import MatchProcess
from arena_replays import ReplayError


class Trial:
    """One match that is being played.

    Args:
        job: What to play, with a replay.
        register: Called with the replay when the match is over; returns the address where it can be watched.
    """

    def __init__(self, job: Job, register: Callable[[Path], str]) -> None:
        self._job = job
        self._register = register
        self._lock = threading.Lock()
        self._status: dict[str, Any] = {"state": "playing", "turn": 0, "scores": []}
        self._process: MatchProcess | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def status(self) -> dict[str, Any]:
        """How far it is, as the page reads it."""
        with self._lock:
            return dict(self._status)

    def stop(self) -> None:
        """End the match in good order if it is still played, and wait for that."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.interrupt()
        self._thread.join(10)

    def _play(self) -> None:
        try:
            with MatchProcess(self._job) as process:
                with self._lock:
                    self._process = process
                    if self._stopped:
                        process.interrupt()
                result = process.wait(self._report)
                with self._lock:
                    self._process = None
            self._set(state="done", view=self._register(Path(self._job.replay)), result=_in_words(result))
        except (ArenaError, ReplayError) as error:
            self._set(state="failed", sentence=error.sentence, hint=error.hint)

    def _report(self, document: dict[str, Any]) -> None:
        self._set(turn=document.get("turn", 0), scores=document.get("scores", []))

    def _set(self, **changes: Any) -> None:
        with self._lock:
            self._status.update(changes)


def _in_words(result: MatchResult) -> str:
    winner = result.outcome.winner
    reason = result.outcome.reason.replace("_", " ")
    names = [player.name for player in result.players]
    won = f"{names[winner]} (player {winner + 1}) wins" if isinstance(winner, int) else "Nobody wins"
    turns = f"{result.turns} turn{'' if result.turns == 1 else 's'}"
    return f"{won}: {reason}, after {turns}."
