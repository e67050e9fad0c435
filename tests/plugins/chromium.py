"""One Chromium for all tests of a worker, since one thread can drive only one, and a check of pages with axe."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from left_processes import not_of_a_test

from arena.bots.system.orphans import descendants

# The first one has no window, toolbar and extensions, and needs a third less time for a page.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--liftoff-only",  # code of a test is too short to be worth optimising
)

FADED_IN = """Promise.race([
  Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished)),
  new Promise((done) => setTimeout(done, 3000)),
])"""
AXE = """
axe.run({ iframes: false, resultTypes: ["violations"] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`)))
"""


class Chromium:
    """The system's Chromium, driven by Playwright. After a test that failed, the next one gets a new one.

    A browser that hangs would make each test after it wait for its time limit.
    """

    def __init__(self) -> None:
        self.driver: Any = None
        self.browser: Any = None
        self.processes: list[int] = []
        self.is_suspect = False

    def start(self) -> Any:
        if self.is_suspect:
            self.kill()
        if self.browser is None:
            chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
            playwright = pytest.importorskip("playwright.sync_api")
            if chromium is None:
                pytest.skip("needs a Chromium")
            before = descendants(os.getpid())
            with not_of_a_test():
                self.driver = playwright.sync_playwright().start()
                self.browser = self.driver.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
            self.processes = [process for process in descendants(os.getpid()) if process not in before]
        return self.browser

    def kill(self) -> None:
        """End the browser and its driver, also if they do not answer."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if self.driver is not None:
            self.driver.stop()
        self.driver = self.browser = None
        self.is_suspect = False


CHROMIUM = Chromium()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and "browser" in getattr(item, "fixturenames", ()):
        CHROMIUM.is_suspect = True
        if "from pytest-timeout" in report.longreprtext:  # it may hang, and what ends the test would wait for it
            CHROMIUM.kill()
    return report


@pytest.fixture
def browser(_chromium: None) -> Any:
    """The system's Chromium, driven by Playwright."""
    return CHROMIUM.start()


@pytest.fixture(scope="session")
def assert_accessible() -> Callable[[Any], None]:
    """Return a function that checks a page of Playwright and its frames with axe: nothing serious or critical."""
    package = pytest.importorskip("axe_playwright_python")
    source = Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")

    def check(page: Any) -> None:
        for frame in page.frames:
            frame.evaluate(source)
            if frame is page.main_frame:  # colors that still fade in have less contrast; hidden frames draw nothing
                frame.evaluate(FADED_IN)
            assert frame.evaluate(AXE) == [], frame.url

    return check


@pytest.fixture(scope="session")
def _chromium() -> Iterator[None]:
    yield
    if CHROMIUM.browser is not None:
        CHROMIUM.browser.close()
        CHROMIUM.driver.stop()
