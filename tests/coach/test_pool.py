"""The processes of an analysis end with the command that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.study.coach.process_pool import ProcessPool

pytestmark = pytest.mark.process

REPLAY = Path(__file__).parents[1] / "replays" / "saloon.arena"
COMMAND = """
import sys, time
from pathlib import Path
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.questions import Questions

if __name__ == "__main__":
    pool = ProcessPool(Path(sys.argv[1]), 2)
    questions = [(Questions.values, 1, "builtin:pianist", 9, [seed]) for seed in range(4)]
    list(pool.ask(questions))
    print(*pool._executor._processes, flush=True)
    time.sleep(100)
"""


def test_there_is_a_process_for_each_core_where_processes_cannot_be_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    with ProcessPool(REPLAY) as pool:
        assert pool.processes == 3


def test_no_process_outlives_a_killed_command(tmp_path: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text(COMMAND)
    with subprocess.Popen([sys.executable, script, REPLAY], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        workers = [int(word) for word in command.stdout.readline().split()]
        assert len(workers) == 2
        assert all(map(_runs, workers))
        command.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while any(map(_runs, workers)):
        assert time.monotonic() < end
        time.sleep(0.05)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
