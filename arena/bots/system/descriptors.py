"""Close descriptors even after an error, except those that the caller keeps."""

from __future__ import annotations

import os
from typing import Self


class Descriptors:
    """A context manager that owns descriptors. At its end it closes all except those passed to `keep`."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: set[int] = set()

    def add(self, descriptor: int) -> int:
        self._open.add(descriptor)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        read, write = os.pipe()
        return self.add(read), self.add(write)

    def memory_file(self, content: bytes) -> int:
        descriptor = self.add(os.memfd_create("arena", os.MFD_CLOEXEC))
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def keep(self, descriptor: int) -> int:
        """Give up ownership of a descriptor, which stays open, and return it."""
        self._open.discard(descriptor)
        return descriptor

    def close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            self._open.discard(descriptor)
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close(*tuple(self._open))
