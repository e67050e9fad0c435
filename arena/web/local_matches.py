"""The matches of the local pages: those that the start page starts, trials of maps, and those of "What if"."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.game import GameSpec
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.play.referee.prepared import PreparedMatch
from arena.web.editor.trials import Trials
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import Endpoint, Order, json_page
from arena.web.start_page import bots_of
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf

MOST_AT_ONCE: Final = 8
"""The number of matches that wait or are played. A person plays one; the others are forgotten tabs."""


class LocalMatches:
    """All requests that start or follow a match."""

    def __init__(self, viewing: Viewing, folder: Path, replays: Path, *, in_memory: bool) -> None:
        self.trials = Trials(viewing.add, in_memory=in_memory)
        self._what_if = WhatIf(viewing, replays, in_memory=in_memory)
        self._starting = Starting(folder, replays, in_memory=in_memory)

    def routes(self) -> dict[str, Endpoint]:
        return {
            "/trial/{number:int}": self.trials.status,
            "/started/{number:int}": self._starting.status,
            **self._what_if.routes(),
        }

    def orders(self) -> dict[str, Order]:
        return {
            "/play/{game}": self.trials.play,
            "/stop/{number:int}": self.trials.stop,
            "/start/{game}": self._starting.start,
            **self._what_if.orders(),
        }

    @asynccontextmanager
    async def lifespan(self, app: Starlette, folder: Path) -> AsyncIterator[None]:
        """Run the matches while the server runs.

        Args:
            folder: A folder for replays of trials.
        """
        self.trials.folder = folder
        async with self._what_if.lifespan(app):
            yield
        self.trials.close()
        self._starting.close()


class Starting:
    """The matches that the start page plays.

    Args:
        folder: The folder with the student's bots.
        replays: The folder for the replays.
    """

    def __init__(self, folder: Path, replays: Path, *, in_memory: bool) -> None:
        self._folder = folder
        self._replays = replays
        self._matches = PageMatches(in_memory=in_memory)
        self._count = 0

    def start(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start a match, and return its number. `{"bots": [...]}` has a bot or ``human`` for each seat."""
        game = find_game(request.path_params["game"])
        bots = self._chosen_bots(game, body)
        statuses = self._matches.statuses().values()
        if sum(status["state"] in ACTIVE for status in statuses) >= MOST_AT_ONCE:
            raise ArenaError(f"{MOST_AT_ONCE} matches are being played.", hint="Play one of them to its end.")
        job = Job(game=game.name, seats=tuple(map(SeatAssignment, bots)), progress=True).seeded()
        self._replays.mkdir(parents=True, exist_ok=True)
        names = (re.sub(r"[^\w-]+", "_", Path(bot.removeprefix("builtin:")).name) for bot in bots)
        replay = self._replays / f"{'-'.join([game.name, *names, str(job.seed)])}.arena"
        job = replace(job, replay=str(replay.resolve()))
        prepared = PreparedMatch(job, in_memory=self._matches.in_memory)  # check the bots before anything starts
        number = self._count
        self._count += 1
        key = str(number)
        home, again = str(request.base_url), quote(",".join(body["bots"]))
        watch = f"{home}watch/{quote(replay.name)}#live&tab=why"
        after = {"watch": watch, "again": f"{home}#again={game.name}:{again}"}
        enter = partial(with_people, self._matches, key, prepared, after=after)
        self._matches.play(WaitingMatch(key, job, enter, lambda _: {"watch": f"watch/{replay.name}"}))
        return {"match": number}

    def _chosen_bots(self, game: GameSpec, body: Mapping[str, Any]) -> list[str]:
        bots = body.get("bots")
        offered = {bot["value"] for bot in bots_of(game, self._folder)} | {HUMAN}
        if not isinstance(bots, list) or not all(isinstance(bot, str) and bot in offered for bot in bots):
            raise ArenaError("Choose a bot for each seat.")
        if len(bots) not in game.player_counts:
            raise ArenaError(f"{game.title} is for {game.describe_players()}, not {len(bots)}.")
        return [bot if ":" in bot or bot == HUMAN else str(self._folder / bot) for bot in bots]

    def status(self, request: Request) -> Response:
        status = self._matches.status(str(request.path_params["number"]))
        if not status:
            raise ArenaError("This match does not exist.")
        return json_page(status)

    def close(self) -> None:
        self._matches.close()
