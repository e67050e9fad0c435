"""The pages of one tournament. They read the journal and the replays, and change nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.web.growing import patiently, replay_bytes
from arena.web.pages import application, assets, json_page, page, script, viewer_page
from arena.web.public_replays import check_public, is_withheld, own_notes, public_bytes
from arena.web.tournament import fragments
from arena.web.tournament.spectator import Spectator
from arena.web.tournament.tokens import is_owner
from arena_replays import ReplayError
from arena_replays.page import renderer_or_default

_PATIENCE = 2.0
"""Seconds to wait for a match that has just ended and is not in the journal yet."""
_REFRESH = 0.5
_SWITCH = 0.0005
"""Seconds after which the thread that computes standings lets other threads run."""
_SHEETS = ("page.css",)


class TournamentPages:
    """The pages of one tournament.

    Args:
        folder: The tournament's folder.
        renderer: The source of the game's renderer, or None for the default one.

    Raises:
        ArenaError: There is no tournament in the folder.
    """

    def __init__(self, folder: Path, renderer: str | None) -> None:
        self._folder = folder
        self._spectator = Spectator(folder)
        self._spectator.refresh()
        self._renderer = renderer

    def application(self) -> Starlette:
        """Return the application."""
        routes = {
            "/": self._front,
            "/state": self._state,
            "/renderer.js": lambda _request: script(renderer_or_default(self._renderer)),
            "/match/{match_id}": self._match,
            "/replay/{match_id}": self._replay,
            "/bot/{name}": self._bot,
            "/bot/{name}/log/{match_id}": self._log,
            **assets("arena.web", "tournament"),
        }
        return application(routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002 - the signature is Starlette's
        task, interval = asyncio.create_task(self._follow()), sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            yield
        finally:
            sys.setswitchinterval(interval)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _follow(self) -> None:
        while True:
            with suppress(ArenaError):  # if the journal cannot be read now, try again later
                await run_in_threadpool(self._spectator.refresh)
            await asyncio.sleep(_REFRESH)

    @property
    def _title(self) -> str:
        return self._spectator.tournament.config.name

    def _front(self, request: Request) -> Response:
        screen = "screen" in request.query_params
        return page(request, "tournament/front.html", script="'self'", title=self._title, sheets=_SHEETS, screen=screen)

    async def _state(self, request: Request) -> Response:
        """Return the running matches, and the content of the page if it has changed since the browser's version.

        This method runs in the event loop: a worker thread would wait for the thread that computes standings.
        """
        spectator = self._spectator
        running = spectator.running()
        version = f"{spectator.version}-{bool(running)}"
        fresh = {}
        if request.query_params.get("version") != version:
            fresh = spectator.fragments | fragments.progress(spectator.document, running)
        shown = [{**one, "board": self._has_board(one)} for one in running]
        return json_page({"version": version, "fragments": fresh, "running": shown})

    def _has_board(self, running: dict[str, Any]) -> bool:
        with suppress(OSError, ReplayError):
            return not is_withheld(self._folder / running["replay"])
        return False  # the match has not begun

    async def _match(self, request: Request) -> Response:
        match_id = request.path_params["match_id"]
        names, live = await patiently(lambda: run_in_threadpool(self._names, match_id), _PATIENCE)
        await run_in_threadpool(self._check_public, match_id)
        legs = self._spectator.legs(match_id)
        listed = [{"url": f"/replay/{leg}", "live": live and leg == match_id} for leg in legs]
        return viewer_page(request, " – ".join(names), {"legs": listed, "leg": legs.index(match_id)}, "renderer.js")

    def _check_public(self, match_id: str) -> None:
        with suppress(OSError, ReplayError, HTTPException):  # without a readable replay, nothing is shown
            check_public(self._replay_path(match_id), over=self._spectator.is_over(match_id))

    def _names(self, match_id: str) -> tuple[list[str], bool]:
        if found := self._spectator.match(match_id):
            return list(found[0].names), False
        return self._running(match_id)["names"], True

    def _running(self, match_id: str) -> dict[str, Any]:
        for one in self._spectator.running():
            if one["match_id"] == match_id:
                return one
        raise HTTPException(404, "This match does not exist.")

    def _replay_path(self, match_id: str) -> Path:
        found = self._spectator.match(match_id)
        replay = found[1].replay if found else str(self._running(match_id)["replay"])
        if not replay:
            raise HTTPException(404, "This replay does not exist.")
        return self._folder / replay

    async def _replay(self, request: Request) -> Response:
        match_id = request.path_params["match_id"]
        read = partial(public_bytes, over=await run_in_threadpool(self._spectator.is_over, match_id))
        return await replay_bytes(request, lambda: self._replay_path(match_id), read, _PATIENCE)

    def _bot(self, request: Request) -> Response:
        name = self._bot_name(request)
        token = request.query_params.get("token", "")
        record = fragments.bot_record(
            name, self._spectator.document, self._spectator.statistics(), self._spectator.of_bot(name)
        )
        token = token if self._is_owner(name, token) else ""
        title = f"{name} – {self._title}"
        return page(
            request,
            "tournament/bot.html",
            title=title,
            sheets=_SHEETS,
            name=name,
            tournament=self._title,
            token=token,
            **record,
        )

    def _log(self, request: Request) -> Response:
        """Return the logs and output of one bot in one match, for its owner."""
        name, match_id = self._bot_name(request), request.path_params["match_id"]
        if not self._is_owner(name, request.query_params.get("token", "")):
            raise HTTPException(403, "These logs are for the bot's owner.")
        found = self._spectator.match(match_id)
        if found is None or name not in found[0].names:
            raise HTTPException(404, "This match does not exist.")
        seat = found[0].names.index(name)
        try:
            lines = own_notes(self._replay_path(match_id), seat)
        except OSError:
            raise HTTPException(410, "The replay does not exist any more.") from None
        context = {"name": name, "match_id": match_id, "tournament": self._title}
        detail = found[1].players[seat].explained
        return page(request, "tournament/log.html", title=name, sheets=_SHEETS, lines=lines, detail=detail, **context)

    def _bot_name(self, request: Request) -> str:
        name: str = request.path_params["name"]
        if name not in self._spectator.tournament.names:
            raise HTTPException(404, "This bot does not exist.")
        return name

    def _is_owner(self, name: str, token: str) -> bool:
        return is_owner(self._spectator.folder, name, token)
