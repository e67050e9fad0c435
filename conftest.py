"""Rules for all tests: with ``--no-processes`` (``make quick``) a test that starts a process fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

STARTS_A_PROCESS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}


class NoProcesses:
    """Fails the tests that start a process. An audit hook sees the start, and cannot be taken away again."""

    def __init__(self) -> None:
        self.testing = False
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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-processes", action="store_true", help="Fail tests that start a process.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("no_processes"):
        config.pluginmanager.register(NoProcesses())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
