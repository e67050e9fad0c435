"""The page of the playground in a browser, and what somebody does with it."""

from __future__ import annotations

import functools
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

sys.path.append(str(Path(__file__).parents[3] / "tests" / "plugins"))  # for the programs here that are no tests
from waiting import until_page

SIZE = {"width": 1280, "height": 800}
PATIENCE = 150.0
"""Seconds; the machine may be busy with other tests."""

REACHING = """
import js
from pyodide.ffi import create_proxy, to_js
from js import Object

def reached(name, value="yes"):
    found = {"kind": "attack", "name": name, "value": str(value)[:200]}
    js.postMessage(to_js(found, dict_converter=Object.fromEntries))

def later(name):
    return create_proxy(lambda value=None, *_: reached(name, value))
"""
"""The beginning of attacks in Python: what tells the test that one has reached something."""

FORGET = """async (name) => {
  const loaded = new Promise((done) => document.getElementById("board").addEventListener("load", done, { once: true }));
  const { prototype } = page.python.constructor;
  prototype.call = prototype.whole ?? prototype.call; // see SHORT
  localStorage.clear();
  document.getElementById("controls").reset();
  document.getElementById("same").checked = false;
  document.getElementById("game").value = name;
  page.played = 0;
  page.tab("output");
  page.play(page.config.games.find((game) => game.name === name));
  await loaded;
}"""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder like any web server without special headers, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Noting, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser, for programs that are no tests."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])


class Noting(SimpleHTTPRequestHandler):
    """Notes what it is asked for, and prints nothing."""

    asked: ClassVar[list[str]] = []

    def log_message(self, *_: Any) -> None:
        self.asked.append(self.path)


class Playground:
    def __init__(self, page: Any) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.faults.append(line.text))

    def open(self, url: str) -> Playground:
        self.page.goto(url)
        self.page.wait_for_selector("html[data-ready=true]", timeout=1000 * PATIENCE)
        return self

    def forget(self, game: str) -> Playground:
        """Show a game as at a first visit, but with the Python that runs already."""
        self.page.set_viewport_size(SIZE)
        self.page.emulate_media(color_scheme="light")
        self.do(FORGET, game)
        self.faults.clear()
        return self

    def do(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def until(self, script: str) -> Any:
        return until_page(self.page, script, lambda: f"{self.status}; {self.faults}")

    @property
    def status(self) -> str:
        return str(self.page.inner_text("#status"))

    @property
    def output(self) -> str:
        return str(self.page.inner_text("#output"))

    def write(self, code: str) -> None:
        """Put this code into the editor."""
        self.do("(code) => { page.store.change(code); page.editor.open(code); page.changed(code); }", code)

    def run(self) -> str:
        """Press Run, and return what the page says when the match is over."""
        played = self.do("page.played")
        self.page.click("#run")
        self.until(f"page.played > {played}")
        return self.status

    def play(self, code: str) -> str:
        self.write(code)
        return self.run()
