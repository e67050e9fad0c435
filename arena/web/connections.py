"""Limit the connections of a server: their number, and how long they may be silent.

Connections without a request that is being answered give way to new ones, oldest first. So nobody can take all
descriptors with connections that say nothing, and a part of the descriptors stays free for the matches of this process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS: Final = 10.0
"""Time limit for the header of a request, and the period in which a body must bring `LEAST_BODY` bytes."""
LEAST_BODY: Final = 10_240
_MOST_STUCK: Final = 3
"""The number of periods in which a client may read nothing of its answer."""
_LEAST_IDLE: Final = 32
"""The number of idle connections that there may be in any case, so that a crowd is at least refused with a message."""


def _descriptors() -> int:
    """Return how many descriptors this process may have; 1024 without a limit, and where there is no such limit."""
    try:
        import resource
    except ImportError:
        return 1024
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1024 if limit == resource.RLIM_INFINITY else limit


class Connections:
    """The connections of one server. A connection is busy while a request of it is being answered, or else idle.

    Attributes:
        most: The limit for their number: half of the descriptors of this process, at most 512.
        backlog: The number of connections that the event loop accepts at once, before it counts them.
    """

    def __init__(self) -> None:
        files = _descriptors()
        self.most = min(512, files // 2)
        self.backlog = min(128, files // 8)
        self._busy: set[Connection] = set()
        self._idle: dict[Connection, None] = {}

    def protocol(self, **settings: Any) -> Connection:
        return Connection(self, **settings)

    def add(self, connection: Connection) -> None:
        """Count a new connection, and close the oldest idle one if there are too many."""
        if len(self._busy) + len(self._idle) >= self.most and len(self._idle) >= _LEAST_IDLE:
            next(iter(self._idle)).abort()
        self._idle[connection] = None

    def begin(self, connection: Connection) -> None:
        if connection in self._idle:
            del self._idle[connection]
            self._busy.add(connection)

    def end(self, connection: Connection) -> None:
        if connection in self._busy:
            self._busy.remove(connection)
            self._idle[connection] = None

    def remove(self, connection: Connection) -> None:
        self._busy.discard(connection)
        self._idle.pop(connection, None)


class Connection(H11Protocol):
    """A connection that must bring its requests, and read its answers, in reasonable time."""

    def __init__(self, connections: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._all = connections
        self._timer: asyncio.TimerHandle | None = None
        self._awaits_header = True
        self._body = self._stuck = self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._all.add(self)
        self._call_later(self.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, and set its time limit."""
        before = self.cycle
        self._body += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._begin()
        elif self.cycle is not None and self.cycle.response_complete and not self._awaits_header:
            self._awaits_header = True  # the first bytes of the next request
            self._call_later(self.abort)

    def on_response_complete(self) -> None:
        """Count the connection as idle, unless its next request has already arrived."""
        self._all.end(self)
        before = self.cycle
        super().on_response_complete()  # begins the next request, if it has already arrived
        if self.cycle is not before:
            self._begin()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def abort(self) -> None:
        self._leave()
        self.transport.abort()

    def _begin(self) -> None:
        self._all.begin(self)
        self._awaits_header = False
        self._body = self._stuck = self._unread = 0
        self._call_later(self._check_progress)

    def _check_progress(self) -> None:
        waits_for_body = self.cycle.more_body and not (
            self.cycle.response_complete or self.cycle.waiting_for_100_continue or self.flow.read_paused
        )
        unread = self.transport.get_write_buffer_size()
        self._stuck = self._stuck + 1 if unread and unread == self._unread else 0
        if (waits_for_body and self._body < LEAST_BODY) or self._stuck >= _MOST_STUCK:
            self.abort()
            return
        self._body, self._unread = 0, unread
        self._call_later(self._check_progress)

    def _call_later(self, call: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(SECONDS, call)

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._awaits_header = True
        self._all.remove(self)
