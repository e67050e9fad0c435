"""The bytes of a replay: in memory, or in a file of any size that is read in parts."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from arena_replays.errors import NotAReplay

SMALL: Final = 1024 * 1024
"""Files up to this number of bytes are read at once. They need no open file."""
PIPED: Final = 64 * 1024 * 1024
"""The limit for what is read from a pipe or a device, in bytes."""


class Source(Protocol):
    """Bytes that can be read in parts."""

    @property
    def size(self) -> int:
        """The number of bytes."""
        ...

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on; fewer than `length` at the end."""
        ...


class BytesSource:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data)

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on; fewer than `length` at the end."""
        return self.data[offset : offset + length]


class FileSource:
    """An open file. It stays the same file if another one replaces it at its path.

    Args:
        descriptor: Its descriptor, which is closed with this object.
    """

    def __init__(self, descriptor: int) -> None:
        self._file = descriptor
        weakref.finalize(self, os.close, descriptor)

    @property
    def size(self) -> int:
        """The number of bytes."""
        return os.fstat(self._file).st_size

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes from an offset on; fewer than `length` at the end."""
        parts = []
        while length > 0 and (part := _read_at(self._file, length, offset)):
            parts.append(part)
            offset, length = offset + len(part), length - len(part)
        return b"".join(parts) if len(parts) != 1 else parts[0]


_READING = threading.Lock()


def _read_at(descriptor: int, length: int, offset: int) -> bytes:
    """Read from an offset on. Windows has one position for all readers of a descriptor."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    with _READING:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, length)


def open_source(path: Path) -> tuple[Source, int]:
    """Return the bytes of a file, and its inode.

    Raises:
        NotAReplay: The file cannot be opened.
    """
    try:
        status = path.stat()
        if status.st_size > SMALL:
            return FileSource(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))), status.st_ino
        with path.open("rb") as file:
            data = file.read(PIPED + 1)  # a pipe or a device has no size before it is read
        if len(data) > PIPED:
            raise NotAReplay(f"{path} is no regular file, and has more than {PIPED // 2**20} MiB.")
        return BytesSource(data), status.st_ino
    except OSError as error:
        raise NotAReplay(f"{path} cannot be opened: {(error.strerror or str(error)).lower()}.") from None


def copied_source(file: BinaryIO) -> Source:
    """Return the rest of an open file as a copy: in memory if it is short, otherwise in a temporary file."""
    data = file.read(SMALL + 1)
    if len(data) <= SMALL:
        return BytesSource(data)
    with tempfile.TemporaryFile() as copy:
        copy.write(data)
        shutil.copyfileobj(file, copy, 1 << 20)
        copy.flush()
        return FileSource(os.dup(copy.fileno()))
