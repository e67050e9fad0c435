"""How long a program has waited for a processor: the machine's fault, not the program's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

CROWD = 2
"""With more than this many threads per processor, a program waits for itself; then nothing is measured."""


class RunQueue:
    """The waiting time of one process's main thread, from the kernel's scheduler statistics.

    Args:
        pid: The process.
    """

    def __init__(self, pid: int) -> None:
        self._path = Path(f"/proc/{pid}/schedstat")
        self._tasks = Path(f"/proc/{pid}/task")

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """Return the run queue of the program that a process leads to (a sandbox's first process has one child)."""
        while True:
            try:
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            except OSError:
                return None
            if len(children) != 1:
                break
            pid = int(children[0])
        return cls(pid) if Path(f"/proc/{pid}/schedstat").exists() else None

    def seconds(self) -> float | None:
        """Return the seconds waited so far; None where the process is gone or crowds its own processor."""
        try:
            waited = int(self._path.read_text().split()[1]) / 1e9
            crowded = len(os.listdir(self._tasks)) > CROWD * (os.cpu_count() or 1)
        except (OSError, ValueError, IndexError):
            return None
        return None if crowded else waited


def stalled_seconds() -> float | None:
    """Return for how many seconds, since the machine started, something has waited for a processor; None if unknown."""
    try:
        line = Path("/proc/pressure/cpu").read_text().splitlines()[0]
        return int(line.rpartition("total=")[2]) / 1e6
    except (OSError, ValueError, IndexError):
        return None
