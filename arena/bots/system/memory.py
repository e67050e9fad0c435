"""Monitor the memory of a bot's processes, on machines where no control group can limit it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from arena.bots.system.orphans import descendants

KIBIBYTE = 1024
SHORTEST, LONGEST = 0.005, 0.1
"""The shortest and the longest wait between two checks, in seconds, without `CARE`."""
FASTEST = 4 * 1024**3
"""The assumed growth of a bot's memory, in bytes per second. The next check comes when a bot with this growth would
reach the limit."""
CARE = 20
"""The additional wait after an exact count, as a multiple of the time that the count took."""
RESIDENT = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")
PROPORTIONAL = (b"Pss_Anon", b"Pss_Shmem", b"Swap")


class MemoryWatch:
    """A thread that kills a bot if all its processes together use more memory than allowed.

    Files of programs and libraries do not count. Memory that processes share counts once.

    Args:
        root: The id of the first process.
        limit: The limit in bytes.
        kill: Kills all processes.

    Attributes:
        exceeded: Whether this thread has killed the bot.
    """

    def __init__(self, root: int, limit: int, kill: Callable[[], None]) -> None:
        self.exceeded = False
        self._root = root
        self._limit = limit
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
        wait = SHORTEST
        while not self._stopped.wait(wait):
            processes = descendants(self._root)
            used = sum(_count(process, "status", RESIDENT) for process in processes)
            wait = min(LONGEST, max(SHORTEST, (self._limit - used) / FASTEST))
            if used <= self._limit:
                continue
            begun = time.monotonic()
            if len(processes) == 1 or self._shares_exceed(processes):
                self.exceeded = True
                self._kill()
                return
            wait += CARE * (time.monotonic() - begun)

    def _shares_exceed(self, processes: list[int]) -> bool:
        """Return whether the exact memory use exceeds the limit, with shared memory counted once.

        The count is slow. If no process has used CPU time since the last count, return False without a new count.
        """
        ran = [_cpu_time(process) for process in processes]
        if ran == self._counted:
            return False
        self._counted = ran
        used = 0
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


def _cpu_time(process: int) -> bytes:
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb") as stream:
        return b" ".join(stream.read().rpartition(b")")[2].split()[11:13])
    return b""
