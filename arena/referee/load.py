"""Measure how long programs have waited for a processor, and whether other programs were the cause."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

from arena.bots.process import BotProcess
from arena.bots.system.orphans import descendants

TICKS = os.sysconf("SC_CLK_TCK")
PROBE_SECONDS = 0.05
BUSY_SHARE = 0.2
"""If a busy loop in this process waits for a processor for more than this share of the time, the machine is busy."""


class Load(NamedTuple):
    """The CPU time that a seat has used, and the time that its threads have waited for a processor.

    Attributes:
        used: CPU seconds of all processes of the seat.
        tasks: CPU seconds and seconds waited, by thread id.
    """

    used: float
    tasks: dict[int, tuple[float, float]]


def measure(process: BotProcess) -> Load:
    tasks: dict[int, tuple[float, float]] = {}
    used = 0.0
    for pid in descendants(process.root):
        with contextlib.suppress(OSError):
            own = {int(task): _schedule(f"/proc/{pid}/task/{task}") for task in os.listdir(f"/proc/{pid}/task")}
            times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
            user, system, *of_children = (int(ticks) / TICKS for ticks in times)
            # Thread times are exact, but lack ended threads. The process time includes these, but has steps of 10 ms.
            used += max(sum(ran for ran, _ in own.values()), user + system) + sum(of_children)
            tasks |= own
    exact = process.cpu_nanoseconds()
    return Load(used if exact is None else exact / 1e9, tasks)


def kept_waiting(before: Load, after: Load) -> float:
    """Return the longest time, in seconds, that a thread of a seat waited for other programs between two measurements.

    Waiting while other threads of the seat used the processor does not count.
    """
    used = after.used - before.used
    longest = 0.0
    for task, (ran, waited) in after.tasks.items():
        ran_before, waited_before = before.tasks.get(task, (0.0, 0.0))
        longest = max(longest, waited - waited_before - max(0.0, used - (ran - ran_before)))
    return longest


def is_machine_busy() -> bool:
    """Return whether other programs keep this process from running. Call it only while all bots are stopped."""
    begin, before = time.monotonic(), _schedule("/proc/self")[1]
    while time.monotonic() < begin + PROBE_SECONDS:
        pass
    return _schedule("/proc/self")[1] - before > BUSY_SHARE * (time.monotonic() - begin)


def stalled_seconds() -> float | None:
    """Return the seconds since boot in which some process waited for a processor; None if unknown."""
    try:
        line = Path("/proc/pressure/cpu").read_text().splitlines()[0]
        return int(line.rpartition("total=")[2]) / 1e6
    except (OSError, ValueError, IndexError):
        return None


def stolen_seconds() -> float:
    """Return the seconds that the host of this virtual machine has given to others; 0 if this is not measured."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/stat", "rb") as stream:
        return int(stream.readline().split()[8]) / TICKS
    return 0.0


def _schedule(folder: str) -> tuple[float, float]:
    """Return how many seconds a thread has run, and has waited for a processor; zeros if they are not measured."""
    try:
        ran, waited, *_ = Path(f"{folder}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(waited) / 1e9
