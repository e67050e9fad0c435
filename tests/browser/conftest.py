from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from waiting import until_page

from arena.play.memory import play_in_memory
from arena.study.replaying import presentation
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf
from arena_replays.export import export_html
from arena_replays.page import Renderer, read_renderer

HERE = Path(__file__).parent
ARTEFACTS = HERE.parents[1] / "artefacts"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


def play_match(path: Path, *arguments: str, game: str = "saloon", seed: int = 7) -> Path:
    """Plays a match of programs by the command, as anybody would: bots, then options of `arena play`."""
    arena = Path(sys.executable).parent / "arena"
    command = [arena, "play", game, *arguments, "--seed", str(seed), "--replay", path, "--sandbox", "none", "--json"]
    played = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=path.parent)
    assert "error" not in played.stderr.lower(), played.stderr
    return path


def play_here(path: Path, *bots: str, game: str = "saloon", seed: int = 7, **settings: Any) -> Path:
    """Plays a match in this process, many times as fast: the replay differs in its times only."""
    play_in_memory(game, bots, seed=seed, replay=path, read_clock=time.monotonic, captures=True, **settings)
    return path


@pytest.fixture(scope="session")
def play() -> Callable[..., Path]:
    return play_here


@pytest.fixture(scope="session")
def play_programs() -> Callable[..., Path]:
    return play_match


@pytest.fixture(scope="session")
def renderer_of() -> Callable[[str], Renderer]:
    return presentation.renderer_of


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def play_once(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Plays a match that tests of several files need. One worker plays it for all workers of this run."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if is_worker else base) / "shared matches"
    shared.mkdir(exist_ok=True)

    def play(name: str, *arguments: str, **settings: Any) -> Path:
        played = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not played.is_dir():
                unfinished = Path(tempfile.mkdtemp(dir=shared))
                play_match(unfinished / f"{name}.arena", *arguments, **settings)
                unfinished.rename(played)
        for path in played.iterdir():
            shutil.copy(path, folder)
        return folder / f"{name}.arena"

    return play


@pytest.fixture(scope="session")
def match(play_once: Callable[..., Path]) -> Path:
    return play_once("match", "builtin:sheriff", "builtin:pianist")


@pytest.fixture(scope="session")
def other_match(play_once: Callable[..., Path]) -> Path:
    return play_once("other", "builtin:sheriff", "builtin:rowdy")


@pytest.fixture(scope="session")
def crash(play_once: Callable[..., Path]) -> Path:
    """A match whose first player talks, draws and crashes in turn 40."""
    return play_once("crash", str(HERE / "bots" / "talker.py"), "builtin:pianist")


@pytest.fixture(scope="session")
def saloon() -> Renderer:
    return presentation.renderer_of("saloon")


@pytest.fixture(scope="session")
def two_legs(folder: Path, play_once: Callable[..., Path]) -> tuple[Path, Path]:
    """Both legs of a match in which the marines win one and the aliens the other."""
    play_once("legs", "builtin:veteran", "builtin:castaway", "--map", "pump_station", game="derelict", seed=3)
    return folder / "legs-1.arena", folder / "legs-2.arena"


@pytest.fixture
def serve(saloon: Renderer) -> Iterator[Callable[..., str]]:
    """Serves replays; returns the address."""
    servers: list[Server] = []

    def start(*paths: Path | tuple[Path, ...], live: bool = False, renderer: Renderer | None = saloon) -> str:
        viewing = Viewing(paths, live=live, renderer=lambda _header: renderer or read_renderer(None))
        servers.append(Server(viewing.application()))
        servers[-1].start()
        return servers[-1].url + viewing.first_page

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def explaining(tmp_path: Path) -> Iterator[Callable[[Path], str]]:
    """Serves a replay as `arena view` does; returns the address."""
    servers: list[Server] = []

    def start(replay: Path) -> str:
        viewing = Viewing([replay])
        servers.append(Server(WhatIf(viewing, tmp_path / "played on").application()))
        servers[-1].start()
        return servers[-1].url + viewing.first_page

    yield start
    for server in servers:
        server.stop()


WORDS = """
(() => {
  const words = [];
  const g = arena.board.canvas.getContext("2d");
  const { fillText } = CanvasRenderingContext2D.prototype;
  g.fillText = function (word, ...rest) { words.push(String(word)); fillText.call(this, word, ...rest); };
  const look = { ...arena.look, selected: arena.position.selected };
  arena.board.draw(arena.position.states, arena.position.frame, arena.position.fraction, look, []);
  delete g.fillText;
  return words;
})()
"""
FOCUS = """(selector) => {
  const one = document.activeElement;
  const shown = one.matches("input[type=file]") ? one.closest("label") : one;
  const box = shown.getBoundingClientRect();
  const inside = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const marked = getComputedStyle(shown).outlineStyle !== "none" || one.matches("body, iframe");
  return { there: one.matches(selector), seen: inside && marked, what: one.outerHTML.slice(0, 120) };
}"""
PICTURE = """
(() => {
  const { frame, selected, states } = arena.position;
  arena.board.draw(states, frame, 1, { ...arena.look, selected }, []);
  return arena.board.canvas.toDataURL();
})()
"""
IMPURE = """
(() => {
  const picture = (states, at, selected) => {
    arena.board.draw(states, at, 0.6, { ...arena.look, selected }, []);
    return arena.board.canvas.toDataURL();
  };
  const wrong = [];
  arena.replay.streams.forEach((states, stream) => {
    const last = states.frames.length - 1;
    for (let at = 1; at <= last; at += Math.max(1, Math.floor(last / 12))) {
      const before = JSON.stringify([...states.at(at)]);
      for (const selected of [null, "game", ...states.at(at).keys()].slice(0, 9)) {
        const one = picture(states, at, selected);
        picture(states, Math.max(1, last - at), null);
        if (picture(states, at, selected) !== one) wrong.push(`${stream} ${at} ${selected}`);
        if (arena.board.failure) wrong.push(arena.board.failure);
      }
      if (JSON.stringify([...states.at(at)]) !== before) wrong.push(`state ${at} was changed`);
    }
  });
  return wrong;
})()
"""


STILL = """
new MutationObserver(() => {
  if (document.documentElement.dataset.ready) globalThis.arena?.playback?.dispatchEvent(new Event("state"));
}).observe(document, { subtree: true, attributeFilter: ["data-ready"] });
"""
"""Says that somebody was there before a match begins to play by itself."""


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
        until_page(self.page, script)

    def settle(self) -> None:
        """Waits until what changed has been drawn."""
        self.do("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def turn(self) -> int:
        return int(self.do("arena.position.turn"))

    @property
    def frame(self) -> int:
        return int(self.do("arena.position.frame"))

    def words(self) -> list[str]:
        """Every word on the board, in the order in which they are painted."""
        return list(self.do(WORDS))

    def picture(self) -> str:
        """The board at this moment, all movements done."""
        return str(self.do(PICTURE))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where the middle of a tile is on the page."""
        box = self.page.locator("canvas.board").first.bounding_box()
        px, py = self.do(f"arena.board.renderer.place({x} + 0.5, {y} + 0.5)")
        return box["x"] + px, box["y"] + py

    def assert_fits(self, columns: int, rows: int) -> None:
        """The whole grid lies within the canvas, and the renderer has not failed."""
        corners = self.do(f"[[0, 0], [{columns}, {rows}]].map(([x, y]) => arena.board.renderer.place(x, y))")
        inside = self.do("[arena.board.width, arena.board.height]")
        assert all(0 <= at <= most for corner in corners for at, most in zip(corner, inside, strict=True))
        assert self.do("arena.board.failure") == ""

    def seek_event(self, test: str) -> dict[str, Any]:
        """Goes to the first event of some sort."""
        script = f"""(() => {{
            const at = arena.replay.streams[0].frames.findIndex((frame) => frame.events.some((event) => {test}));
            arena.position.seek(at);
            return arena.replay.streams[0].frames[at].events.find((event) => {test});
        }})()"""
        found = self.do(script)
        self.settle()
        assert isinstance(found, dict)
        return found

    def impure(self) -> list[str]:
        """Moments whose picture depends on what was drawn before, with something chosen and in players' views too."""
        self.do("arena.playback.pause()")
        return list(self.do(IMPURE))

    def tab_to(self, selector: str, most: int = 80) -> None:
        """Presses Tab until an element has the focus. Each stop on the way is in the window, and can be seen."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            at = self.page.evaluate(FOCUS, selector)
            assert at["seen"], at
            if at["there"]:
                return
        raise AssertionError(f"{selector} is not reached")

    def shot(self, name: str) -> None:
        self.settle()
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")


class Tab:
    """A page in a context of its own. A new one takes half a second of processor time, so tests take turns with it."""

    def __init__(self, context: Any, *, plays: bool = False) -> None:
        self.context = context
        self.page = context.new_page()
        if not plays:
            self.page.add_init_script(STILL)
        self.viewer: Viewer | None = None
        self.page.on("console", lambda message: self._complain(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self._complain(f"error: {error.message}"))
        self.page.on("request", lambda request: self.viewer and self.viewer.requests.append(request.url))

    def _complain(self, complaint: str) -> None:
        if self.viewer is not None:
            self.viewer.complaints.append(complaint)

    def lend(self, width: int, height: int, **media: str) -> Viewer:
        self.viewer = Viewer(self.page)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(media="null", forced_colors="null", **media)
        return self.viewer

    def take_back(self) -> None:
        with contextlib.suppress(Exception):  # about:blank and pages of nobody have no storage
            self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.mouse.move(-10, -10)
        self.context.clear_cookies()
        self.viewer = None
        if len(TABS) > MOST_TABS:
            TABS.remove(self)
            self.context.close()


MOST_TABS = 3
TABS: list[Tab] = []
"""The tabs of the browser that runs now, which all tests of this worker share."""
OPEN = pytest.StashKey[list[Callable[[], None]]]()


def free_tab(browser: Any) -> Tab:
    if TABS and TABS[0].context.browser is not browser:
        TABS.clear()
    found = next((tab for tab in TABS if tab.viewer is None), None)
    if found is None:
        TABS.append(found := Tab(browser.new_context()))
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Leaves the pages before any server of a fixture stops: a page would complain that it is gone."""
    for leave in item.stash.get(OPEN, []):
        leave()


@pytest.fixture
def viewer(browser: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Viewer]]:
    """Opens pages; at the end, none may have complained.

    With ``fresh=True``, or with settings of a context, a page is a new one. A test that leaves more in a page than its
    storage needs that, for example a script or a handler. With ``plays=True``, matches begin to play by themselves.
    """
    viewers: list[Viewer] = []
    left = request.node.stash.setdefault(OPEN, [])

    def make(
        width: int = 1440,
        height: int = 900,
        *,
        dark: bool = True,
        reduced_motion: str = "null",
        fresh: bool = False,
        plays: bool = False,
        **more: Any,
    ) -> Viewer:
        fresh = fresh or plays or bool(more)
        tab = Tab(browser.new_context(**more), plays=plays) if fresh else free_tab(browser)
        left.append(tab.context.close if fresh else tab.take_back)
        viewers.append(tab.lend(width, height, color_scheme="dark" if dark else "light", reduced_motion=reduced_motion))
        return viewers[-1]

    yield make
    assert [complaint for made in viewers for complaint in made.complaints] == []


@pytest.fixture
def exported(tmp_path: Path, saloon: Renderer) -> Callable[..., str]:
    """Exports a replay; returns the address of the file."""

    def export(replay: Path | tuple[Path, ...], renderer: Renderer | str | None = saloon) -> str:
        out = tmp_path / f"{(replay if isinstance(replay, Path) else replay[0]).stem}.html"
        export_html(replay, out, renderer)
        return out.as_uri()

    return export
