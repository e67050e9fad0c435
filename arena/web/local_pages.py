"""The pages for the user of this machine: start page, rules, map editor, viewer."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.play.referee.prepared import PreparedMatch
from arena.web.editor.editing import Editing, Trials
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import Endpoint, Order, application, assets, json_page, renderer_routes
from arena.web.rulebook import rules_routes
from arena.web.start_page import bots_of, recent_replays, start_page
from arena.web.stills import last_still
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf
from arena_replays.page import Renderer, read_renderer

# Start matches from the start page: with bots, or with the person at this machine.

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


# Start matches from the pages of this machine: trials of maps, those of "What if", and those of the start page.


class LocalMatches:
    """All requests that start or follow a match. They need processes as Linux and macOS have them."""

    def __init__(self, viewing: Viewing, folder: Path, replays: Path) -> None:
        self.trials = Trials(viewing.add)
        self._what_if = WhatIf(viewing, replays)
        self._starting = Starting(folder, replays)

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


def _renderer_of(request: Request) -> Renderer:
    return read_renderer(find_game(request.path_params["game"]).viewer)


class LocalPages:
    """The pages of ``arena view`` and ``arena map edit``."""

    def __init__(self, folder: Path = Path(), replays: Path = Path("replays")) -> None:
        self.viewing = Viewing()
        self.editing = Editing(folder)
        self._folder, self._replays = folder, replays
        self._matches = None
        if hasattr(os, "fork"):  # not on Windows
            self._matches = LocalMatches(self.viewing, folder, replays)

    def application(self) -> Starlette:
        routes = {
            "/": self._start,
            "/watch/{name}": self._watch,
            **renderer_routes("/game/{game}", _renderer_of),
            "/edit/{game}": self.editing.page,
            "/still/{name}": self._still,
            **self.viewing.routes(),
            **rules_routes(home=True),
            **(self._matches.routes() if self._matches else {}),
            **assets("arena.web", "editor"),
        }
        orders = {
            "/check/{game}": self.editing.check,
            "/save/{game}": self.editing.save,
            **(self._matches.orders() if self._matches else {"/play/{game}": _refuse}),
        }
        return application(routes, orders, self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        if self._matches is None:
            yield
            return
        with tempfile.TemporaryDirectory(prefix="arena-web-") as folder:
            async with self._matches.lifespan(app, Path(folder)):
                yield

    def _start(self, request: Request) -> Response:
        bots = None if self._matches is None else self._folder
        return start_page(request, recent_replays(self._replays), bots)

    def _still(self, request: Request) -> Response:
        """Return the last position of a recent replay, for its picture."""
        path = self._replays / request.path_params["name"]
        if path not in set(self._replays.glob("*.arena")):
            raise ArenaError("The replay does not exist any more.")
        return Response(last_still(path), media_type="application/octet-stream")

    def _watch(self, request: Request) -> Response:
        found = {recent.path.name: recent.legs for recent in recent_replays(self._replays)}
        legs = found.get(request.path_params["name"])
        if legs is None:
            raise ArenaError("The replay does not exist any more.")
        page = self.viewing.add(legs)
        return RedirectResponse(f"{request.scope['root_path']}/{page}", 303)


def _refuse(request: Request, body: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the signature of an order
    raise ArenaError("Matches need Linux or macOS.", hint="On Windows, use WSL 2.", exit_code=ExitCode.NOT_POSIX)
