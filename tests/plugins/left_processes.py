"""A test that leaves a process running fails, and the process is ended.

Otherwise the processes of a failed test disturb the tests after it: the garbage collector finds their objects during
some later test, and that test fails because of a warning. `subprocess` keeps no list, so this module notes each start.
"""

from __future__ import annotations

import contextlib
import subprocess
import weakref
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

STARTED: weakref.WeakSet[subprocess.Popen[Any]] = weakref.WeakSet()
"""The processes that tests and their own fixtures have started, as long as their objects exist."""
FAILED = pytest.StashKey[bool]()
_start = subprocess.Popen.__init__


def _start_and_remember(process: subprocess.Popen[Any], *args: Any, **kwargs: Any) -> None:
    _start(process, *args, **kwargs)
    STARTED.add(process)


subprocess.Popen.__init__ = _start_and_remember  # type: ignore[method-assign]


@contextlib.contextmanager
def not_of_a_test() -> Iterator[None]:
    """Forget the processes that start here: the tests after this one use them too."""
    known = set(STARTED)
    try:
        yield
    finally:
        STARTED.intersection_update(known)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    with contextlib.nullcontext() if fixturedef.scope == "function" else not_of_a_test():
        return (yield)


@pytest.fixture(scope="session")
def shared_process() -> Callable[[subprocess.Popen[Any]], None]:
    """Return a function for processes that a test starts and the tests after it use too."""
    return STARTED.discard


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(autouse=True)
def _no_process_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
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
