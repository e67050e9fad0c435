"""Close descriptors in any case, except those that are passed on."""

from __future__ import annotations

import os
from typing import Self


class Descriptors:
    """Owns descriptors until `keep` passes them on. This context manager closes all others."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: set[int] = set()

    def add(self, descriptor: int) -> int:
        """Take over a descriptor, and return it."""
        self._open.add(descriptor)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        """Make a pipe, read end first."""
        read, write = os.pipe()
        return self.add(read), self.add(write)

    def memory_file(self, content: bytes) -> int:
        """Make a file in memory, to be read from its beginning."""
        descriptor = self.add(os.memfd_create("arena", os.MFD_CLOEXEC))
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def keep(self, descriptor: int) -> int:
        """Pass on a descriptor, which stays open, and return it."""
        self._open.discard(descriptor)
        return descriptor

    def close(self, *descriptors: int) -> None:
        """Close these descriptors now."""
        for descriptor in descriptors:
            self._open.discard(descriptor)
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close(*tuple(self._open))
