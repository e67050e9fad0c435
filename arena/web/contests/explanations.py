"""Explanations that readers' browsers have computed: each is checked in the background, and then shown to all readers.

What is sent, and how it is checked, is in `arena.study.coach.answers`. A check is one process, for some seconds, and
only one runs at a time.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.people.accounts import Limiter
from arena.contests.people.uploads import DAY
from arena.study.coach.answers import LARGEST, judged
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.stored import save, stored
from arena.web.contests.public import watched_match
from arena.web.contests.requests import body_of, check_csrf
from arena.web.contests.site import Site
from arena.web.pages import Endpoint, json_page

PER_DAY: Final = 50
"""How many explanations a person may send in 24 hours: more than anybody reads, and some minutes of one core."""
MOST_WAITING: Final = 8
"""So many explanations wait for their check. Who comes later sees the own result, and the next reader sends one."""


class SentExplanations:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._sent = Limiter(PER_DAY, DAY)
        self._turn = asyncio.Semaphore(1)
        self._waiting = 0

    def forms(self) -> dict[str, Endpoint]:
        return {"/match/{match_id}/explained": self._take}

    async def _take(self, request: Request) -> Response:
        """Accept an explanation of a match that the sender may watch. The sender must be signed in."""
        session = self._site.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        views, played = watched_match(self._site, request)
        if played.result is None or not views.is_over(played):
            raise HTTPException(409, "The match is not over.")
        body = await body_of(request, LARGEST, "explanation")
        if not self._sent.take(session.member.id):
            raise HTTPException(429, f"You have sent {PER_DAY} explanations in 24 hours. Try tomorrow.")
        if self._waiting >= MOST_WAITING:
            raise HTTPException(503, "Other explanations wait for their check. Try later.")
        self._waiting += 1
        try:
            async with self._turn:
                problem = await run_in_threadpool(_take_over, self._site.contest.folder / played.replay, body)
        finally:
            self._waiting -= 1
        if problem:
            raise HTTPException(422, problem)
        return json_page({}, 201)


def _take_over(replay: Path, body: bytes) -> str:
    """Save an explanation if it is right, and has more playouts than the one that is saved. Return what is wrong."""
    with ProcessPool(replay, 1) as pool:
        ((_, (document, problem)),) = pool.ask([(judged, body)])
    known = stored(replay).get("playouts", {}).get("count", 0)
    if document is not None and document["playouts"]["count"] > known:
        save(document, replay)
    return str(problem)
