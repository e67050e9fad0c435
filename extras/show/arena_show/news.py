"""Documents that many browsers wait for: each is made once for all who want it, and sent when it has changed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from arena.web.contests.extending import ServedContest, json_page

Document = dict[str, Any]
_LOOK: Final = 0.03
"""Seconds between two looks at the journal. One task looks for all, and nobody sees a shorter delay."""
_KEPT: Final = 500


class News:
    """The newest documents, by what they are for.

    Args:
        version: Returns another number after each entry of the journal from which documents follow.
        period: Returns for a key after how many seconds its document can be another one without a new entry of the
            journal; None if it cannot.
    """

    def __init__(
        self, contest: ServedContest, version: Callable[[], int], period: Callable[[str], float | None]
    ) -> None:
        self._contest = contest
        self._version = version
        self._period = period
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: dict[str, tuple[object, asyncio.Task[tuple[str, Document]]]] = {}
        self._change: asyncio.Task[None] | None = None

    async def answer(
        self,
        request: Request,
        key: str,
        make: Callable[[], Document],
        more: Callable[[Document], Document] = lambda _: {},
    ) -> Response:
        """Return a document as soon as it is another one than that with the revision in the query (``after``).

        Args:
            key: Whom it is for. Who has the same key gets the same document.
            more: Returns what is added for this request alone, from the document. It must cost nothing.
        """
        after, end = request.query_params.get("after", ""), time.monotonic() + self._contest.wait
        while True:
            number = self._contest.number
            revision, document = await self._newest(key, make)
            if own := more(document):
                document, revision = document | own, revision + _revision(own)
            if revision != after or time.monotonic() > end or self._contest.is_stopping(request):
                return json_page({"revision": revision, "now": int(1000 * time.time()), **document})
            await self._changed(request, number, min(end - time.monotonic(), self._period(key) or self._contest.wait))

    async def _newest(self, key: str, make: Callable[[], Document]) -> tuple[str, Document]:
        self._of_this_loop()
        stamp, (before, task) = self._stamp(key), self._made.get(key, (None, None))
        if task is None or before != stamp:
            if len(self._made) >= _KEPT:
                del self._made[next(iter(self._made))]
            task = asyncio.create_task(_made(make))
            self._made[key] = stamp, task
        try:
            return await asyncio.shield(task)
        except Exception:
            self._made.pop(key, None)
            raise

    def _stamp(self, key: str) -> object:
        period = self._period(key)
        return self._version(), int(time.time() / period) if period else 0

    async def _changed(self, request: Request, number: int, seconds: float) -> None:
        """Wait for an entry after that with a number, or until the server stops, but at most so many seconds."""
        if self._contest.number != number:  # it came while the document was made
            return
        if self._change is None or self._change.done():
            self._change = asyncio.create_task(self._look(request, number))
        await asyncio.wait([self._change], timeout=max(0.0, seconds))

    async def _look(self, request: Request, number: int) -> None:
        end, is_stopping = time.monotonic() + self._contest.wait, self._contest.is_stopping
        while self._contest.number == number and time.monotonic() < end and not is_stopping(request):
            await asyncio.sleep(_LOOK)

    def _of_this_loop(self) -> None:
        """Forget the tasks of another event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._made, self._change = loop, {}, None


async def _made(make: Callable[[], Document]) -> tuple[str, Document]:
    document = await run_in_threadpool(make)
    return _revision(document), document


def _revision(document: Document) -> str:
    return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
