"""Rules for all tests: which tests may run in parallel, and which may start processes.

Tests run in parallel, those of one file one after the other, so a fixture of a module is set up once. A test marked
``alone`` measures time or load, and nothing runs beside it. With ``--no-processes`` (``make quick``) a test that starts
a process fails.

Tests with other processes depend on a machine that others may use too. Such a test fails only if it fails twice in a
row, the second time alone; the summary counts it as "rerun" if only its first try failed.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("any load", deadline=None)
settings.load_profile("any load")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs in the background like this, and
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the programs of the tests would ignore Ctrl-C as well

# Half of the time in which tests are collected goes into rewriting their assertions. So keep what was rewritten.
WRITES_NO_BYTECODE, sys.dont_write_bytecode = sys.dont_write_bytecode, False

USES_OTHER_PROCESSES = ("alone", "browser", "process", "sandbox")
"""Marks of tests in which other processes take part, and so the load of the machine."""
STARTS_A_PROCESS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}


class NoProcesses:
    """Fails tests that start a process. It uses an audit hook, which cannot be removed again.

    Arena's cache is empty at first: a test must not depend on what earlier runs have left there.
    """

    def __init__(self) -> None:
        self.testing = False
        self.cache = tempfile.TemporaryDirectory(prefix="arena-tests-")
        os.environ["XDG_CACHE_HOME"] = self.cache.name
        sys.addaudithook(self.refuse)

    def refuse(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.testing and event in STARTS_A_PROCESS:
            pytest.fail(f"This test starts a process ({event} {arguments[:1]}). Mark it with pytest.mark.process.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self.testing = True
        try:
            return (yield)
        finally:
            self.testing = False

    def pytest_unconfigure(self) -> None:
        self.cache.cleanup()


class Alone:
    """Lets the parallel workers of one checkout share the machine, except while a test marked ``alone`` runs.

    Every try of a test holds a shared lock; a test marked ``alone`` and a second try hold it exclusively. Whoever waits
    for the lock holds the queue, so that a test that wants to be alone does not wait for ever.

    The time limit of pytest-timeout starts anew for each try, when the try has the lock. Otherwise a long second try
    would use up the time of those that wait for it, and a second try that hangs would have no limit at all.
    """

    def __init__(self, folder: Path) -> None:
        self.queue = os.open(folder / "queue.lock", os.O_CREAT | os.O_RDWR, 0o600)
        self.machine = os.open(folder / "machine.lock", os.O_CREAT | os.O_RDWR, 0o600)
        self.kind = fcntl.LOCK_SH
        self.item: pytest.Item | None = None
        self.limit: Any = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.kind = fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH
        self.item, self.limit = item, None
        try:
            return (yield)
        finally:
            fcntl.flock(self.machine, fcntl.LOCK_UN)

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self, settings: Any) -> None:
        """Keep the settings for the next try. Returning None lets pytest-timeout set its timer."""
        self.limit = settings

    def pytest_runtest_logstart(self) -> None:
        """Take the lock, and start the time limit: this is called before each try of a test."""
        assert self.item is not None
        limit, hook = self.limit, self.item.config.hook
        if limit is not None:
            hook.pytest_timeout_cancel_timer(item=self.item)
        fcntl.flock(self.queue, fcntl.LOCK_EX)
        try:
            fcntl.flock(self.machine, self.kind)
        finally:
            fcntl.flock(self.queue, fcntl.LOCK_UN)
        if limit is not None:
            hook.pytest_timeout_set_timer(item=self.item, settings=limit)

    def pytest_runtest_logfinish(self) -> None:
        """Release the lock: this is called after each try of a test."""
        fcntl.flock(self.machine, fcntl.LOCK_UN)
        self.kind = fcntl.LOCK_EX


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-processes", action="store_true", help="Fail tests that start a process.")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return three workers for each processor: most of the time, a test waits for another process."""
    processors = os.cpu_count() or 1
    return processors if config.getoption("no_processes") else 3 * processors


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("no_processes"):
        config.pluginmanager.register(NoProcesses())
    if hasattr(config, "workerinput"):  # the variable PYTEST_XDIST_WORKER is also set in a pytest that a test runs
        folder = Path(config.rootpath, ".pytest_cache")
        folder.mkdir(exist_ok=True)
        config.pluginmanager.register(Alone(folder))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests, and sort them: files with many tests that wait for processes come first."""
    waiting: Counter[Path] = Counter()
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if any(item.get_closest_marker(mark) for mark in USES_OTHER_PROCESSES):
            item.add_marker(pytest.mark.flaky(reruns=1))
            waiting[item.path] += 1
    items.sort(key=lambda item: (item.get_closest_marker("alone") is not None, -waiting[item.path]))
    sys.dont_write_bytecode = WRITES_NO_BYTECODE
