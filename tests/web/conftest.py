"""Runs the servers of Arena as a user does: one process each, known by the address that it prints."""

from __future__ import annotations

import functools
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ARENA = str(Path(sys.executable).with_name("arena"))
REPLAYS = Path(__file__).parents[1] / "replays"
CONTEST = """
[contest]
name = "Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 4
[[bots]]
path = "builtin:sheriff"
[[bots]]
path = "builtin:rowdy"
[[stages]]
name = "all"
format = "round_robin"
games = 2
"""


@dataclass(frozen=True)
class Site:
    """A running server.

    Attributes:
        url: The address that it printed.
        folder: Where it runs.
        process: Itself.
    """

    url: str
    folder: Path
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def root(self) -> str:
        """What every path of this server begins with, without the last slash."""
        return re.sub(r"/(view/.*|edit/.*|)$", "", urlsplit(self.url).path)


@pytest.fixture
def arena_path() -> str:
    return ARENA


@pytest.fixture(scope="module")
def start(shared_process: Callable[[subprocess.Popen[str]], None]) -> Iterator[Callable[..., Site]]:
    """Starts ``arena ARGS...`` in a folder and waits for its address."""
    started: list[subprocess.Popen[str]] = []

    def run(folder: Path, *args: str | Path) -> Site:
        process = subprocess.Popen(
            [ARENA, *map(str, args)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        shared_process(process)
        started.append(process)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, process.communicate(timeout=5)[1]
        return Site(found[0], folder, process)

    yield run
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.fixture(scope="module")
def sites(start: Callable[..., Site], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Site]:
    """Gives each of our servers by its name; each is started once."""
    commands: dict[str, tuple[str, ...]] = {
        "start page": ("view", "--no-browser"),
        "viewer": ("view", "--no-browser", str(REPLAYS / "saloon.arena")),
        "editor": ("map", "edit", "laser_flag", "--no-browser"),
        "contest": ("contest", "serve", "--port", "0"),
    }

    @functools.cache
    def site(name: str) -> Site:
        folder = tmp_path_factory.mktemp("site")
        if name == "contest":
            (folder / "contest.toml").write_text(CONTEST)
            subprocess.run([ARENA, "contest", "run"], cwd=folder, check=True, capture_output=True)
        return start(folder, *commands[name])

    return site


@pytest.fixture
def server(request: pytest.FixtureRequest, sites: Callable[[str], Site]) -> Site:
    """One of our servers, named by the test's parameter."""
    return sites(request.param)
