"""The engine for one machine: threads that start match processes, each on its own core.

A slot is a thread with a core. Its match process and bots inherit the affinity, so they stay on this core together; and
two matches never share a core, not even as its two logical processors.
"""

import contextlib
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from arena.errors import ArenaError
from arena.match.result import MatchResult
from arena.play.referee.cores import can_pin, usable_processors


class RunningMatch(Protocol):
    """A running match that can be ended from another thread."""

    def wait(self) -> MatchResult: ...

    def kill(self) -> None: ...


MatchT = TypeVar("MatchT")


def physical_cores(allowed: set[int] | None = None, topology: Path = Path("/sys/devices/system/cpu")) -> list[int]:
    """Return one logical processor of each core that this process can use, so that no two matches share a core."""
    allowed = set(usable_processors()) if allowed is None else allowed
    cores: list[int] = []
    siblings: set[int] = set()
    for cpu in sorted(allowed):
        if cpu in siblings:
            continue
        cores.append(cpu)
        with contextlib.suppress(OSError, ValueError):
            siblings |= _cpu_list((topology / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text())
    return cores


def _cpu_list(text: str) -> set[int]:
    result: set[int] = set()
    for part in text.strip().split(","):
        low, _, high = part.partition("-")
        result |= set(range(int(low), int(high or low) + 1))
    return result


class LocalEngine(Generic[MatchT]):
    """Plays matches in separate processes on this machine.

    Args:
        start: Starts a match. The second argument is the number of earlier failures.
        rated: Whether to refuse more matches than cores, because bots that share a core slow each other down.
        pin: Whether to pin each slot to one core. Ignored if there are more slots than cores.
    """

    def __init__(
        self,
        start: Callable[[MatchT, int], RunningMatch],
        slots: int = 0,
        *,
        rated: bool = True,
        pin: bool = True,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        cores = physical_cores()
        self.slots = slots or len(cores)
        if rated and self.slots > len(cores):
            raise ArenaError(
                f"{self.slots} matches at once on {len(cores)} cores would slow each other down.",
                hint="Play fewer at once. If clocks do not matter, contest.toml can have rated = false.",
            )
        self._start = start
        self._on_close = on_close
        self._cores: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(self.slots):
            self._cores.put(cores[slot % len(cores)])
        self._pin = pin and can_pin() and self.slots <= len(cores)
        self._lock = threading.Lock()
        self._matches: set[RunningMatch] = set()
        self._killed = False
        self._executor = ThreadPoolExecutor(self.slots, "match", initializer=self._settle_thread)

    @property
    def window(self) -> int:
        """One match for each slot. So the loop chooses the next match only when a slot is free."""
        return self.slots

    def _settle_thread(self) -> None:
        # Bind this thread to a core. The match process and its bots inherit the affinity.
        if self._pin:
            os.sched_setaffinity(0, {self._cores.get()})

    def submit(self, match: MatchT, attempt: int) -> "Future[MatchResult]":
        return self._executor.submit(self._play, match, attempt)

    def _play(self, match: MatchT, attempt: int) -> MatchResult:
        with self._lock:
            if self._killed:
                raise RuntimeError("stopped before it began")
        running = self._start(match, attempt)
        with self._lock:
            self._matches.add(running)
            killed = self._killed
        if killed:
            running.kill()
        try:
            return running.wait()
        finally:
            with self._lock:
                self._matches.discard(running)

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            matches = list(self._matches)
        for running in matches:
            running.kill()

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        if self._on_close is not None:
            self._on_close()
