"""Play matches for the map editor. Each match has its own process, and a thread that reads its progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from arena.authoring.maps import editor_of, problems_of
from arena.errors import ArenaError
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.match.wording import counted, reason_in_words
from arena.referee.match_process import MatchProcess
from arena.web.failures import failure
from arena.web.pages import json_page


class Trials:
    """The matches that the editor plays, one at a time.

    Args:
        register: Called with the replay of a finished match; returns the address to watch it.
    """

    def __init__(self, register: Callable[[Path], str]) -> None:
        self.folder = Path()
        self._register = register
        self._trials: list[Trial] = []

    def play(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start a match of built-in bots on the given map, and return its number."""
        game = find_game(request.path_params["game"])
        document, bots = body.get("document"), body.get("bots")
        wrong = [problem for problem in problems_of(editor_of(game), document) if problem.is_error]
        if wrong:
            raise ArenaError(f"The map cannot be played: {wrong[0].message}")
        known = [bot.name for bot in game.bots]
        if not isinstance(bots, list) or len(bots) != game.players or not all(bot in known for bot in bots):
            raise ArenaError(f"{game.name} has no such bots." if known else f"{game.title} has no built-in bots.")
        if any(trial.status["state"] == "playing" for trial in self._trials):
            raise ArenaError("Another match is running.")
        seats = tuple(SeatAssignment(f"builtin:{bot}") for bot in bots)
        job = Job(game=game.name, seats=seats, options={game.map_option: document}, progress=True).seeded()
        replay = self.folder / f"trial-{len(self._trials)}.arena"
        self._trials.append(Trial(replace(job, replay=str(replay)), self._register))
        return {"trial": len(self._trials) - 1}

    def status(self, request: Request) -> Response:
        return json_page(self._trial(request).status)

    def stop(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - the body is empty
        trial = self._trial(request)
        trial.stop()
        return trial.status

    def close(self) -> None:
        for trial in self._trials:
            trial.stop()

    def _trial(self, request: Request) -> Trial:
        number: int = request.path_params["number"]
        if number >= len(self._trials):
            raise ArenaError("This match does not exist.")
        return self._trials[number]


class Trial:
    """One running match.

    Args:
        register: Called with the replay when the match is over; returns the address to watch it.
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
        with self._lock:
            return dict(self._status)

    def stop(self) -> None:
        """Ask a running match to stop, and wait for its end."""
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
            stopped = self._stopped and not result.has_verdict
            self._set(
                state="stopped" if stopped else "done",
                view=self._register(Path(self._job.replay)),
                result=_in_words(result),
            )
        except Exception as error:  # also after a fault of Arena, the page gets an end
            self._set(state="failed", **failure(error, "The match"))

    def _report(self, document: dict[str, Any]) -> None:
        self._set(turn=document.get("turn", 0), scores=document.get("scores", []))

    def _set(self, **changes: Any) -> None:
        with self._lock:
            self._status.update(changes)


def _in_words(result: MatchResult) -> str:
    reason = reason_in_words(result.outcome.reason)
    won = result.headline([f"{player.name} (player {seat})" for seat, player in enumerate(result.players, 1)])
    return f"{won}: {reason}, after {counted(result.turns, 'turn')}."
