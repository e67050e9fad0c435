"""The pages for the user of this machine: start page, rules, map editor, viewer."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.errors import ArenaError
from arena.replaying.views import with_views
from arena.web.branching import Branching
from arena.web.editing import Editing
from arena.web.pages import application, assets
from arena.web.recent import recent_replays
from arena.web.rules import renderer_module, rules_routes
from arena.web.start_page import start_page
from arena.web.trials import Trials
from arena.web.viewing import Viewing


class LocalPages:
    """The pages of ``arena view`` and ``arena map edit``."""

    def __init__(self, folder: Path = Path(), replays: Path = Path("replays")) -> None:
        self.viewing = Viewing()
        self.editing = Editing(folder)
        self._replays = replays
        self._trials = Trials(self.viewing.add)
        self._branching = Branching(self.viewing)

    def application(self) -> Starlette:
        routes = {
            "/": self._start,
            "/watch/{name}": self._watch,
            "/game/{game}.js": renderer_module,
            "/edit/{game}": self.editing.page,
            "/trial/{number:int}": self._trials.status,
            **self.viewing.routes(),
            **rules_routes(home=True),
            **self._branching.routes(),
            **assets("arena.web", "editor"),
        }
        orders = {
            "/check/{game}": self.editing.check,
            "/save/{game}": self.editing.save,
            "/play/{game}": self._trials.play,
            "/stop/{number:int}": self._trials.stop,
            **self._branching.orders(),
        }
        return application(routes, orders, self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="arena-web-") as folder:
            self._trials.folder = Path(folder)
            async with self._branching.lifespan(app):
                yield
            self._trials.close()

    def _start(self, request: Request) -> Response:
        return start_page(request, recent_replays(self._replays))

    def _watch(self, request: Request) -> Response:
        found = {recent.path.name: recent.legs for recent in recent_replays(self._replays)}
        legs = found.get(request.path_params["name"])
        if legs is None:
            raise ArenaError("The replay does not exist any more.")
        page = self.viewing.add([with_views(leg, self._trials.folder) for leg in legs])
        return RedirectResponse(f"{request.scope['root_path']}/{page}", 303)
