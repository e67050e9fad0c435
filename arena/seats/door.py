"""The port of a gateway: accept connections from anybody, a limited number at once, and relay their bytes.

libzmq accepts connections until the process has no descriptors left, and its accepting thread then spins. Here, a
connection waits in the kernel's queue while there are too many, so that nobody outside takes a descriptor that the
gateway needs for itself. libzmq closes those that have not finished their handshake in time, and the queue moves on.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import Final

MOST_CONNECTIONS: Final = 128
DESCRIPTORS: Final = 3
"""The number of descriptors for each connection: its socket, and both ends of the socket that leads to libzmq."""
_QUEUE: Final = 4_096
_CHUNK: Final = 65_536
_PAUSE: Final = 0.1


class _End:
    __slots__ = ("ended", "other", "socket", "unsent")

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.socket = connection
        self.unsent = memoryview(b"")
        self.ended = False
        self.other: _End = self

    @property
    def events(self) -> int:
        reads = selectors.EVENT_READ if not self.other.unsent and not self.ended else 0
        return reads | (selectors.EVENT_WRITE if self.unsent else 0)

    def flush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self.unsent = self.unsent[self.socket.send(self.unsent) :]

    def read(self) -> None:
        """Pass the bytes that have arrived to the other end."""
        with contextlib.suppress(BlockingIOError):
            data = self.socket.recv(_CHUNK)
            self.ended = not data
            self.other.unsent = memoryview(data)
            self.other.flush()


class Door:
    """Relays connections between a port and a Unix socket, in a thread."""

    def __init__(self, host: str, port: int, inside: str) -> None:
        place = ("0.0.0.0" if host == "*" else host.strip("[]"), port)
        family = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)[0][0]
        self._listener = socket.create_server(place, family=family, backlog=_QUEUE)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._inside = inside
        self._ends: dict[_End, int] = {}
        self._selector = selectors.DefaultSelector()
        self._accepts_at = 0.0
        self._accepting = self._closing = False
        self._thread = threading.Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def close(self, seconds: float) -> None:
        """Accept no more connections, and wait at most `seconds` for the end of those that are there."""
        self._closing = True
        self._thread.join(seconds)

    def _run(self) -> None:
        while self._ends or not self._closing:
            self._accept_or_not()
            for key, events in self._selector.select(_PAUSE):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._ends:
                    self._relay(key.data, events)
        self._selector.close()
        self._listener.close()

    def _accept_or_not(self) -> None:
        wanted = not self._closing and len(self._ends) < 2 * MOST_CONNECTIONS and time.monotonic() >= self._accepts_at
        if wanted and not self._accepting:
            self._selector.register(self._listener, selectors.EVENT_READ)
        elif self._accepting and not wanted:
            self._selector.unregister(self._listener)
        self._accepting = wanted

    def _accept(self) -> None:
        try:
            outside = self._listener.accept()[0]
        except BlockingIOError:
            return
        except OSError:  # the client has left, or the whole machine has no descriptors left
            self._accepts_at = time.monotonic() + _PAUSE
            return
        try:
            outside.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            inside = socket.socket(socket.AF_UNIX)
            inside.connect(self._inside)
        except OSError:
            outside.close()
            return
        one, other = _End(outside), _End(inside)
        one.other, other.other = other, one
        for end in (one, other):
            self._ends[end] = selectors.EVENT_READ
            self._selector.register(end.socket, selectors.EVENT_READ, end)

    def _relay(self, end: _End, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                end.flush()
            if events & selectors.EVENT_READ and not end.other.unsent:
                end.read()
        except OSError:
            end.ended, end.other.unsent = True, memoryview(b"")
        for one in (end, end.other):
            if one.ended and not one.other.unsent:
                self._drop(end)
                return
        for one in (end, end.other):
            self._watch(one)

    def _watch(self, end: _End) -> None:
        before, now = self._ends[end], end.events
        self._ends[end] = now
        if before == now:
            return
        if not before:
            self._selector.register(end.socket, now, end)
        elif now:
            self._selector.modify(end.socket, now, end)
        else:
            self._selector.unregister(end.socket)

    def _drop(self, end: _End) -> None:
        for one in (end, end.other):
            if self._ends.pop(one):
                self._selector.unregister(one.socket)
            one.socket.close()
