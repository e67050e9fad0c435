"""The pages for the user of this machine, in one application: start page, rules, map editor, viewer.

Everybody who knows the address of the server may read and write (`arena.web.server.Server`), so its key is a secret.
The application keeps what was opened since it started: replays get numbers (`Viewing`), and each game has at most one
open map (`Editing`).
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.web.editor.editing import Editing
from arena.web.local_matches import LocalMatches
from arena.web.pages import application, assets, renderer_routes
from arena.web.rulebook import rules_routes
from arena.web.start_page import legs_of, recent_replays, start_page
from arena.web.stills import last_still
from arena.web.viewing import Viewing
from arena_replays.page import Renderer, read_renderer


def _renderer_of(request: Request) -> Renderer:
    return read_renderer(find_game(request.path_params["game"]).viewer)


class LocalPages:
    """The pages of ``arena view`` and ``arena map edit``."""

    def __init__(
        self, folder: Path = Path(), replays: Path = Path("replays"), *, in_memory: bool = not RUNS_PROGRAMS
    ) -> None:
        self.viewing = Viewing()
        self.editing = Editing(folder)
        self._folder, self._replays = folder, replays
        self._matches = LocalMatches(self.viewing, folder, replays, in_memory=in_memory)

    def application(self) -> Starlette:
        routes = {
            "/": self._start,
            "/watch/{name}": self._watch,
            **renderer_routes("/game/{game}", _renderer_of),
            "/edit/{game}": self.editing.page,
            "/still/{name}": self._still,
            **self.viewing.routes(),
            **rules_routes(home=True),
            **self._matches.routes(),
            **assets("arena.web", "editor"),
        }
        orders = {
            "/check/{game}": self.editing.check,
            "/save/{game}": self.editing.save,
            **self._matches.orders(),
        }
        return application(routes, orders, self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="arena-web-") as folder:
            async with self._matches.lifespan(app, Path(folder)):
                yield

    def _start(self, request: Request) -> Response:
        return start_page(request, recent_replays(self._replays), self._folder)

    def _still(self, request: Request) -> Response:
        """Return the last position of a recent replay, for its picture."""
        return Response(last_still(self._replay(request)), media_type="application/octet-stream")

    def _replay(self, request: Request) -> Path:
        path: Path = self._replays / request.path_params["name"]
        if path not in set(self._replays.glob("*.arena")):
            raise ArenaError("The replay does not exist any more.")
        return path

    def _watch(self, request: Request) -> Response:
        page = self.viewing.add(legs_of(self._replay(request)))
        return RedirectResponse(f"{request.scope['root_path']}/{page}", 303)
