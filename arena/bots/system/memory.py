"""Monitor the memory of a bot's processes, on machines where no control group can limit it.

A thread adds up what the processes use, from /proc. It must be quick enough that a bot cannot fill the machine between
two looks, and cheap enough that it takes nothing noticeable from the match. So the wait until the next look depends on
how far the bot is from its limit, and what is dear to count (shared memory, mappings) is counted only when it could
decide, and then not again before a multiple of the time that it took. docs/security.md says what remains uncounted.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from math import inf

from arena.bots.system.orphans import cpu_ticks, descendants

# The kernel's own memory for a bot's files and mappings.

FILE_BYTES = 1536
"""The memory of an empty file: 1,040 bytes, and up to 1,670 with a long name."""
MAPPING_BYTES = 512
"""The memory of a mapping: 270 to 470 bytes."""
MAX_MAPPINGS = 16_384
"""The most mappings of a process. A runtime such as Java has about 1,000; the kernel allows 65,530."""
KERNEL_CARE = 5
"""The wait after a count of mappings, as a multiple of the time that the count took: a sixth of a processor at most,
and only while the bot itself runs. Chosen, not measured."""
LONGEST_COUNT = 0.01
"""CPU seconds. A count that takes longer stops; the next one continues. A process takes up to 0.015 s."""
CHUNK = 65_536


class KernelMemory:
    """The kernel's memory for the files and mappings of a bot.

    Args:
        folders: The roots of the file systems in memory to which only this bot can write.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(folders)
        self._mappings: dict[int, tuple[bytes, int]] = {}  # CPU ticks and mappings, in the order of counting
        self._next_count = 0.0

    def count(self, processes: list[int]) -> float:
        """Return the bytes; infinite if a process has more than `MAX_MAPPINGS`."""
        self._mappings = {process: entry for process, entry in self._mappings.items() if process in processes}
        if time.monotonic() >= self._next_count:
            began = time.thread_time()
            self._count_mappings(processes, began + LONGEST_COUNT)
            self._next_count = time.monotonic() + KERNEL_CARE * (time.thread_time() - began)
        mappings = [count for _, count in self._mappings.values()]
        if any(count > MAX_MAPPINGS for count in mappings):
            return inf
        return sum(mappings) * MAPPING_BYTES + sum(map(_files, self._folders)) * FILE_BYTES

    def _count_mappings(self, processes: list[int], until: float) -> None:
        """Count the mappings of the processes that have run since their last count, the oldest count first."""
        new = [process for process in processes if process not in self._mappings]
        for process in (*new, *self._mappings):
            ticks = cpu_ticks(process)
            if self._mappings.get(process, (None, 0))[0] != ticks:
                self._mappings.pop(process, None)
                self._mappings[process] = ticks, _mappings(process)
                if time.thread_time() > until:
                    return


def _files(folder: str) -> int:
    """Return the number of files in a file system; 0 if it is gone."""
    with contextlib.suppress(OSError):
        status = os.statvfs(folder)
        return status.f_files - status.f_ffree
    return 0


def _mappings(process: int) -> int:
    """Return the number of mappings of a process, or a number above `MAX_MAPPINGS`; 0 if it is gone."""
    count = 0
    with contextlib.suppress(OSError), open(f"/proc/{process}/maps", "rb", buffering=0) as stream:
        while count <= MAX_MAPPINGS and (text := stream.read(CHUNK)):
            count += text.count(b"\n")
    return count


# The memory of the processes.

KIBIBYTE = 1024
SHORTEST, LONGEST = 0.005, 0.1
"""The shortest and the longest wait between two checks, in seconds."""
FASTEST = 4 * 1024**3
"""The assumed growth of a bot's memory, in bytes per second. The next check comes when a bot with this growth would
reach the limit."""
CARE = 20
"""The wait after an exact count, as a multiple of the time that the count took: at most 5 % of a processor."""
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
        wait, next_exact_count = SHORTEST, 0.0
        while not self._stopped.wait(wait):
            processes = descendants(self._root)
            kernel = self._kernel.count(processes)
            used = kernel + sum(_count(process, "status", RESIDENT) for process in processes)
            wait = min(LONGEST, max(SHORTEST, (self._limit - used) / FASTEST))
            if used <= self._limit:
                continue
            # More than the limit, if shared memory counts for each process. For one process that is exact.
            began = time.monotonic()
            if len(processes) == 1 or kernel > self._limit:
                self.exceeded = True
            elif began >= next_exact_count:
                self.exceeded = self._shares_exceed(processes, kernel)
                now = time.monotonic()
                next_exact_count = now + SHORTEST + CARE * (now - began)
            if self.exceeded:
                self._kill()
                return
            wait = min(LONGEST, max(SHORTEST, next_exact_count - time.monotonic()))

    def _shares_exceed(self, processes: list[int], used: float) -> bool:
        """Return whether `used` and the memory of the processes exceed the limit, with shared memory counted once.

        The count is slow. If no process has used CPU time since the last count, return False without a new count.
        """
        ticks = [cpu_ticks(process) for process in processes]
        if ticks == self._counted:
            return False
        self._counted = ticks
        for process in processes:
            share = _count(process, "smaps_rollup", PROPORTIONAL)
            if share:
                used += share + _count(process, "status", (b"VmPTE",))
            else:  # the kernel does not have this file, or not for us
                used += _count(process, "status", RESIDENT)
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
