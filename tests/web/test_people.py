"""What a person's page gets: nothing that is hidden from the seat, and nothing without the secret address."""

from __future__ import annotations

import asyncio
import re
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from arena.game import Seeded, registry
from arena.web.pages import application
from arena.web.server import Server

pytestmark = pytest.mark.process

FOG = {"rules": {"fog_of_war": True}}
SEED = 5
BOT = """
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        for action in {actions}:
            self.act(action)
"""


class Play:
    """A running ``arena play`` with one person."""

    def __init__(self, arena: str, folder: Path, *words: str) -> None:
        command = [arena, "play", *words, "--no-browser", "--json", "--replay", "none"]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.link = self.process.stderr.readline().split()[-1]
        self.origin = re.match(r"http://[^/]*", self.link)[0]  # type: ignore[index]
        self.socket = self.link.replace("http:", "ws:") + "/0"

    def connect(self, address: str = "", **headers: Any) -> ClientConnection:
        return connect(address or self.socket, origin=headers.pop("origin", self.origin), proxy=None, **headers)


@pytest.fixture
def play(arena_path: str, tmp_path: Path) -> Iterator[Callable[..., Play]]:
    started: list[Play] = []

    def run(*words: str) -> Play:
        started.append(Play(arena_path, tmp_path, *words))
        return started[-1]

    yield run
    for one in started:
        one.process.terminate()  # so that it ends the match and its bots in order
        one.process.communicate(timeout=60)


def hidden_action() -> dict[str, Any]:
    """Return an action of player 1 that player 0 does not notice, played after player 0 has ended the first turn."""
    game = registry.load("laser_flag")
    state = game.start(game.resolve_options(FOG), Seeded(f"{SEED}/setup"))
    state.push(0, {"type": "end_turn"}, Seeded(0))
    mark = state.mark
    for action in state.legal_actions(1):
        if action["type"] == "move":
            before, digest = (state.view(0), state.events(mark, 0)), state.digest()
            undo = state.push(1, action, Seeded(0))
            same = (state.view(0), state.events(mark, 0)) == before
            changed = state.digest() != digest
            state.pop(undo)
            if same and changed:
                return action
    raise AssertionError("every move is seen")


def frames(running: Play, until: int) -> list[bytes]:
    """Return the frames that a page gets, while the person ends every turn, up to a number of own turns."""
    got = []
    turns = 0
    with running.connect() as socket:
        while turns < until:
            frame = socket.recv(20)
            assert isinstance(frame, bytes)
            got.append(frame)
            message = msgpack.unpackb(frame)
            if message["type"] == "turn":
                turns += 1
                end = message["legal_actions"].index({"type": "end_turn"})
                socket.send(f'{{"seq": {message["seq"]}, "number": {end}}}')
    return got


@pytest.mark.promise("persons-view")
def test_the_bytes_are_the_same_when_only_hidden_things_differ(play: Callable[..., Play], tmp_path: Path) -> None:
    received = []
    for actions in ([], [hidden_action()]):
        (tmp_path / "bot.py").write_text(BOT.format(actions=actions))
        words = ("--seed", str(SEED), "--no-swap", "-o", 'rules={"fog_of_war": true}', "--sandbox", "none")
        running = play("laser_flag", "human", "bot.py", *words)
        with urllib.request.urlopen(running.link) as answer:
            page = answer.read().replace(running.link.split("/")[3].encode(), b"KEY")
        received.append([page.replace(running.link.split("/")[5].encode(), b"TOKEN"), *frames(running, 2)])
    assert received[0] == received[1]
    assert len(received[0]) > 4
    assert all(b"seed" not in frame for frame in received[0])


def test_a_seen_move_changes_the_bytes(play: Callable[..., Play], tmp_path: Path) -> None:
    """The test above would notice it: without fog, the same action is sent."""
    received = []
    for actions in ([], [hidden_action()]):
        (tmp_path / "bot.py").write_text(BOT.format(actions=actions))
        words = ("--seed", str(SEED), "--no-swap", "--sandbox", "none")
        received.append(frames(play("laser_flag", "human", "bot.py", *words), 2))
    assert received[0] != received[1]


@pytest.mark.promise("persons-seat")
def test_nobody_else_gets_in(play: Callable[..., Play]) -> None:
    running = play("saloon", "human", "builtin:rowdy")
    key, token = running.link.split("/")[3], running.link.split("/")[5]
    for address, origin in (
        (running.socket, "http://evil.example"),
        (running.socket, None),
        (running.socket.replace(key, "x" * 22), running.origin),
        (running.socket.replace(token, "x" * 22), running.origin),
        (running.socket.replace("/0", "/7"), running.origin),
        (running.socket.replace("127.0.0.1", "localhost"), running.origin),
    ):
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            running.connect(address, origin=origin).recv(5)
    for address in (running.link.replace(key, "x" * 22), running.link.replace(token, "x" * 22)):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(address)


@pytest.mark.promise("persons-clicks")
def test_nonsense_and_late_clicks_cost_nothing(play: Callable[..., Play]) -> None:
    running = play("saloon", "human", "builtin:rowdy", "-o", "max_turns=2")
    with running.connect() as socket:
        message: dict[str, Any] = {}
        while message.get("type") != "turn":
            message = msgpack.unpackb(socket.recv(20))
        seq = message["seq"]
        wrong = [f'{{"seq": {seq}, "number": {number}}}' for number in ("99", '"0"', "null")]
        for text in ("", "[]", "{}", '{"seq": 1}', *wrong):
            socket.send(text)
            assert msgpack.unpackb(socket.recv(20))["type"] == "notice"
        socket.send(f'{{"seq": {seq}, "number": 1}}')
        socket.send(f'{{"seq": {seq}, "number": 1}}')  # a second click
        types = [msgpack.unpackb(socket.recv(20))["type"] for _ in range(2)]
        assert sorted(types) == ["notice", "result"]
        socket.send('{"resign": true}')
        while message["type"] != "gone":
            message = msgpack.unpackb(socket.recv(20))
    assert '"resigned"' in running.process.communicate(timeout=20)[0]


def test_a_page_may_leave_while_it_is_sent_something(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def endpoint(socket: WebSocket) -> None:
        await socket.accept()
        try:
            while True:
                await socket.send_text("more")
                await asyncio.sleep(0.001)
        finally:
            ended.set()

    server = Server(application({}, sockets={"/more": endpoint}), sockets=True)
    server.start()
    origin = server.url.rsplit("/", 2)[0]
    with connect(server.url.replace("http", "ws") + "more", origin=origin, proxy=None) as socket:
        assert socket.recv(20) == "more"
    assert ended.wait(20)
    server.stop()
    assert [record.getMessage() for record in caplog.records if record.name == "uvicorn.error"] == []
