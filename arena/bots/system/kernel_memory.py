"""Count the kernel's own memory that a bot's files and mappings need, on machines where no control group counts it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from math import inf

from arena.bots.system.orphans import cpu_ticks

FILE_BYTES = 1536
"""The memory of an empty file: 1,040 bytes, and up to 1,670 with a long name."""
MAPPING_BYTES = 512
"""The memory of a mapping: 270 to 470 bytes."""
MAX_MAPPINGS = 16_384
"""The most mappings of a process. A runtime such as Java has about 1,000; the kernel allows 65,530."""
CARE = 5
"""The wait after a count of mappings, as a multiple of the time that the count took."""
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
        self._mappings = {process: found for process, found in self._mappings.items() if process in processes}
        if time.monotonic() >= self._next_count:
            began = time.thread_time()
            self._count_mappings(processes, began + LONGEST_COUNT)
            self._next_count = time.monotonic() + CARE * (time.thread_time() - began)
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
        found = os.statvfs(folder)
        return found.f_files - found.f_ffree
    return 0


def _mappings(process: int) -> int:
    """Return the number of mappings of a process, or a number above `MAX_MAPPINGS`; 0 if it is gone."""
    count = 0
    with contextlib.suppress(OSError), open(f"/proc/{process}/maps", "rb", buffering=0) as stream:
        while count <= MAX_MAPPINGS and (text := stream.read(CHUNK)):
            count += text.count(b"\n")
    return count
