"""Start a child process that inherits nothing by accident, and own the descriptors that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
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


def python(*arguments: str) -> list[str]:
    """Return a command that starts this Python interpreter, and does not search the current folder for modules.

    Without ``-P``, Python with ``-m`` or ``-c`` searches the current folder first. This folder can contain an untrusted
    bot.
    """
    return [sys.executable, "-P", *arguments]


def spawn(
    command: Sequence[str],
    *,
    streams: tuple[int | None, int | None, int | None],
    passed: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    session: bool = False,
) -> int:
    """Start a command and return its process id. The caller reaps the process.

    The command gets no other descriptors and variables than those passed here. No Python code runs between fork and
    exec: with threads in this process, it could wait for a lock that nobody releases.

    Args:
        streams: Its stdin, stdout and stderr; None for our own.
    """
    child = subprocess.Popen(
        list(command),
        env=dict(environment or {}),
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        pass_fds=tuple(passed),
        cwd=folder,
        start_new_session=session,
    )
    # Popen must neither reap the child nor warn that nobody has reaped it.
    child.returncode = 0
    return child.pid
