"""The time in which a control group wanted to run and could not (pressure stall information, PSI)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

CAUSES = ("cpu", "io", "memory")


class StallClock:
    """Counts the time in which no process of a group could run although one of them wanted to.

    The causes: other programs used the processor, or the group waited for the disk or for memory.

    Args:
        folder: The group's folder, in a hierarchy of version 2.
    """

    __slots__ = ("_files",)

    def __init__(self, folder: Path) -> None:
        self._files: list[int] = []
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            for cause in CAUSES:
                self._files.append(os.open(folder / f"{cause}.pressure", os.O_RDONLY | os.O_CLOEXEC))
            self.nanoseconds()
            undo.pop_all()

    def nanoseconds(self) -> int:
        return sum(self._read(file)[1] for file in self._files)

    def waiting_nanoseconds(self) -> int | None:
        """Return the part that other programs caused by using the processor; None if the kernel does not measure it."""
        kind, total = self._read(self._files[0])
        return total if kind == b"full" else None

    @staticmethod
    def _read(file: int) -> tuple[bytes, int]:
        # The last line is `full`. Of the processor, older kernels have only `some`: it counts waiting for each other.
        line = os.pread(file, 256, 0).splitlines()[-1]
        return line[:4], int(line.rpartition(b"total=")[2]) * 1000

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        while self._files:
            os.close(self._files.pop())
