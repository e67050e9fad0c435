"""Monitor the memory of a bot's processes, on machines where no control group can limit it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from arena.bots.system.kernel_memory import KernelMemory
from arena.bots.system.orphans import cpu_ticks, descendants

KIBIBYTE = 1024
SHORTEST, LONGEST = 0.005, 0.1
"""The shortest and the longest wait between two checks, in seconds."""
FASTEST = 4 * 1024**3
"""The assumed growth of a bot's memory, in bytes per second. The next check comes when a bot with this growth would
reach the limit."""
CARE = 20
"""The wait after an exact count, as a multiple of the time that the count took."""
RESIDENT = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")
PROPORTIONAL = (b"Pss_Anon", b"Pss_Shmem", b"Swap")


class MemoryWatch:
    """A thread that kills a bot if all its processes together use more memory than allowed.

    Files of programs and libraries do not count. Memory that processes share counts once.
    """

    def __init__(self, root: int, limit: int, kernel: KernelMemory, kill: Callable[[], None]) -> None:
        self.exceeded = False
        self._root = root
        self._limit = limit
        self._kernel = kernel
        self._kill = kill
        self._counted: list[bytes] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"memory of {root}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread. A second call does nothing."""
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        wait, exact_at = SHORTEST, 0.0
        while not self._stopped.wait(wait):
            processes = descendants(self._root)
            kernel = self._kernel.count(processes)
            used = kernel + sum(_count(process, "status", RESIDENT) for process in processes)
            wait = min(LONGEST, max(SHORTEST, (self._limit - used) / FASTEST))
            if used <= self._limit:
                continue
            begun = time.monotonic()
            if len(processes) == 1 or kernel > self._limit:
                self.exceeded = True
            elif begun >= exact_at:
                self.exceeded = self._shares_exceed(processes, kernel)
                now = time.monotonic()
                exact_at = now + SHORTEST + CARE * (now - begun)
            if self.exceeded:
                self._kill()
                return
            wait = min(LONGEST, max(SHORTEST, exact_at - time.monotonic()))

    def _shares_exceed(self, processes: list[int], used: float) -> bool:
        """Return whether `used` and the memory of the processes exceed the limit, with shared memory counted once.

        The count is slow. If no process has used CPU time since the last count, return False without a new count.
        """
        ran = [cpu_ticks(process) for process in processes]
        if ran == self._counted:
            return False
        self._counted = ran
        for process in processes:
            shared = _count(process, "smaps_rollup", PROPORTIONAL)
            used += shared + _count(process, "status", (b"VmPTE",)) if shared else _count(process, "status", RESIDENT)
            if used > self._limit:
                return True
        return False


def _count(process: int, file: str, names: tuple[bytes, ...]) -> int:
    """Return the sum of the named values in a file of /proc, in bytes; 0 if the process is gone."""
    total = 0
    with contextlib.suppress(OSError), open(f"/proc/{process}/{file}", "rb") as stream:
        for line in stream:
            name, _, value = line.partition(b":")
            if name in names:
                total += int(value.split()[0]) * KIBIBYTE
    return total
