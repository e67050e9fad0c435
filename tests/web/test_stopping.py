"""How servers begin and end: one message where a port is taken, and nothing at all on Ctrl-C."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays import Reader, Writer

pytestmark = pytest.mark.process

Start = Callable[..., Any]
REPLAYS = Path(__file__).parents[1] / "replays"


@pytest.mark.parametrize("server", ["start page", "viewer", "editor", "contest"], indirect=True)
def test_ctrl_c_ends_a_server_at_once_and_silently(server: Any) -> None:
    with socket.create_connection(("127.0.0.1", server.port)):  # as browsers do, to have it ready
        urllib.request.urlopen(server.url, timeout=20).close()
        _stop(server)


def test_ctrl_c_does_not_wait_for_a_page_that_follows_a_match(start: Start, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "live.arena", {**Reader(REPLAYS / "saloon.arena").header, "streams": 1})
    writer.setup([], [["game", "+", "Game"]])
    site = start(tmp_path, "view", "--no-browser", "live.arena")
    url = site.url.replace("/view/", "/replay/")
    with urllib.request.urlopen(f"{url}?from=0&generation=", timeout=20) as answer:
        have, generation = len(answer.read()), answer.headers["X-Arena-Generation"]
    answered: list[float] = []

    def follow() -> None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{url}?from={have}&generation={generation}", timeout=20).close()
        answered.append(time.monotonic())

    page = threading.Thread(target=follow)
    page.start()
    time.sleep(0.5)
    assert not answered, "the request waits for what is new"
    _stop(site)
    page.join(5)
    assert answered
    writer.finish({"outcome": {"winner": 0}})


EARLY = """
import signal
from arena.web.pages import application
from arena.web.server import Server

server = Server(application({}), public=True)
serve = server._uvicorn.serve

def pressed(*args, **settings):
    coroutine = serve(*args, **settings)
    signal.raise_signal(signal.SIGINT)
    return coroutine

server._uvicorn.serve = pressed
server.run()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("ended")
"""


def test_ctrl_c_before_a_server_listens_to_signals_ends_it_silently() -> None:
    ran = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ended\n", "")


def _stop(site: Any) -> None:
    began = time.monotonic()
    site.process.send_signal(signal.SIGINT)
    out, errors = site.process.communicate(timeout=10)
    assert time.monotonic() - began < 8
    rest = re.sub(r"^Invitation for the organizer: \S+\n", "", out)  # said at the start, and perhaps read with it
    assert (site.process.returncode, rest, errors) == (0, "", "")


@pytest.mark.parametrize(
    "command", shortened([(("view",),), (("map", "edit", "laser_flag"),), (("contest", "serve"),)])
)
def test_a_taken_port_is_one_message(
    sites: Callable[[str], Any], command: tuple[str, ...], arena_path: str, tmp_path: Path
) -> None:
    more = [] if command[0] == "contest" else ["--no-browser"]
    folder = sites("contest" if command[0] == "contest" else "start page").folder
    if command[0] == "contest":  # while the site runs its contest, nobody else can
        shutil.copy(folder / "contest.toml", tmp_path)
        folder = tmp_path
        subprocess.run([arena_path, "contest", "run"], cwd=folder, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [arena_path, *command, *more, "--port", str(port)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 6
    assert done.stdout == ""
    assert f"Port {port} cannot be used: address already in use." in done.stderr
    assert "--port" in done.stderr
    assert len(done.stderr.splitlines()) == 2
