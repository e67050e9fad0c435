"""Measure how long a bot that must answer was idle by its own choice."""

from __future__ import annotations

import time

from arena.bots.process import BotProcess
from arena.referee.load import stolen_seconds

SHORTEST_IDLE = 0.001
"""Seconds. A shorter idle time between two measurements is ignored."""
FULL_PIPE = 32 * 1024
"""Bytes. A bot that printed as much between two measurements can have waited until the referee had read them."""


class IdleTime:
    """Counts the time in which a bot neither ran nor waited for the processor, the disk or memory.

    All errors are in the bot's favour. The time before the first and after the last measurement of a request does not
    count, nor does the time by which a measurement is late, since then the whole machine can have been stopped.
    """

    __slots__ = ("_before", "_printed", "_process", "_seconds", "_stolen")

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._printed = 0
        self.restart()

    def restart(self) -> None:
        """Begin again, because the bot got a message or was stopped."""
        self._before: tuple[float, int] | None = None
        self._stolen: float | None = None
        self._seconds = 0.0

    def measure(self, planned: float) -> None:
        """Measure the time since the previous call. `planned` is the time at which this call was due at the latest."""
        busy = self._process.busy_nanoseconds()
        if busy is None:
            return
        now = time.monotonic()
        before, self._before = self._before, (now, busy)
        printed, self._printed = self._printed, self._process.stdout.total + self._process.stderr.total
        if before is not None and self._printed - printed < FULL_PIPE:
            idle = min(now, planned) - before[0] - (busy - before[1]) / 1e9
            if idle > SHORTEST_IDLE:
                self._seconds += idle - self._newly_stolen(idle)

    def take(self) -> float:
        """Return the seconds that were measured since the previous call. They are negative after a correction."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _newly_stolen(self, unknown: float) -> float:
        """Return the seconds that the host of a virtual machine took since the previous call."""
        before, self._stolen = self._stolen, stolen_seconds()
        return unknown if before is None else self._stolen - before
