"""The web application of the live page: reads the journal and the replays, and writes nothing."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.tournament.plan.ratings.skill import MU, Skill, updated
from arena.web.tournament import pages
from arena.web.tournament.replays import own_notes, public_bytes
from arena.web.tournament.tokens import token_of
from arena.web.tournament.watcher import Watcher
from arena_replays import ReplayError, page
from arena_replays.serve import NAME

T = TypeVar("T")

_WAIT = 15.0
_LOOKS = 40
_LOOK = 0.05
_REFRESH = 0.5
_RECENT = 20
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


class Live:
    """The pages of one tournament.

    Args:
        folder: the tournament's folder.
        renderer: source of the game's renderer, or None for the default one.
    """

    def __init__(self, folder: Path, renderer: str | None) -> None:
        self.watcher = Watcher(folder)
        self._renderer = renderer
        self._sent: tuple[object, dict[str, str]] = ((), {})

    async def follow(self) -> None:
        """Reads what is new, again and again; a journal that cannot be read for a while is tried again."""
        while True:
            with suppress(ArenaError):
                await run_in_threadpool(self.watcher.refresh)
            await asyncio.sleep(_REFRESH)

    @property
    def title(self) -> str:
        """The tournament's name."""
        return self.watcher.tournament.config.name

    async def front(self, request: Request) -> Response:
        """The page itself."""
        return _html(pages.front(self.title, screen="screen" in request.query_params))

    async def state(self, request: Request) -> Response:
        """What the page shows; only what has changed since the version that it has."""
        running = self.watcher.running()
        key = (self.watcher.version, bool(running), self.watcher.document.get("finished"))
        if self._sent[0] != key:
            recent = self.watcher.recent(_RECENT)
            document = self.watcher.document
            self._sent = (key, await run_in_threadpool(pages.fragments, document, recent, running))
        version = "-".join(map(str, key))
        fresh = {} if request.query_params.get("version") == version else self._sent[1]
        shown = [{**one, "board": (self.watcher.folder / one["replay"]).is_file()} for one in running]
        return JSONResponse({"version": version, "fragments": fresh, "running": shown}, headers=_HEADERS)

    async def match(self, request: Request) -> Response:
        """The viewer on one match, over or still running."""
        match_id = request.path_params["match_id"]
        names, live = await self._patiently(lambda: self._names(match_id))
        legs = self.watcher.legs(match_id)
        listed = [{"url": f"/replay/{leg}", "live": live and leg == match_id} for leg in legs]
        config = {"legs": listed, "leg": legs.index(match_id)}
        text, policy = page.served_page(config, "/renderer.js", " – ".join(names))
        return _html(text, policy)

    async def _patiently(self, look: Callable[[], T]) -> T:
        """Look again for a moment: between its end and its place in the journal a match is nowhere."""
        for _ in range(_LOOKS):
            with suppress(HTTPException):
                return look()
            await asyncio.sleep(_LOOK)
        return look()

    def _names(self, match_id: str) -> tuple[list[str], bool]:
        if found := self.watcher.match(match_id):
            return list(found[0].names), False
        for one in self.watcher.running():
            if one["match_id"] == match_id:
                return one["names"], True
        raise HTTPException(404, "There is no such match.")

    def _replay_path(self, match_id: str) -> Path:
        if found := self.watcher.match(match_id):
            if found[1].replay:
                return self.watcher.folder / found[1].replay
        else:
            for one in self.watcher.running():
                if one["match_id"] == match_id:
                    return self.watcher.folder / str(one["replay"])
        raise HTTPException(404, "There is no such replay.")

    async def replay(self, request: Request) -> Response:
        """The bytes of a replay, or what it has gained; the viewer's own way of following a growing file."""
        match_id = request.path_params["match_id"]
        have = request.query_params.get("from")
        known = request.query_params.get("generation", "")
        data, generation = await self._bytes(match_id)
        if have is None or not have.isdigit():
            return Response(data, media_type="application/octet-stream", headers=_HEADERS)
        end = asyncio.get_running_loop().time() + _WAIT
        while generation == known and len(data) <= int(have) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(_LOOK)
            data, generation = await self._bytes(match_id)
        whole = generation != known
        headers = {**_HEADERS, "X-Arena-Generation": generation, "X-Arena-Whole": str(int(whole))}
        body = data if whole else data[int(have) :]
        return Response(body, media_type="application/octet-stream", headers=headers)

    async def _bytes(self, match_id: str) -> tuple[bytes, str]:
        for again in range(_LOOKS, -1, -1):
            path = await self._patiently(lambda: self._replay_path(match_id))
            try:
                data = await run_in_threadpool(public_bytes, path)
                return data, str(path.stat().st_ino)
            except (OSError, ReplayError) as error:  # a finished replay is moved to its place
                if not again:
                    raise HTTPException(404, "The replay is not there any more.") from error
            await asyncio.sleep(_LOOK)
        raise AssertionError("unreachable")

    async def bot(self, request: Request) -> Response:
        """One bot's record."""
        name = self._bot_name(request)
        token = request.query_params.get("token", "")
        matches = self.watcher.of_bot(name)
        text = await run_in_threadpool(
            pages.bot_page,
            self.title,
            name,
            self.watcher.document,
            self.watcher.statistics,
            matches,
            rating_history(name, matches),
            token if self._is_owner(name, token) else "",
        )
        return _html(text)

    async def log(self, request: Request) -> Response:
        """What one bot wrote in one match, for its owner."""
        name, match_id = self._bot_name(request), request.path_params["match_id"]
        found = self.watcher.match(match_id)
        if not self._is_owner(name, request.query_params.get("token", "")):
            raise HTTPException(403, "These logs are for the bot's owner.")
        if found is None or name not in found[0].names:
            raise HTTPException(404, "There is no such match.")
        seat = found[0].names.index(name)
        try:
            lines = await run_in_threadpool(own_notes, self._replay_path(match_id), seat)
        except (OSError, ReplayError) as error:
            raise HTTPException(404, "The replay is not there any more.") from error
        return _html(pages.log_page(self.title, name, match_id, lines, found[1].players[seat].explained))

    def _bot_name(self, request: Request) -> str:
        name: str = request.path_params["name"]
        if name not in self.watcher.tournament.names:
            raise HTTPException(404, "There is no such bot.")
        return name

    def _is_owner(self, name: str, token: str) -> bool:
        return hmac.compare_digest(token.encode(), token_of(self.watcher.tournament.secret, name).encode())

    async def script(self, request: Request) -> Response:  # noqa: ARG002
        """The page's own script."""
        text = (resources.files("arena.web.tournament") / "live.js").read_text(encoding="utf-8")
        return Response(text, media_type="text/javascript", headers=_HEADERS)

    async def renderer(self, request: Request) -> Response:  # noqa: ARG002
        """The game's renderer."""
        return Response(page.renderer_or_default(self._renderer), media_type="text/javascript", headers=_HEADERS)

    async def viewer(self, request: Request) -> Response:
        """A file of the viewer."""
        name = request.path_params["name"]
        if name == "style.css":
            return Response(page.style(), media_type="text/css", headers=_HEADERS)
        if not NAME.fullmatch(name):
            raise HTTPException(404, "There is nothing here.")
        try:
            return Response(page.asset(name), media_type="text/javascript", headers=_HEADERS)
        except OSError as error:
            raise HTTPException(404, "There is nothing here.") from error


def rating_history(name: str, matches: list[Any]) -> list[float]:
    """A bot's skill after each of its matches, against opponents of unknown strength."""
    history = [MU]
    known: dict[str, Skill] = {}
    for spec, result in matches:
        skills = [known.setdefault(other, Skill()) for other in spec.names]
        after = updated(skills, [result.points(seat) for seat in range(len(spec.names))])
        known.update(zip(spec.names, after, strict=True))
        history.append(known[name].mu)
    return history


def _html(text: str, policy: str = pages.POLICY) -> Response:
    return HTMLResponse(text, headers={**_HEADERS, "Content-Security-Policy": policy})


async def _sorry(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, HTTPException)
    text = pages.sorry(error.detail)
    return HTMLResponse(text, error.status_code, {**_HEADERS, "Content-Security-Policy": pages.POLICY})


def application(folder: Path, renderer: str | None) -> Starlette:
    """The application of one tournament.

    Raises:
        ArenaError: there is no tournament in the folder.
    """
    live = Live(folder, renderer)
    live.watcher.refresh()
    routes: list[tuple[str, Callable[[Request], Any]]] = [
        ("/", live.front),
        ("/state", live.state),
        ("/live.js", live.script),
        ("/renderer.js", live.renderer),
        ("/viewer/{name:path}", live.viewer),
        ("/match/{match_id}", live.match),
        ("/replay/{match_id}", live.replay),
        ("/bot/{name}", live.bot),
        ("/bot/{name}/log/{match_id}", live.log),
    ]
    return Starlette(
        routes=[Route(path, endpoint, methods=["GET"]) for path, endpoint in routes],
        exception_handlers={HTTPException: _sorry},
        lifespan=partial(_lifespan, live),
    )


@asynccontextmanager
async def _lifespan(live: Live, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001
    task = asyncio.create_task(live.follow())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
