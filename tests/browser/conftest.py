from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arena.game import registry
from arena_replays.export import export_html
from arena_replays.serve import Server

HERE = Path(__file__).parent
ARTEFACTS = HERE.parents[1] / "artefacts"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


def play(path: Path, *bots: str, seed: int = 7) -> Path:
    """Plays a real match by the command, as anybody would."""
    arena = Path(sys.executable).parent / "arena"
    command = [arena, "play", "saloon", *bots, "--seed", str(seed), "--replay", path, "--sandbox", "none", "--json"]
    played = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=path.parent)
    assert path.exists(), played.stderr
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def match(folder: Path) -> Path:
    return play(folder / "match.arena", "builtin:sheriff", "builtin:pianist")


@pytest.fixture(scope="session")
def other_match(folder: Path) -> Path:
    return play(folder / "other.arena", "builtin:sheriff", "builtin:rowdy")


@pytest.fixture(scope="session")
def crash(folder: Path) -> Path:
    """A match whose first player talks, draws and crashes in turn 40."""
    return play(folder / "crash.arena", str(HERE / "bots" / "talker.py"), "builtin:pianist")


def renderer_for(header: dict[str, Any]) -> str | None:
    """The renderer of a game, as the commands find it."""
    viewer = registry.load(str(header.get("game"))).viewer
    return None if viewer is None else viewer.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def saloon() -> str:
    viewer = Path(str(sys.modules[registry.load("saloon").state.__module__].__file__)).parent / "viewer" / "saloon.js"
    return viewer.read_text(encoding="utf-8")


@pytest.fixture
def serve(saloon: str) -> Iterator[Callable[..., str]]:
    """Serves replays; returns the address."""
    servers: list[Server] = []

    def start(*paths: Path, live: bool = False, renderer: str | None = saloon) -> str:
        server = Server(paths, 0, lambda _header: renderer, live=live)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return server.url

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@dataclass
class Viewer:
    """A page with a viewer in it, and everything it complained about."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, url: str) -> Viewer:
        self.page.goto(url)
        self.page.wait_for_selector("html[data-ready]", timeout=20_000)
        return self

    def do(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, script: str) -> None:
        """Waits until an expression is true; the page's policy forbids the driver's own way, which evaluates text."""
        end = time.monotonic() + 20
        while not self.do(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.005)

    def settle(self) -> None:
        """Waits until what changed has been drawn."""
        self.do("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def turn(self) -> int:
        return int(self.do("arena.playback.turn"))

    @property
    def frame(self) -> int:
        return int(self.do("arena.playback.frame"))

    def shot(self, name: str) -> None:
        self.settle()
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")


@pytest.fixture
def viewer(browser: Any) -> Iterator[Callable[..., Viewer]]:
    """Makes pages; at the end, none may have complained."""
    viewers: list[Viewer] = []
    contexts: list[Any] = []

    def make(width: int = 1440, height: int = 900, *, dark: bool = True, **more: Any) -> Viewer:
        scheme = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        page = context.new_page()
        made = Viewer(page)
        page.on("console", lambda message: made.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: made.complaints.append(f"error: {error.message}"))
        page.on("request", lambda request: made.requests.append(request.url))
        viewers.append(made)
        contexts.append(context)
        return made

    yield make
    for context in contexts:
        context.close()
    assert [complaint for made in viewers for complaint in made.complaints] == []


@pytest.fixture
def exported(tmp_path: Path, saloon: str) -> Callable[..., str]:
    """Exports a replay; returns the address of the file."""

    def export(replay: Path, renderer: str | None = saloon) -> str:
        out = tmp_path / f"{replay.stem}.html"
        export_html(replay, out, renderer)
        return out.as_uri()

    return export
