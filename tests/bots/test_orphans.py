"""Stopping a tree of processes that is still growing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from waiting import until

from arena.bots.system import orphans
from arena.bots.system.orphans import descendants, kill_descendants, stop_descendants, task_states

pytestmark = pytest.mark.process

FORKS_WHEN_CONTINUED = """
import os, signal
signal.signal(signal.SIGCONT, lambda *_: os.fork())
print("ready", flush=True)
while True: pass
"""


def test_a_process_that_starts_after_the_list_was_read_is_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment decides, so the test forces it: the process forks once between the reading of list and states."""
    tree = subprocess.Popen([sys.executable, "-S", "-c", FORKS_WHEN_CONTINUED], stdout=subprocess.PIPE)
    lists = 0

    def list_then_let_it_fork(pid: int) -> list[int]:
        nonlocal lists
        found = descendants(pid)
        lists += 1
        if lists == 2:
            os.kill(pid, signal.SIGCONT)
            until(lambda: len(descendants(pid)) == 2)
            os.kill(pid, signal.SIGSTOP)
            until(lambda: task_states(pid) == "T")
        return found

    try:
        assert tree.stdout
        assert tree.stdout.readline()
        monkeypatch.setattr(orphans, "descendants", list_then_let_it_fork)
        assert stop_descendants(tree.pid)
        states = [task_states(process) for process in descendants(tree.pid)]
        assert states == ["T", "T"]
    finally:
        monkeypatch.undo()
        kill_descendants(tree.pid)
        tree.wait()
        assert tree.stdout
        tree.stdout.close()
