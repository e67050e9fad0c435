"""The parallel workers of one checkout share the machine, except while a test marked ``alone`` runs.

Each test holds a lock on one file: a shared one, or an exclusive one if it is marked ``alone``. Who waits for the lock
holds another, the queue; otherwise a test that wants to be alone would wait until no other test begins.
"""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

PATIENCE = 900.0
"""Seconds that a test waits for the machine: longer than the time limits of the tests that have it now."""


class Sharing:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.queue, self.machine = (folder / f"{name}.lock" for name in ("queue", "machine"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of pytest-timeout: who waits uses up no time
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            kind = fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH
            with _locked(self.queue, fcntl.LOCK_EX):
                stack.enter_context(_locked(self.machine, kind, PATIENCE))
            return (yield)


@contextlib.contextmanager
def _locked(path: Path, kind: int, patience: float | None = None) -> Iterator[None]:
    """Hold a lock. Who waits without a limit gets it in turn."""
    end = time.monotonic() + (patience or 0.0)
    with path.open("w") as file:
        while not _take(file, kind if patience is None else kind | fcntl.LOCK_NB):
            if time.monotonic() > end:
                raise TimeoutError(f"A test has held {path.name} for {patience:.0f} s. /proc/locks says which process.")
            time.sleep(0.02)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # a process that the test forked, and left, would keep it otherwise


def _take(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind)
    except BlockingIOError:
        return False
    return True


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # the variable PYTEST_XDIST_WORKER is also set in a pytest that a test runs
        config.pluginmanager.register(Sharing(config.rootpath / ".pytest_cache"))
