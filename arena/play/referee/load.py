"""Measure how long programs have waited for a processor, and whether other programs were the cause.

`WaitingTime` is the measurement for one bot; `processor.Processor` says when to measure. `Measurements` are the times
and the load of a whole match, for its result: they decide nothing.

A bot must not profit from a number here. Whatever it can lower by itself, such as its weight or its share, is compared
with a busy loop of the referee's own (`waiting_share`), which has the weight of any program.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

from arena.bots.process import BotProcess
from arena.bots.system.orphans import descendants

TICKS = os.sysconf("SC_CLK_TCK")
PROBE_SECONDS = 0.05
"""How long a probe computes: several time slices of the kernel, so that other programs get their turn in it."""
FIRST_PROBE = 0.5
"""Seconds from the first measurement of a request to the first probe, if the bot waits: a tenth of it is the probe."""
PROBES = 8
"""Later, a probe represents an eighth of the time since then. So a bot that waits is stopped for a tenth of the time. A
load that begins or ends in between is misjudged for an eighth at most, which `clock.FAIR_FACTOR` allows for."""
BUSY_SHARE = 0.2
"""If a busy loop in this process waits for a processor for more than this share of the time, the machine is busy.

On an idle machine the share is near 0, beside one other program near a half. Chosen between the two.
"""
SHORTEST_WAIT = 0.005
"""Seconds. A shorter wait for the processor is ignored: it is about one time slice, which every program waits for."""


class Load(NamedTuple):
    """What a seat has used of the processor, and how long it has waited for it.

    Attributes:
        used: CPU seconds of all processes of the seat.
        waited: Seconds in which processes of the seat wanted to run and none did; None if they are not measured.
        tasks: CPU seconds and seconds waited, by thread id. They are read only if `waited` is None.
    """

    used: float
    waited: float | None
    tasks: dict[int, tuple[float, float]]


def measure(process: BotProcess) -> Load:
    exact, waited = process.cpu_nanoseconds(), process.waiting_nanoseconds()
    if exact is not None and waited is not None:
        return Load(exact / 1e9, waited / 1e9, {})
    tasks: dict[int, tuple[float, float]] = {}
    used = 0.0
    for pid in descendants(process.root):
        with contextlib.suppress(OSError):
            times = {int(task): _schedule(f"/proc/{pid}/task/{task}") for task in os.listdir(f"/proc/{pid}/task")}
            user, system, *of_children = (int(ticks) / TICKS for ticks in _status(f"/proc/{pid}")[11:15])
            # Thread times are exact, but lack ended threads. The process time includes these, but has steps of 10 ms.
            used += max(sum(ran for ran, _ in times.values()), user + system) + sum(of_children)
            tasks |= times
    return Load(used if exact is None else exact / 1e9, None, tasks)


def kept_waiting(before: Load, after: Load) -> float:
    """Return the seconds for which a seat waited for other programs between two measurements.

    If only threads are measured, return the longest time of a thread. Waiting while other threads of the seat used the
    processor does not count.
    """
    if before.waited is not None and after.waited is not None:
        return after.waited - before.waited
    used = after.used - before.used
    longest = 0.0
    for task, (ran, waited) in after.tasks.items():
        ran_before, waited_before = before.tasks.get(task, (0.0, 0.0))
        longest = max(longest, waited - waited_before - max(0.0, used - (ran - ran_before)))
    return longest


class WaitingTime:
    """Counts how long other programs kept a bot from running, and what a program of normal weight would have had.

    A bot that gives the processor away waits for it as long as it wants to. So its own waiting says only what it has
    lost. What it could have had comes from a busy loop of the referee (`waiting_share`), made again and again while the
    bot waits: a load that ends early counts, as does one that comes late.

    Attributes:
        seconds: How long the bot waited. Below level 3, only times count in which the machine was busy.
        entitled: Seconds in which a program of normal weight would have run.
    """

    __slots__ = ("_before", "_began", "_process", "entitled", "seconds")

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self.restart()

    def restart(self) -> None:
        """Begin again, because the bot got a message."""
        self._before: tuple[float, Load] | None = None
        self._began = 0.0
        self.seconds = self.entitled = 0.0

    def resume(self) -> None:
        """Leave out the time since the last measurement, because the bot was stopped."""
        if self._before is not None:
            self._before = time.monotonic(), self._before[1]

    def is_due(self) -> bool:
        """Return whether to measure now. The first call begins to measure."""
        now = time.monotonic()
        if self._before is None:
            self._began = now
            self._before = now, measure(self._process)
        return now - self._before[0] >= max(FIRST_PROBE, (now - self._began) / PROBES)

    def since(self, lost: float) -> tuple[float, float]:
        """Return the time since the last measurement, and how long the bot waited in it.

        Args:
            lost: Seconds in which the other bots kept it from running. They do not count.
        """
        if self._before is None:
            return 0.0, 0.0
        begin, before = self._before
        now = time.monotonic()
        self._before = now, measure(self._process)
        passed, waited = now - begin, kept_waiting(before, self._before[1])
        return max(0.0, passed - lost), max(0.0, min(passed, waited) - lost)

    def add(self, passed: float, waited: float, share: float) -> None:
        """Count a time since the last measurement in which a busy loop waits for this share."""
        self.entitled += passed * (1.0 - share)
        # Without a control group, children of the bot that were not found look like other programs.
        is_exact = self._before is not None and self._before[1].waited is not None
        if is_exact or share > BUSY_SHARE:
            self.seconds += waited

    def take_entitled(self) -> float:
        seconds, self.entitled = self.entitled, 0.0
        return seconds

    def take(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


def waiting_share() -> float:
    """Return the share of the time for which a busy loop waits for a processor. Call it only while bots are stopped."""
    begin, before = time.monotonic(), _schedule("/proc/self")[1]
    while time.monotonic() < begin + PROBE_SECONDS:
        pass
    return (_schedule("/proc/self")[1] - before) / (time.monotonic() - begin)


def has_normal_weight(process: BotProcess) -> bool:
    """Return whether no thread of a bot has less weight at the processor than this process.

    The sandbox lets no bot change its weight. If one has done it nevertheless, its waiting is its own.
    """
    nice, policy = _priority("/proc/self")
    of_session = max(0, _autogroup("self"))
    for pid in descendants(process.root):
        with contextlib.suppress(OSError):
            if _autogroup(pid) > of_session:
                return False
            threads = [_priority(f"/proc/{pid}/task/{task}") for task in os.listdir(f"/proc/{pid}/task")]
            if any(thread_nice > nice or thread_policy != policy for thread_nice, thread_policy in threads):
                return False
    return True


def _priority(folder: str) -> tuple[int, int]:
    """Return the nice value and the policy of a thread."""
    fields = _status(folder)
    return int(fields[16]), int(fields[38])


def _autogroup(pid: int | str) -> int:
    """Return the nice value of a process's session, by which it shares the processor with others; 0 if it has none."""
    with contextlib.suppress(OSError, IndexError):  # the file is empty where the kernel makes no such groups
        return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])
    return 0


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


def _status(folder: str) -> list[str]:
    """Return what the kernel says of a process or thread, from its state on: its name can have spaces."""
    return Path(f"{folder}/stat").read_text().rpartition(")")[2].split()


# Measure how long a match took, and how busy the machine was.


class Measurements:
    """Times and load of a match.

    Attributes:
        playing_cpu: CPU seconds of the match process from the first turn to the end. If no turn was reached, from the
            start of the process.
        lateness: The longest delay, in seconds, between the end of a time limit and the referee's check of this limit.
        memory_growth: The growth of the referee's peak memory during the match, in bytes.
        pressure: The share of the playing time in which at least one process waited for a processor; None if unknown.
    """

    def __init__(self) -> None:
        self.began = self.first_turn = self.ended = time.monotonic()
        self.playing_cpu = self.lateness = 0.0
        self.memory_growth = 0
        self.pressure: float | None = None
        self._cpu_before_play = 0.0
        self._stalled_before: float | None = None
        self._memory_at_start = 0

    def start(self) -> None:
        self._memory_at_start = peak_memory()

    def start_playing(self) -> None:
        self.first_turn = time.monotonic()
        self._cpu_before_play = time.process_time()
        self._stalled_before = stalled_seconds()

    def stop(self) -> None:
        self.ended = time.monotonic()
        self.playing_cpu = time.process_time() - self._cpu_before_play
        self.memory_growth = peak_memory() - self._memory_at_start
        after = stalled_seconds()
        if self._stalled_before is not None and after is not None:
            self.pressure = min(1.0, (after - self._stalled_before) / max(self.ended - self.first_turn, 1e-3))


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
