"""Start matches from the start page: with bots, or with the person at this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.game import GameSpec
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.referee.prepared import PreparedMatch
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import json_page
from arena.web.start_page import bots_of

MOST_AT_ONCE = 8


class Starting:
    """The matches that the start page plays.

    Args:
        folder: The folder with the student's bots.
        replays: The folder for the replays.
    """

    def __init__(self, folder: Path, replays: Path) -> None:
        self._folder = folder
        self._replays = replays
        self._matches = PageMatches()
        self._count = 0

    def start(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start a match, and return its number. `{"bots": [...]}` has a bot or ``human`` for each seat."""
        game = find_game(request.path_params["game"])
        bots = self._chosen(game, body)
        if sum(one["state"] in ACTIVE for one in self._matches.statuses().values()) >= MOST_AT_ONCE:
            raise ArenaError(f"{MOST_AT_ONCE} matches are being played.", hint="Play one of them to its end.")
        job = Job(game=game.name, seats=tuple(map(SeatAssignment, bots)), progress=True).seeded()
        self._replays.mkdir(parents=True, exist_ok=True)
        names = (re.sub(r"[^\w-]+", "_", Path(bot.removeprefix("builtin:")).name) for bot in bots)
        replay = self._replays / f"{'-'.join([game.name, *names, str(job.seed)])}.arena"
        job = replace(job, replay=str(replay.resolve()))
        prepared = PreparedMatch(job)  # check the bots before anything starts
        number = self._count
        self._count += 1
        key = str(number)
        start, words = str(request.base_url), ",".join(body["bots"])
        after = {"watch": f"{start}watch/{quote(replay.name)}", "again": f"{start}#again={game.name}:{quote(words)}"}
        enter = partial(with_people, self._matches, key, prepared, after=after)
        self._matches.play(WaitingMatch(key, job, enter, lambda _: {"watch": f"watch/{replay.name}"}))
        return {"match": number}

    def _chosen(self, game: GameSpec, body: Mapping[str, Any]) -> list[str]:
        bots = body.get("bots")
        known = {bot["value"] for bot in bots_of(game, self._folder)} | {HUMAN}
        if not isinstance(bots, list) or not all(isinstance(bot, str) and bot in known for bot in bots):
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
