"""Measure how long a match took, and how busy the machine was."""

from __future__ import annotations

import resource
import sys
import time

from arena.referee.load import stalled_seconds


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
