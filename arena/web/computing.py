"""What visitors can make a server compute: in threads of its own, and few at a time.

A page that many visitors ask for is computed once for all of them, and kept (`SharedPages`). What is made for one
request, such as a page of a bot's log or the public copy of a replay, has places of its own (`computed`). Both can take
long, since bots wrote what is shown. Forms, uploads and small files do not belong here: they use the threads of the
event loop's pool, and nothing here takes one of those. At the end of the server, nobody waits for a computation.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.text.printable import print_traceback
from arena_replays import ReplayError

AT_ONCE: Final = 2
"""The number of computations at the same time. More would only take time from each other, and all would come late."""
FRESH: Final = 1.0
"""Seconds after which a kept page is computed again. Results of matches come less often, and nobody sees the delay."""
_MOST_KEPT: Final = 1000
LARGEST_KEPT: Final = 16 * 1024 * 1024
"""The limits of the kept pages: their number, and the bytes of all of them. Chosen, not measured: a contest with some
hundred teams fits, and visitors who ask for addresses that do not exist take little memory."""
T = TypeVar("T")
Endpoint = Callable[[Request], Response]
_Key = tuple[str, str]
"""A reader, and an address."""


async def in_daemon(call: Callable[..., T], *args: Any) -> T:
    """Call a function in a new thread. If the caller is cancelled, or the process ends, nobody waits for the thread."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = call(*args)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=run, name="computation", daemon=True).start()
    return await asyncio.wrap_future(future)


def of_loop(request: Request, name: str, make: Callable[[], T]) -> T:
    """Return a value of the application and of this event loop: what can be awaited belongs to one loop."""
    state, loop = request.app.state, asyncio.get_running_loop()
    entry: tuple[Any, T] | None = getattr(state, name, None)
    if entry is None or entry[0] is not loop:
        entry = loop, make()
        setattr(state, name, entry)
    return entry[1]


async def computed(request: Request, call: Callable[..., T], *args: Any) -> T:
    """Call a function for one request, in the order of the requests; few at the same time."""
    async with of_loop(request, "places", lambda: asyncio.Semaphore(AT_ONCE)):
        return await in_daemon(call, *args)


def unshared(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint whose answer is computed for each request."""

    async def answer(request: Request) -> Response:
        return await computed(request, endpoint, request)

    return answer


@dataclass(frozen=True, slots=True)
class _KeptPage:
    """A page, and what it was computed from.

    Attributes:
        order: The number of `SharedPages` at that time.
        state: The state that the page shows, if it shows nothing else.
        fresh_until: The monotonic time until which it is sent without a further computation.
    """

    order: int
    state: Hashable
    fresh_until: float
    response: Response


class SharedPages:
    """Keeps pages: one for each reader, such as one for all visitors without a session.

    A page that is a second old is computed again, once for all who wait for it. During the computation, other visitors
    get the old page.

    Args:
        order: Returns a number. If it changes, no page from before is shown any more.
        reader: Returns whose page a request gets, "" for that of everybody, and None for one that is not kept.
    """

    def __init__(self, order: Callable[[], int], reader: Callable[[Request], str | None] = lambda _: "") -> None:
        self._order = order
        self._reader = reader
        self._kept: dict[_Key, _KeptPage] = {}
        self._computations: dict[_Key, tuple[int, asyncio.Task[Response]]] = {}
        self._size = 0
        self._places = asyncio.Semaphore(AT_ONCE)

    def shared(
        self,
        endpoint: Endpoint,
        part: Callable[[Request], str] = lambda _: "",
        state: Callable[[], Hashable] = lambda: None,
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that sends a kept page.

        Args:
            part: Returns what the page depends on, besides its path. Other parameters and cookies must not make a page
                to compute.
            state: Returns the state that the page shows, if it shows nothing else. It is computed once for each state.
        """

        async def compute(request: Request) -> Response:
            async with self._places:
                return await in_daemon(endpoint, request)

        async def compute_and_keep(key: _Key, order: int, request: Request) -> Response:
            computation = order, asyncio.current_task()
            try:
                # Before the page: a change during the computation must not count as shown.
                state_before = state()
                response = await compute(request)
                if self._computations.get(key) == computation:
                    self._keep(key, _KeptPage(order, state_before, time.monotonic() + FRESH, response))
                return response
            finally:
                if self._computations.get(key) == computation:
                    del self._computations[key]

        def is_fresh(page: _KeptPage) -> bool:
            return time.monotonic() < page.fresh_until or (page.state is not None and page.state == state())

        async def answer(request: Request) -> Response:
            reader = self._reader(request)
            if reader is None:
                return await compute(request)
            key = reader, f"{request.url.path}?{part(request)}"
            order, page = self._order(), self._kept.get(key)
            is_computed = key in self._computations and self._computations[key][0] == order
            if page and page.order == order and (is_computed or is_fresh(page)):
                return page.response
            if not is_computed:
                self._computations[key] = order, asyncio.create_task(compute_and_keep(key, order, request))
            return await asyncio.shield(self._computations[key][1])

        return answer

    def changing(self, form: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a form after which its sender gets no page from before."""

        async def answer(request: Request) -> Response:
            reader = self._reader(request)
            try:
                response: Response = await form(request)
                return response
            finally:
                if reader:
                    self._forget(reader)

        return answer

    def _forget(self, reader: str) -> None:
        for key in [key for key in {*self._kept, *self._computations} if key[0] == reader]:
            self._computations.pop(key, None)
            if key in self._kept:
                self._size -= _size(key, self._kept.pop(key))

    def _keep(self, key: _Key, page: _KeptPage) -> None:
        """Keep a page. Anybody can ask for any number of addresses, so pages and addresses have limits together."""
        before = self._kept.pop(key, None)
        self._size += _size(key, page) - (_size(key, before) if before else 0)
        if len(self._kept) >= _MOST_KEPT or self._size > LARGEST_KEPT:
            self._kept.clear()
            self._size = _size(key, page)
        self._kept[key] = page


def _size(key: _Key, page: _KeptPage) -> int:
    return sum(map(len, key)) + len(page.response.body)


def failure(error: Exception, what: str) -> dict[str, str]:
    """Return the ``message`` and the ``hint`` for a page whose match, explanation or estimate ended with an error.

    For a fault of Arena, print the traceback.
    """
    if isinstance(error, ArenaError | ReplayError):
        return {"message": str(error), "hint": error.hint}
    if isinstance(error, OSError) and error.strerror:  # for example, the system has no free socket or process
        return {"message": f"{what} failed: {error.strerror}.", "hint": ""}
    print_traceback(error)
    hint = "The output of the server has a traceback. Please report it."
    return {"message": f"{what} failed because of a fault of Arena.", "hint": hint}
