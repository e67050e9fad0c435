"""What visitors can make a server compute: few at a time, kept pages once, and nothing that the end waits for."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from shortened import shortened
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from waiting import until

from arena.web import computing
from arena.web.computing import SharedPages, unshared
from arena.web.contests import public
from arena.web.contests.app import ContestPages
from arena.web.contests.following import Follower
from arena.web.server import Server

Endpoint = Callable[[Request], Awaitable[Response]]


class Slow:
    """A page that takes a moment, and counts how it is computed."""

    def __init__(self) -> None:
        self.running = self.most = 0
        self.order: list[str] = []

    def __call__(self, request: Request) -> Response:
        self.running += 1
        self.most = max(self.most, self.running)
        self.order.append(request.query_params["n"])
        time.sleep(0.01)
        self.running -= 1
        return PlainTextResponse(str(len(self.order)))


def ask(endpoint: Endpoint, *numbers: int) -> list[str]:
    """Ask for pages at the same time, and return the answers."""

    async def crowd() -> list[str]:
        transport = httpx.ASGITransport(Starlette(routes=[Route("/", endpoint)]))
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            answers = await asyncio.gather(*(client.get(f"/?n={number}") for number in numbers))
        return [answer.text for answer in answers]

    with ThreadPoolExecutor(1) as pool:  # the browser of other tests has a loop in this thread
        return pool.submit(lambda: asyncio.run(crowd())).result()


def number_of(request: Request) -> str:
    return request.query_params["n"]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.promise("long-answers")
def test_few_pages_are_computed_at_the_same_time_in_the_order_of_the_requests(kept: bool) -> None:
    slow = Slow()
    numbers = [number for number in range(20) for _ in range(1 + kept)]
    ask(SharedPages(lambda: 0).shared(slow, number_of) if kept else unshared(slow), *numbers)
    assert slow.most == 2
    assert len(slow.order) == 20, "a kept page is computed once for all who wait for it"
    begun = [int(n) for n in slow.order]
    overtaken = [set(range(n)) - set(begun[:at]) for at, n in enumerate(begun)]
    assert all(len(one) <= 1 for one in overtaken), "one of two threads can be slow to begin"


def test_a_page_that_shows_only_a_state_is_computed_once_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "FRESH", 0.0)
    slow, state = Slow(), 1
    endpoint = SharedPages(lambda: 0).shared(slow, state=lambda: state)
    assert [*ask(endpoint, 1, 2), *ask(endpoint, 3)] == ["1", "1", "1"]
    state = 2
    assert ask(endpoint, 1) == ["2"]
    assert ask(SharedPages(lambda: 0).shared(slow), 1) == ["3"]


class Held:
    """Counts the calls of a function, and holds each until it is released."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call
        self.count = 0
        self.release = threading.Event()

    def __call__(self, *args: Any) -> Any:
        self.count += 1
        assert self.release.wait(60)
        return self.call(*args)


@pytest.mark.process
@pytest.mark.promise("computed-pages")
def test_pages_of_a_contest_are_made_once_and_the_first_page_waits_for_none(
    sites: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, bots = Held(public.to_csv), Held(public.entrant_record)
    monkeypatch.setattr(public, "to_csv", tables)
    monkeypatch.setattr(public, "entrant_record", bots)
    folder = sites("contest").folder / "contest"
    server = Server(ContestPages(Follower(folder)).application(), public=True)
    server.start()
    places = [f"data/seats.csv?random={number}" for number in range(50)]
    places += [f"team/rowdy?token={number}" for number in range(50)]
    try:
        with ThreadPoolExecutor(100) as pool, httpx.Client(base_url=server.url, timeout=60) as client:
            answers = [pool.submit(httpx.get, server.url + place, timeout=60) for place in places]
            until(lambda: tables.count and bots.count)
            for place in ("", "standings.json", "nothing", "viewer/main.js"):
                assert client.get(place).status_code == (404 if place == "nothing" else 200), place
            assert not [answer.exception() or answer.result() for answer in answers if answer.done()]
            tables.release.set()
            bots.release.set()
            assert {answer.result().status_code for answer in answers} == {200}
            assert len({answer.result().text for answer in answers}) == 2
    finally:
        server.stop()
    assert (tables.count, bots.count) == (1, 1)


SERVER = """
import time
from starlette.responses import PlainTextResponse
from arena.web.computing import SharedPages, unshared
from arena.web.contests import public
from arena.web.contests.app import ContestPages
from arena.web.contests.following import Follower
from arena.web.pages import application
from arena.web.server import Server

def endless(request):
    print("begun", flush=True)
    time.sleep(600)

pages = SharedPages(lambda: 0)
server = Server(application({"/kept": pages.shared(endless), "/other": unshared(endless)}), public=True)
print(server.port, flush=True)
server.run()
print("ended", flush=True)
"""


@pytest.mark.process
@pytest.mark.parametrize("path", shortened(["kept", "other"]))
@pytest.mark.promise("long-answers")
def test_the_end_waits_for_no_computation(path: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout, ThreadPoolExecutor(1) as pool:
        url = f"http://127.0.0.1:{int(process.stdout.readline())}/{path}"
        asked = pool.submit(lambda: httpx.get(url, timeout=60))
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, "a computation takes 600 s"
        assert process.stdout.read() == "ended\n"
        assert asked.result().status_code == 503
