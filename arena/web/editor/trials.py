"""Play on the map that is drawn in the editor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError
from arena.match.ending import counted, reason_in_words
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.sdk.maps import editor_of, problems_of
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch
from arena.web.pages import json_page

_PATIENCE: Final = 10.0
"""Seconds for the end of a stopped match. Its process is killed after two; the rest is for a busy machine."""


class Trials:
    """The matches that the editor plays, one at a time.

    Args:
        register: Called with the replay of a finished match; returns the address to watch it.

    Attributes:
        folder: The folder for the replays. It exists only while the server runs.
    """

    def __init__(self, register: Callable[[Path], str], *, in_memory: bool = not RUNS_PROGRAMS) -> None:
        self.folder = Path()
        self._register = register
        self._matches = PageMatches(in_memory=in_memory)
        self._count = 0

    def play(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start a match of built-in bots on the given map, and return its number."""
        game = find_game(request.path_params["game"])
        document, bots = body.get("document"), body.get("bots")
        errors = [problem for problem in problems_of(editor_of(game), document) if problem.is_error]
        if errors:
            raise ArenaError(f"The map cannot be played: {errors[0].message}")
        names = [bot.name for bot in game.bots]
        if not isinstance(bots, list) or len(bots) != game.players or not all(bot in names for bot in bots):
            raise ArenaError(f"{game.name} has no such bots." if names else f"{game.title} has no built-in bots.")
        if any(status["state"] in ACTIVE for status in self._matches.statuses().values()):
            raise ArenaError("Another match is running.")
        seats = tuple(SeatAssignment(f"builtin:{bot}") for bot in bots)
        job = Job(game=game.name, seats=seats, options={game.map_option: document}, progress=True).seeded()
        return {"trial": self.start(job)}

    def start(self, job: Job) -> int:
        number = self._count
        self._count += 1
        replay = self.folder / f"trial-{number}.arena"

        def describe(result: MatchResult) -> dict[str, Any]:
            return {"view": self._register(replay), "result": _in_words(result)}

        self._matches.play(WaitingMatch(str(number), replace(job, replay=str(replay)), describe=describe))
        return number

    def status(self, request: Request) -> Response:
        return json_page(self.status_of(request.path_params["number"]))

    def status_of(self, number: int) -> dict[str, Any]:
        status = self._matches.status(str(number))
        if not status:
            raise ArenaError("This match does not exist.")
        return status

    def stop(self, request: Request, _body: dict[str, Any]) -> dict[str, Any]:
        number: int = request.path_params["number"]
        self._matches.stop(str(number), _PATIENCE)
        return self.status_of(number)

    def close(self) -> None:
        self._matches.close()


def _in_words(result: MatchResult) -> str:
    reason = reason_in_words(result.outcome.reason)
    won = result.headline([f"{player.name} (player {seat})" for seat, player in enumerate(result.players, 1)])
    return f"{won}: {reason}, after {counted(result.turns, 'turn')}."
