"""A test of `make quick`, one without a mark of what it needs, fails if it starts a process, wherever it runs.

Such tests have a cache of Arena of their own, empty at first: a self-test that another test made would hide a process.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

STARTS_A_PROCESS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
ALLOWED = ("browser", "kill", "process", "sandbox", "slow")
"""The marks of tests that `make quick` leaves out."""


class NoProcesses:
    def __init__(self) -> None:
        self.is_quick = False
        self.cache = tempfile.TemporaryDirectory(prefix="arena-tests-")
        sys.addaudithook(self.refuse)  # it cannot be removed again

    def refuse(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_quick and event in STARTS_A_PROCESS:
            pytest.fail(f"This test starts a process ({event} {arguments[:1]}). Mark it with pytest.mark.process.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if any(item.get_closest_marker(mark) for mark in ALLOWED):
            return (yield)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", self.cache.name)
            self.is_quick = True
            try:
                return (yield)
            finally:
                self.is_quick = False

    def pytest_unconfigure(self) -> None:
        self.cache.cleanup()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(NoProcesses())
