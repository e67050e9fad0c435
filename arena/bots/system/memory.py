"""Watch the memory of a bot's processes, where no control group does."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from arena.bots.system.orphans import descendants

KIBIBYTE = 1024
SHORTEST, LONGEST = 0.005, 0.1
"""Seconds between two looks."""
FASTEST = 4 * 1024**3
"""Bytes that a process is expected to fill in a second. The next look comes before the limit can be reached."""
CARE = 20
"""The watch waits this many times as long as an exact count has taken."""
RESIDENT = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")
PROPORTIONAL = (b"Pss_Anon", b"Pss_Shmem", b"Swap")


class MemoryWatch:
    """A thread that ends a bot whose processes use more memory than allowed, all of them together.

    Files of programs and libraries do not count. Memory that processes share counts once.

    Args:
        root: The first process.
        limit: The allowed bytes.
        kill: Ends all processes.

    Attributes:
        exceeded: Whether the bot was ended.
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
        """Stop watching. A second call does nothing."""
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
        """Count exactly, which takes long. Do not count again before one of the processes has run."""
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
    """Return the sum of some lines of a file of /proc, in bytes; 0 if the process is gone."""
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
