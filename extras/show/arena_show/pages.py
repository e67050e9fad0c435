"""The addresses of a show: pages, their documents, and the bytes of the match that is shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from json import dumps
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.web.contests.extending import ServedContest, ServedPages, assets, json_page
from arena_show.acts import Acts
from arena_show.displays import Displays
from arena_show.evening import Evening
from arena_show.scenes import Document, Scenes

PACKAGE: Final = "arena_show"
_LOOK: Final = 0.05
"""Seconds between two looks whether there is something new. Nobody sees a shorter delay."""
_TURNS: Final = 0.5
"""Seconds between two documents of a match that is shown: who leads changes with its turns."""


def pages(contest: ServedContest) -> ServedPages:
    """Return the pages of the show of a contest."""
    evening = Evening(contest)
    displays = Displays(contest)
    acts, shown = Acts(evening, displays), _Pages(evening, displays)
    routes = {**shown.routes(), **acts.routes(), **assets(PACKAGE, "static")}
    free = ("/display", "/display/state.json", "/show/state.json", "/static/")
    return ServedPages(routes, acts.forms() if contest.writable else {}, {"/show": "Show"}, free)


class _Pages:
    def __init__(self, evening: Evening, displays: Displays) -> None:
        self._evening = evening
        self._contest = evening.contest
        self._displays = displays

    def routes(self) -> dict[str, Callable[[Request], Any]]:
        """Return the endpoints by path."""
        return {
            "/show": self._phone,
            "/show/state.json": self._state,
            "/display": self._display,
            "/display/state.json": self._display_state,
            "/show/match/{match_id}/watch": self._watch,
            "/show/match/{match_id}/replay": self._replay,
        }

    def _phone(self, request: Request) -> Response:
        self._contest.reader(request)
        return self._contest.page(request, PACKAGE, "phone.html", self._contest.name)

    def _display(self, request: Request) -> Response:
        """Return the page of a display, for anybody: what it shows is decided at the desk."""
        return self._contest.page(request, PACKAGE, "display.html", self._contest.name)

    async def _state(self, request: Request) -> Response:
        self._contest.reader(request)
        return await news(request, self._contest, lambda: Scenes(self._evening).document())

    async def _display_state(self, request: Request) -> Response:
        key = self._displays.seen(request.query_params.get("id", ""))
        return await news(request, self._contest, lambda: self._of_display(key))

    def _of_display(self, key: str) -> Document:
        role, code = self._evening.show.roles.get(key), self._displays.code(key)
        document = Scenes(self._evening).document() if role else {"scene": {"id": "waiting", "kind": "waiting"}}
        return document | {"role": role, "code": code}

    # -- the match that is shown -----------------------------------------------------------------------

    def _watch(self, request: Request) -> Response:
        self._displays.reader(request)
        match_id = request.path_params["match_id"]
        row = self._contest.whole().match(match_id)
        if row is None or not (self._evening.shown(match_id) or self._contest.public().may_be_watched(match_id)):
            raise HTTPException(404, "This match is not shown.")
        return self._contest.viewer(request, row.title, f"/show/match/{match_id}/replay", "static/stage.css")

    async def _replay(self, request: Request) -> Response:
        """Return the bytes of the match that is shown, up to its playhead; new ones as soon as there are some."""
        self._displays.reader(request)
        match_id, query = request.path_params["match_id"], request.query_params
        offset, end = int(query.get("from", "") or 0), time.monotonic() + self._contest.wait
        while True:
            found = await run_in_threadpool(self._bytes, match_id)
            if found is None:
                raise HTTPException(404, "This match is not shown.")
            generation, data = found
            start = offset if query.get("generation", "") == generation else 0
            if not start or len(data) > start or time.monotonic() > end or self._contest.is_stopping(request):
                break
            await asyncio.sleep(_LOOK)
        headers = {"X-Arena-Generation": generation, "X-Arena-Whole": str(int(not start))}
        return Response(data[start:], headers=headers, media_type="application/octet-stream")

    def _bytes(self, match_id: str) -> tuple[str, bytes] | None:
        """Return what there is of a match that is shown, and the number of its showing."""
        shown, public = self._evening.shown(match_id), self._contest.public()
        if shown is not None:
            number, film = shown
            return str(number), film.source.read(0, film.playhead.size_at(self._evening.elapsed(film)))
        if public.may_be_watched(match_id):
            return "whole", public.copy(match_id)
        return None


async def news(request: Request, contest: ServedContest, make: Callable[[], Document]) -> Response:
    """Return a document, as soon as it is another one than that with the revision in the query (``after``)."""
    after, end = request.query_params.get("after", ""), time.monotonic() + contest.wait
    number, made = -1, -_TURNS
    while True:
        if contest.number != number or time.monotonic() - made >= _TURNS:
            number, made = contest.number, time.monotonic()
            document = await run_in_threadpool(make)
            revision = sha256(dumps(document, sort_keys=True).encode()).hexdigest()[:16]
            if revision != after:
                break
        if time.monotonic() > end or contest.is_stopping(request):
            break
        await asyncio.sleep(_LOOK)
    return json_page({"revision": revision, **document})
