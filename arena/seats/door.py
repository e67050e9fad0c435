"""The port of a gateway: it accepts connections from anybody, a limited number at once, and shakes hands with them.

A connection waits in the kernel's queue while there are too many. So nobody outside takes a descriptor that the gateway
needs for itself. Those that do not finish their handshake in time are closed, and the queue moves on.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.referee.poller import Poller
from arena.seats.connection import Connection
from arena.seats.curve import CurveServer, RefusedError

MOST_CONNECTIONS: Final = 128
HANDSHAKE_SECONDS: Final = 3.0
SILENT_SECONDS: Final = 6.0
"""A client that sends nothing for so long, not even an answer to a probe, has lost its connection."""
_QUEUE: Final = 4_096
_PAUSE: Final = 0.1


@dataclass(slots=True)
class _Guest:
    connection: Connection
    peer: CurveServer
    heard: float


class Door:
    """Listens on a port, and passes on the messages of clients that have the key.

    Args:
        new_peer: Makes the server's end of the protocol for one more connection.
        on_message: Receives a connection and a message from it.

    Attributes:
        refused: The number of connections with another key.
    """

    def __init__(
        self,
        host: str,
        port: int,
        poller: Poller,
        new_peer: Callable[[], CurveServer],
        on_message: Callable[[Connection, bytes], None],
    ) -> None:
        place = ("0.0.0.0" if host == "*" else host.strip("[]"), port)
        family = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)[0][0]
        self._listener = socket.create_server(place, family=family, backlog=_QUEUE)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self.refused = 0
        self._poller = poller
        self._new_peer = new_peer
        self._on_message = on_message
        self._guests: dict[int, _Guest] = {}
        self._accepts_at = 0.0
        self._accepting = False
        self.keep_time(time.monotonic())

    def send(self, connection: Connection, payload: bytes) -> None:
        """Send one message to a client, now or when its socket accepts it."""
        connection.send(payload)
        connection.poll(self._poller, self._serve, connection.descriptor)

    def keep_time(self, now: float) -> None:
        """Close the connections whose time is over, and accept others if there is room."""
        for descriptor, guest in list(self._guests.items()):
            if now - guest.heard > (SILENT_SECONDS if guest.peer.greeted else HANDSHAKE_SECONDS):
                self._drop(descriptor)
        self._accept_or_not(now)

    def _accept_or_not(self, now: float) -> None:
        wanted = len(self._guests) < MOST_CONNECTIONS and now >= self._accepts_at
        if wanted != self._accepting:
            self._accepting = wanted
            self._poller.add(self._listener.fileno(), self._accept, 0, read=wanted)

    def _accept(self, _: int) -> None:
        now = time.monotonic()
        try:
            accepted = self._listener.accept()[0]
            peer = self._new_peer()
            connection = Connection.encrypted(accepted, peer)
        except BlockingIOError:
            return
        except OSError:  # the client has left, or the whole machine has no descriptors left
            self._accepts_at = now + _PAUSE
        else:
            self._guests[connection.descriptor] = _Guest(connection, peer, now)
            connection.poll(self._poller, self._serve, connection.descriptor)
        self._accept_or_not(now)

    def _serve(self, descriptor: int) -> None:
        guest = self._guests.get(descriptor)
        if guest is None:
            return  # closed by an event before this one
        for message in guest.connection.receive():
            guest.heard = time.monotonic()
            self._on_message(guest.connection, message)
        self.refused += isinstance(guest.connection.error, RefusedError)
        if guest.connection.closed:
            self._drop(descriptor)
        else:
            guest.connection.poll(self._poller, self._serve, descriptor)

    def _drop(self, descriptor: int) -> None:
        self._poller.remove(descriptor)
        self._guests.pop(descriptor).connection.close()
        self._accept_or_not(time.monotonic())

    def close(self, seconds: float) -> None:
        """Accept no more connections, and wait at most `seconds` until what is not sent yet is sent."""
        self._poller.remove(self._listener.fileno())
        self._listener.close()
        end = time.monotonic() + seconds
        for guest in self._guests.values():
            while guest.connection.unsent and not guest.connection.closed and time.monotonic() < end:
                time.sleep(0.01)
                guest.connection.flush()
            guest.connection.close()
