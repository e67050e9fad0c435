"""Read a bot's output, keep its beginning and its end, and drop the rest without blocking the bot.

The pipe is always read: a bot whose pipe is full would stand still in `print`, and lose on time for it. What is kept is
limited, and so is what is read at all: after `read` bytes the pipe is closed, and the bot gets an error.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque

from arena.text.printable import printable

CHUNK = 64 * 1024
NOTE = "[cut: the replay has no more of what this bot prints]"
READS_AT_ONCE = 4
"""The most reads of `CHUNK` bytes in one call, so that a flooding bot cannot block the referee. 64 KiB is what a pipe
of Linux holds: more than one read is only needed if the bot writes meanwhile."""


def _text(data: bytes) -> str:
    return printable(data.decode("utf-8", "replace"))


class Capture:
    """One output pipe of a bot.

    Call `drain()` when its descriptor is readable. The capture owns the descriptor. It closes the descriptor at the end
    of the stream, after too many bytes, or in `close()`.

    Args:
        kept: The number of bytes to keep from the beginning of the output. The same number is kept from the end.
        read: The number of bytes after which the pipe is closed.
    """

    __slots__ = (
        "_descriptor",
        "_end",
        "_head",
        "_is_noted",
        "_kept",
        "_read",
        "_reserved",
        "_tail",
        "_tail_size",
        "_unseen",
        "total",
    )

    def __init__(self, descriptor: int, *, kept: int = 64 * 1024, read: int = 64 * 1024 * 1024) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._kept = self._end = kept
        self._read = read
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._unseen = bytearray()
        self._reserved = 0
        self._is_noted = False
        self.total = 0
        """Bytes read so far."""

    def fileno(self) -> int:
        """Return the pipe's descriptor, or -1 when it is closed."""
        return -1 if self._descriptor is None else self._descriptor

    @property
    def closed(self) -> bool:
        """Whether the pipe is closed: after the end of the stream, after too many bytes, or after `close()`."""
        return self._descriptor is None

    @property
    def flooded(self) -> bool:
        """Whether the pipe was closed because of too many bytes."""
        return self.total >= self._read

    @property
    def cut(self) -> bool:
        """Whether any part of the output was dropped."""
        return self._lost > 0 or self.flooded

    @property
    def _lost(self) -> int:
        return self.total - len(self._head) - min(self._tail_size, self._end)

    def drain(self) -> int:
        """Read the available bytes, up to a limit.

        Returns:
            The number of bytes read; 0 when none were available or the stream has ended (see `closed`).
        """
        count = 0
        for _ in range(READS_AT_ONCE):
            if self._descriptor is None:
                break
            try:
                data = os.read(self._descriptor, CHUNK)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.close()
                break
            count += len(data)
            self._keep(data)
            if self.flooded:
                self.close()
        return count

    def drain_rest(self) -> None:
        """Read the rest of the pipe of a dead bot, and close it."""
        while self.drain():
            pass
        self.close()

    def take(self) -> str:
        """Return the complete lines that were read since the last call, with control characters escaped.

        Once the pipe is closed, also return an incomplete last line. All calls together return at most the first `kept`
        bytes of the output, plus the number of bytes that `reserve` allows, and `NOTE` where they leave out more.
        """
        is_full = self.total > len(self._head) and not self._reserved
        end = len(self._unseen) if self.closed or is_full else self._unseen.rfind(b"\n") + 1
        text = _text(bytes(self._unseen[:end]))
        del self._unseen[:end]
        if is_full and not self._is_noted:
            self._is_noted = True
            text = f"{text}{NOTE}\n" if not text or text.endswith("\n") else f"{text}\n{NOTE}\n"
        return text

    def reserve(self, size: int) -> None:
        """Let `take` return `size` more bytes of the output, in addition to the first `kept` bytes."""
        self._reserved = size

    def keep_artefact(self, size: int) -> None:
        """Keep the first `size` bytes and no others, and no lines for `take`. Call it before the first `drain`."""
        self._kept, self._end = size, 0

    def kept(self) -> bytes:
        """Return the beginning of the output: at most the first `kept` bytes."""
        return bytes(self._head)

    def text(self) -> str:
        """Return the beginning and the end of the output, with control characters escaped.

        A line with the number of dropped bytes replaces the part between them.
        """
        end = f"\n[cut: the pipe was closed after {self.total} bytes]\n" if self.flooded else ""
        if not self._lost:
            return _text(bytes(self._head) + self._tail_bytes()) + end
        return f"{_text(bytes(self._head))}\n[cut: {self._lost} bytes]\n{_text(self._tail_bytes())}{end}"

    def close(self) -> None:
        """Close the pipe. A bot that still writes gets an error."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def _keep(self, data: bytes) -> None:
        self.total += len(data)
        room = self._kept - len(self._head)
        if room > 0:
            self._head += data[:room]
            if self._end:
                self._unseen += data[:room]
            data = data[room:]
        if data and self._end:
            self._unseen += data[: self._reserved]
            self._reserved = max(0, self._reserved - len(data))
            self._tail.append(data)
            self._tail_size += len(data)
            while self._tail_size - len(self._tail[0]) >= self._end:
                self._tail_size -= len(self._tail.popleft())

    def _tail_bytes(self) -> bytes:
        return b"".join(self._tail)[-self._end :]
