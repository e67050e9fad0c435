"""Measure how long a match took, and how busy the machine was."""

from __future__ import annotations

import resource
import time

from arena.referee.load import stalled_seconds


class Measurements:
    """What is measured of a match.

    Attributes:
        began: The monotonic time at which the bots began to be set up.
        first_turn: That of the first turn; `began` if none was reached.
        ended: That of the end.
        playing_cpu: CPU seconds of the match process from the first turn to the end.
        lateness: The worst delay of the referee's own wake-ups, in seconds.
        memory_growth: Bytes by which the referee's peak memory rose while the match was played.
        pressure: The share of the playing time in which something waited for a processor; None if unknown.
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
        """Begin to measure: the bots are set up."""
        self._memory_at_start = _peak_memory()

    def start_playing(self) -> None:
        """Note the first turn."""
        self.first_turn = time.monotonic()
        self._cpu_before_play = time.process_time()
        self._stalled_before = stalled_seconds()

    def stop(self) -> None:
        """Note the end of the match."""
        self.ended = time.monotonic()
        self.playing_cpu = time.process_time() - self._cpu_before_play
        self.memory_growth = _peak_memory() - self._memory_at_start
        after = stalled_seconds()
        if self._stalled_before is not None and after is not None:
            self.pressure = min(1.0, (after - self._stalled_before) / max(self.ended - self.first_turn, 1e-3))


def _peak_memory() -> int:
    """Return the most bytes that this process has ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
