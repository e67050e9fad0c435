"""The pages for the user of this machine, in one application: start page, rules, map editor, viewer.

Everybody who knows the address of the server may read and write (`arena.web.server.Server`), so its key is a secret.
The application keeps what was opened since it started: replays get numbers (`Viewing`), and each game has at most one
open map (`Editing`).
"""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.study.replaying.presentation import legs_for
from arena.web.editor.editing import Editing
from arena.web.local_matches import LocalMatches
from arena.web.pages import application, assets, renderer_routes
from arena.web.rulebook import rules_routes
from arena.web.start_page import LEGS, legs_of, recent_replays, start_page
from arena.web.stills import last_still, map_still
from arena.web.viewing import Viewing
from arena_replays import Reader, ReplayError
from arena_replays.legs import as_matches
from arena_replays.page import Renderer, read_renderer


def _received(file: Any, folder: Path, number: int) -> Path:
    """Write a replay that a page has sent into a folder, and return its path."""
    if not isinstance(file, dict):
        raise ArenaError("The request has no file.")
    name = re.sub(r"[^\w.-]", "_", str(file.get("name", "")))[-80:].removesuffix(".arena") or "replay"
    try:
        data = base64.b64decode(str(file.get("data", "")), validate=True)
        Reader(data)
    except ReplayError as error:
        raise ArenaError(f"{name}: {error.message}", hint=error.hint) from None
    except ValueError:
        raise ArenaError("The request has no file.") from None
    path = folder / str(number) / f"{name}.arena"
    path.parent.mkdir()
    path.write_bytes(data)
    return path


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
        self._opened = Path()
        self._matches = LocalMatches(self.viewing, folder, replays, in_memory=in_memory)

    def application(self) -> Starlette:
        routes = {
            "/": self._start,
            "/watch/{name}": self._watch,
            **renderer_routes("/game/{game}", _renderer_of),
            "/edit/{game}": self.editing.page,
            "/still/{name}": self._still,
            "/map/{game}/{name}": self._map,
            **self.viewing.routes(),
            **rules_routes(home=True),
            **self._matches.routes(),
            **assets("arena.web", "editor"),
        }
        orders = {
            "/check/{game}": self.editing.check,
            "/save/{game}": self.editing.save,
            "/open": self._open,
            **self._matches.orders(),
        }
        return application(routes, orders, self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="arena-web-") as folder:
            self._opened = Path(folder)
            async with self._matches.lifespan(app, Path(folder)):
                yield

    def _start(self, request: Request) -> Response:
        return start_page(request, recent_replays(self._replays), self._folder)

    def _still(self, request: Request) -> Response:
        """Return the last position of a recent replay, for its picture."""
        return Response(last_still(self._replay(request)), media_type="application/octet-stream")

    def _map(self, request: Request) -> Response:
        """Return the first position on a supplied map, for its picture."""
        still = map_still(find_game(request.path_params["game"]), request.path_params["name"])
        return Response(still, media_type="application/octet-stream")

    def _replay(self, request: Request) -> Path:
        path: Path = self._replays / request.path_params["name"]
        if path not in set(self._replays.glob("*.arena")):
            raise ArenaError("The replay does not exist any more.")
        return path

    def _open(self, _request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Take replays that the page has read from the disk, and return the path of the page that shows them.

        `{"files": [{"name": ..., "data": ...}]}` has one replay, or both legs of a match, as base64.
        """
        files = body.get("files")
        if not isinstance(files, list) or not 1 <= len(files) <= LEGS:
            raise ArenaError("Open one replay, or the two legs of one match.")
        folder = Path(tempfile.mkdtemp(prefix="opened-", dir=self._opened))
        paths = [_received(file, folder, number) for number, file in enumerate(files)]
        matches = as_matches(paths, legs_for)
        if len(matches) > 1:
            raise ArenaError("These replays are not the two legs of one match.", hint="Open them one by one.")
        return {"watch": self.viewing.add(matches[0])}

    def _watch(self, request: Request) -> Response:
        page = self.viewing.add(legs_of(self._replay(request)))
        return RedirectResponse(f"{request.scope['root_path']}/{page}", 303)
