"""The pages for the user of this machine: start page, rules, map editor, viewer."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.errors import ArenaError, ExitCode
from arena.web.editing import Editing
from arena.web.pages import application, assets
from arena.web.recent import recent_replays
from arena.web.rules import renderer_module, rules_routes
from arena.web.start_page import start_page
from arena.web.stills import last_still
from arena.web.viewing import Viewing


class LocalPages:
    """The pages of ``arena view`` and ``arena map edit``."""

    def __init__(self, folder: Path = Path(), replays: Path = Path("replays")) -> None:
        self.viewing = Viewing()
        self.editing = Editing(folder)
        self._folder, self._replays = folder, replays
        self._matches = None
        if hasattr(os, "fork"):  # not on Windows
            from arena.web.local_matches import LocalMatches

            self._matches = LocalMatches(self.viewing, folder, replays)

    def application(self) -> Starlette:
        routes = {
            "/": self._start,
            "/watch/{name}": self._watch,
            "/game/{game}.js": renderer_module,
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
