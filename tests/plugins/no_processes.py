"""With ``--no-processes`` (``make quick``) a test that starts a process fails, and Arena's cache is empty at first."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

STARTS_A_PROCESS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}


class NoProcesses:
    def __init__(self) -> None:
        self.testing = False
        self.cache = tempfile.TemporaryDirectory(prefix="arena-tests-")
        os.environ["XDG_CACHE_HOME"] = self.cache.name
        sys.addaudithook(self.refuse)  # it cannot be removed again

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-processes", action="store_true", help="Fail tests that start a process.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("no_processes"):
        config.pluginmanager.register(NoProcesses())
