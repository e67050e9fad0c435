"""What tests of several folders need: compilers, and one browser for all, since one thread can drive only one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.system.orphans import descendants

BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

AXE = """
axe.run({ iframes: false, resultTypes: ["violations"] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`)))
"""


STARTED: weakref.WeakSet[subprocess.Popen[Any]] = weakref.WeakSet()
"""The processes that `subprocess` has started for a test and its own fixtures, as long as their objects exist."""
FAILED = pytest.StashKey[bool]()
_start = subprocess.Popen.__init__


def _start_and_remember(process: subprocess.Popen[Any], *args: Any, **kwargs: Any) -> None:
    _start(process, *args, **kwargs)
    STARTED.add(process)


subprocess.Popen.__init__ = _start_and_remember  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Forget the processes of a fixture that several tests share: they run on after the test."""
    known = set(STARTED)
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            STARTED.intersection_update(known)


@pytest.fixture(autouse=True)
def _no_process_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """End the processes that a test has started and left running, and fail the test if it had passed until then.

    Otherwise the processes of a failed test disturb the tests after it: the garbage collector finds their objects
    during some later test, and that test fails because of a warning.
    """
    before = set(STARTED)
    yield
    has_failed = request.node.stash.get(FAILED, False)
    started = [process for process in STARTED if process not in before]
    running = [process for process in started if process.poll() is None]
    for process in running:
        process.kill()
        process.wait()
    for process in started if has_failed else running:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
    assert has_failed or not running, f"The test has left running: {[process.args for process in running]}"


@pytest.fixture(scope="session")
def shared_process() -> Callable[[subprocess.Popen[Any]], None]:
    """Return a function for processes that a test starts and the tests after it use too."""
    return STARTED.discard


@pytest.fixture(scope="session")
def need_program() -> Callable[[str], str]:
    """Return the path of a program, or skip the test. With ARENA_TEST_COMPILERS=required, fail it instead."""

    def need(name: str) -> str:
        path = shutil.which(name)
        if path is None and os.environ.get("ARENA_TEST_COMPILERS") == "required":
            pytest.fail(f"{name} is not installed. tools/setup.sh installs it from the distribution.")
        return path or pytest.skip(f"needs {name}")

    return need


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
            chromium = shutil.which("chromium") or shutil.which("google-chrome")
            playwright = pytest.importorskip("playwright.sync_api")
            if chromium is None:
                pytest.skip("needs a Chromium")
            before, known = descendants(os.getpid()), set(STARTED)
            self.driver = playwright.sync_playwright().start()
            self.browser = self.driver.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
            self.processes = [process for process in descendants(os.getpid()) if process not in before]
            STARTED.intersection_update(known)  # the next tests use the browser too
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
    if report.failed:
        item.stash[FAILED] = True
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
            assert frame.evaluate(AXE) == [], frame.url

    return check


@pytest.fixture(scope="session")
def _chromium() -> Iterator[None]:
    yield
    if CHROMIUM.browser is not None:
        CHROMIUM.browser.close()
        CHROMIUM.driver.stop()
