"""Clients that want too much of a server: half requests, slow bodies, unread answers, many requests at once."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from waiting import until

from arena.web.pages import application
from arena.web.server import LimitedConnection, Server
from arena_replays import Reader, Writer

LANDED = Path(__file__).parents[1] / "replays"
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
PERIOD = 0.5
ANSWER = 40_000_000


class Held:
    """An application whose page /held waits until it is released."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.waiting = 0

    async def held(self, request: Request) -> Response:
        self.waiting += 1
        while not self.release.is_set():
            await run_in_threadpool(time.sleep, 0.05)
        return PlainTextResponse("released")

    async def upload(self, request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def large(self, request: Request) -> Response:
        return Response(b"x" * ANSWER)

    async def small(self, request: Request) -> Response:
        return PlainTextResponse("small")


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def server(held: Held, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("arena.web.server.SECONDS", PERIOD)
    routes: dict[str, Any] = {"/held": held.held, "/large": held.large, "/": held.small}
    server = Server(application(routes, forms={"/upload": held.upload}), public=True, forms=True)
    server.start()
    yield server
    held.release.set()
    server.stop()


def connect(server: Server, *parts: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    for part in parts:
        connection.sendall(part)
    return connection


def request(path: str, *headers: str, method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def seconds_until_closed(connection: socket.socket) -> float:
    began = time.monotonic()
    with contextlib.suppress(ConnectionError):
        while connection.recv(65536):
            pass
    return time.monotonic() - began


@pytest.mark.parametrize("start", [b"", HALF, request("/") + HALF])
@pytest.mark.promise("half-requests")
def test_a_connection_without_a_whole_request_is_closed_in_time(server: Server, start: bytes) -> None:
    with connect(server, start) as connection:
        assert PERIOD * 0.8 < seconds_until_closed(connection) < 8  # at 5 s, where a request was answered before


def test_a_header_that_drips_is_no_whole_request(server: Server) -> None:
    with connect(server, HALF) as connection:
        ended = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not ended.wait(PERIOD / 5):
                    connection.send(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        assert seconds_until_closed(connection) < 5
        ended.set()
        thread.join()


UPLOAD = ("Authorization: Bearer x", "Content-Type: text/plain")


@pytest.mark.promise("slow-bodies")
def test_a_body_that_hardly_moves_is_given_up(server: Server) -> None:
    with connect(server, request("/upload", *UPLOAD, "Content-Length: 1000", method="POST"), b"x") as connection:
        assert seconds_until_closed(connection) < 5


def test_a_body_that_takes_longer_than_the_limit_but_moves_is_taken(server: Server) -> None:
    part, count = b"x" * 10_240, 12
    with connect(server, request("/upload", *UPLOAD, f"Content-Length: {len(part) * count}", method="POST")) as one:
        for _ in range(count):
            one.sendall(part)
            time.sleep(PERIOD / 3)
        assert str(len(part) * count).encode() in one.recv(65536) + one.recv(65536)


@pytest.mark.promise("slow-bodies")
def test_an_answer_that_nobody_reads_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    given_up, abort = threading.Event(), LimitedConnection.abort

    def aborted(connection: LimitedConnection) -> None:
        abort(connection)
        given_up.set()

    monkeypatch.setattr(LimitedConnection, "abort", aborted)
    with connect(server, request("/large")) as connection:
        assert given_up.wait(60)  # before that, whoever reads gets all of it
        got = 0
        with contextlib.suppress(ConnectionError):
            while data := connection.recv(1 << 20):
                got += len(data)
        assert got < ANSWER


def test_an_answer_that_waits_longer_than_the_limits_arrives(server: Server, held: Held) -> None:
    with connect(server, request("/held")) as connection:
        time.sleep(4 * PERIOD)
        held.release.set()
        assert b"released" in connection.recv(65536) + connection.recv(65536)


@pytest.mark.promise("all-requests")
def test_one_address_behind_a_proxy_gets_a_part_of_all_requests(server: Server, held: Held) -> None:
    most = 128
    one, other = (f"X-Forwarded-For: 192.0.2.{number}" for number in (1, 2))
    with contextlib.ExitStack() as stack:
        for _ in range(most):
            stack.enter_context(connect(server, request("/held", one)))
        until(lambda: held.waiting >= most)
        refused = stack.enter_context(connect(server, request("/", one))).recv(65536)
        assert refused.startswith(b"HTTP/1.1 429 ")
        for headers in ((other,), ()):
            taken = stack.enter_context(connect(server, request("/", *headers))).recv(65536)
            assert taken.startswith(b"HTTP/1.1 200 ")
        held.release.set()


@pytest.mark.kill  # many seconds of waiting
@pytest.mark.process
@pytest.mark.promise("half-requests")
def test_half_requests_keep_nobody_out_and_leave_descriptors_for_matches(tmp_path: Path, arena_path: str) -> None:
    command = f"ulimit -n 256; exec {arena_path} view --no-browser"
    process = subprocess.Popen(["sh", "-c", command], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://[^/]+:(\d+)/\S+", process.stdout.readline())
    assert found
    stop = threading.Event()

    def attack() -> None:
        selector = selectors.DefaultSelector()
        address = ("127.0.0.1", int(found[1]))
        for _ in range(400):
            selector.register(socket.create_connection(address), selectors.EVENT_READ)
        for key in list(selector.get_map().values()):
            with contextlib.suppress(OSError):
                key.fileobj.send(HALF)  # type: ignore[union-attr]
        while not stop.is_set():
            for key, _ in selector.select(0.1):
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                with contextlib.suppress(OSError):
                    again = socket.create_connection(address, timeout=5)
                    selector.register(again, selectors.EVENT_READ)
                    again.send(HALF)
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        time.sleep(1)
        for _ in range(12):
            with urllib.request.urlopen(found[0], timeout=5) as answer:
                assert answer.status == 200
            assert len(os.listdir(f"/proc/{process.pid}/fd")) < 224
            time.sleep(0.5)
    finally:
        stop.set()
        attacker.join()
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()


@pytest.mark.process
@pytest.mark.alone
@pytest.mark.parametrize("finished", shortened([False, True]))
@pytest.mark.promise("waiting-pages")
def test_many_requests_that_wait_for_a_replay_cost_next_to_nothing(
    start: Callable[..., Any], tmp_path: Path, finished: bool
) -> None:
    path = tmp_path / "match.arena"
    path.write_bytes((LANDED / "saloon.arena").read_bytes())
    writer = None if finished else Writer(path, {**Reader(path).header, "streams": 1})
    if writer is not None:
        writer.setup([], [["game", "+", "Game"]])
    site = start(tmp_path, "view", "--no-browser", path.name)
    url = site.url.replace("/view/", "/replay/")
    with urllib.request.urlopen(url, timeout=20) as answer:
        have, generation = len(answer.read()), answer.headers["X-Arena-Generation"]
    place = "/" + url.split("/", 3)[3]
    wait = request(f"{place}?from={have}&generation={generation}").replace(b"localhost", b"127.0.0.1")
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(socket.create_connection(("127.0.0.1", site.port))) for _ in range(400)]
        for one in waiting:
            one.sendall(wait)
        time.sleep(2)
        before = seconds_used(site.process.pid)
        time.sleep(4)
        assert seconds_used(site.process.pid) - before < 1
        with urllib.request.urlopen(url, timeout=5) as answer:
            assert len(answer.read()) == have
        if writer is not None:
            writer.finish({"outcome": {"winner": 0}})
            for one in waiting:
                one.settimeout(10)
                assert one.recv(4096).startswith(b"HTTP/1.1 200 ")


def seconds_used(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
