"""The page of the playground in a browser, and what somebody does with it."""

from __future__ import annotations

import time
from http.server import SimpleHTTPRequestHandler
from typing import Any, ClassVar

PATIENCE = 150.0
"""Seconds; the machine may be busy with other tests."""


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

    def do(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def until(self, script: str) -> Any:
        end = time.monotonic() + PATIENCE
        while not (found := self.do(script)):
            assert time.monotonic() < end, f"never true: {script}; {self.status}; {self.faults}"
            time.sleep(0.05)
        return found

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
