"""Rules for all tests. The modules in ``tests/plugins`` say how tests share the machine, which
may start processes, and which browser they get.

Tests run in parallel, those of one file one after the other, so that a fixture of a module is set up once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["sharing", "named_failures", "no_processes", "left_processes", "chromium"]

# Tests run side by side, and threads that wait for a processor make small matrices 100 times as slow.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("any load", deadline=None)
settings.load_profile("any load")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs in the background like this, and
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the programs of the tests would ignore Ctrl-C as well

# Half of the time in which tests are collected goes into rewriting their assertions. So keep what was rewritten.
WRITES_NO_BYTECODE, sys.dont_write_bytecode = sys.dont_write_bytecode, False

WAIT_FOR_PROCESSES = ("alone", "browser", "process", "sandbox")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return two workers for each processor: a test often waits for another process."""
    processors = os.cpu_count() or 1
    return processors if "not process" in config.getoption("markexpr") else 2 * processors


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests, and sort them: files with many tests that wait for processes come first, ``alone`` comes last."""
    waiting: Counter[Path] = Counter()
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        waiting[item.path] += any(item.get_closest_marker(mark) for mark in WAIT_FOR_PROCESSES)
    items.sort(key=lambda item: (item.get_closest_marker("alone") is not None, -waiting[item.path]))
    sys.dont_write_bytecode = WRITES_NO_BYTECODE
