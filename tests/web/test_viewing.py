"""The pages of replays, without a browser."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import socket
import stat
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena_replays import Reader, Writer, page
from arena_replays.errors import NotAReplay

REPLAYS = Path(__file__).parents[1] / "replays"


@pytest.fixture
def start() -> Iterator[Callable[..., str]]:
    servers: list[Server] = []

    def run(*paths: Path, **more: Any) -> str:
        viewing = Viewing(paths, **more)
        servers.append(Server(viewing.application()))
        servers[-1].start()
        return servers[-1].url + viewing.first_page

    yield run
    for server in servers:
        server.stop()


@pytest.fixture
def replay() -> Path:
    return REPLAYS / "saloon.arena"


def get(url: str, **headers: str) -> tuple[int, bytes, Message]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), error.headers


def test_everything_a_page_needs_is_served(start: Callable[..., str], replay: Path) -> None:
    url = start(replay)
    root = url.removesuffix("/view/0")
    origin = re.sub(r"(?<=\d)/.*", "", url)
    status, text, headers = get(url)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    modules = set(re.findall(r'"(/[\w-]{22}/(?:viewer|renderer)/[^"]+)"', text.decode()))
    assert all(f'"{name}":' in text.decode() for name in page.MODULES)
    for module in modules:
        status, source, headers = get(origin + module)
        assert status == 200, module
        assert source
        assert headers["Content-Type"].startswith("text/css" if module.endswith("css") else "text/javascript")
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert get(root + "/replay/0")[1] == replay.read_bytes()


@pytest.mark.parametrize(
    "path",
    ["/view/1", "/replay/9", "/viewer/../serve.py", "/viewer/..%2fserve.py", "/etc/passwd", "/viewer/none.js"],
)
def test_nothing_else_is_served(start: Callable[..., str], replay: Path, path: str) -> None:
    root = start(replay).removesuffix("/view/0")
    assert get(root + path)[0] == 404


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "+1", "1_0", " 1", "\u0661", "\u00b2"])
def test_a_text_that_is_no_number_is_a_mistake_of_the_client(
    start: Callable[..., str], replay: Path, number: str
) -> None:
    root, text = start(replay).removesuffix("/view/0"), urllib.parse.quote(number)
    generation = get(f"{root}/replay/0")[2]["X-Arena-Generation"]
    assert get(f"{root}/replay/0?from={text}&generation={generation}")[0] == 400
    assert get(f"{root}/replay/{text}")[0] == 404


def test_a_foreign_name_for_this_machine_is_refused(start: Callable[..., str], replay: Path) -> None:
    assert get(start(replay), Host="evil.example:80")[0] == 403


def test_several_files_are_a_list(start: Callable[..., str], replay: Path) -> None:
    _, text, headers = get(start(replay, REPLAYS / "derelict-1.arena"))
    assert text.decode().count("<a href=") == 3
    assert "script-src" not in headers["Content-Security-Policy"]


def test_what_is_new_is_sent_and_then_all_of_the_finished_file(
    start: Callable[..., str], replay: Path, tmp_path: Path
) -> None:
    path = tmp_path / "live.arena"
    writer = Writer(path, {**Reader(replay).header, "streams": 1})
    writer.setup([], [["game", "+", "Game"]])
    root = start(path, live=True).removesuffix("/view/0")
    _, first, headers = get(f"{root}/replay/0?from=0&generation=")
    assert headers["X-Arena-Whole"] == "1"
    generation = headers["X-Arena-Generation"]
    writer.do(0, {"type": "end_turn"}, [], [["game", "x", 1]], [[]])
    writer.turn(0, 0, 1, None, None, b"12345678")
    _, more, headers = get(f"{root}/replay/0?from={len(first)}&generation={generation}")
    assert headers["X-Arena-Whole"] == "0"
    assert first + more == path.read_bytes()
    assert len(Reader(first + more).turns) == 1
    writer.finish({"outcome": {"winner": 0, "reason": "done"}})
    _, whole, headers = get(f"{root}/replay/0?from={len(first + more)}&generation={generation}")
    assert headers["X-Arena-Whole"] == "1"
    assert Reader(whole).outcome == {"winner": 0, "reason": "done"}


def test_the_modules_beside_a_renderer_are_served(start: Callable[..., str], replay: Path) -> None:
    root = start(replay).removesuffix("view/0")
    status, text, headers = get(root + "renderer/0/people.js")
    assert (status, headers["Content-Type"].split(";")[0]) == (200, "text/javascript")
    assert b"export function drawCowboy" in text
    assert get(root + "renderer/0/nobody.js")[0] == 404
    assert get(root + "renderer/0/..%2fkit.py")[0] == 404


def test_a_file_that_went_away_is_said_so(start: Callable[..., str], replay: Path, tmp_path: Path) -> None:
    path = tmp_path / "gone.arena"
    path.write_bytes(replay.read_bytes())
    root = start(path).removesuffix("/view/0")
    path.unlink()
    assert get(root + "/replay/0")[0] == 410
    assert get(root + "/renderer/0/")[0] == 410


def test_a_port_that_is_taken_is_one_message(start: Callable[..., str], replay: Path) -> None:
    port = int(start(replay).split(":")[2].split("/")[0])
    with pytest.raises(ArenaError, match=f"Port {port} cannot be used: address already in use"):
        Server(Viewing([replay]).application(), port)


def test_answers_do_not_wait_for_the_acknowledgement_of_their_header(start: Callable[..., str], replay: Path) -> None:
    """The server's end of a connection sends at once. Otherwise an answer would wait 40 ms for a delayed one."""
    url = urllib.parse.urlsplit(start(replay))
    client = http.client.HTTPConnection(url.netloc)
    client.request("GET", url.path)
    assert client.getresponse().read()
    assert client.sock is not None
    ours = client.sock.getsockname()
    found = [end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for end in sockets_to(ours)]
    client.close()
    assert found == [1]


def sockets_to(address: Any) -> Iterator[socket.socket]:
    """Yield copies of this process's sockets that are connected to an address."""
    for descriptor in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as one:
                    if one.getpeername() == address:
                        yield one


def test_files_that_are_no_replays_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "foreign.arena").write_bytes(b"nothing")
    with pytest.raises(NotAReplay):
        Viewing([tmp_path / "foreign.arena"])
