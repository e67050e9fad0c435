"""One connection of ZMTP for programs that must not wait: a socket, and the bytes that it has not accepted yet."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections import deque
from typing import Any

from arena.play.referee.seat_link import Handler, Poller, send_waiting
from arena.play.seats.curve import CurvePeer
from arena_player.wire import limits
from arena_player.wire.zmtp import HELLO, Peer, PeerError, frame

READ_SIZE = 16_384
"""Bytes that one call reads. Few messages are larger, and a flood gets the processor only for so much at once."""
_CREDENTIALS = struct.Struct("3i")


class ZmtpConnection:
    """A connected socket that sends and receives messages. No call waits.

    Attributes:
        closed: Whether the other end has closed the connection, or has violated the protocol.
        error: The violation, if there was one.
    """

    def __init__(self, connected: socket.socket, peer: Peer, opening: bytes, seal: Any = frame) -> None:
        self._socket = connected
        self._socket.setblocking(False)
        self._peer = peer
        self._seal = seal
        self._unsent: deque[memoryview] = deque([memoryview(opening)])
        self._waiting: list[bytes] = []
        self._polled: tuple[int, bool] | None = None
        self.descriptor = connected.fileno()
        self.closed = False
        self.error: PeerError | None = None
        self.flush()

    @classmethod
    def encrypted(cls, connected: socket.socket, peer: CurvePeer) -> ZmtpConnection:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(connected, peer, peer.opening, peer.frame)

    @classmethod
    def to_seat(cls, endpoint: str) -> ZmtpConnection:
        """Connect to a seat of the referee, as its client."""
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.connect(endpoint.removeprefix("ipc://"))
        except OSError:
            connected.close()
            raise
        return cls(connected, Peer(limits.REFEREE_BYTES), HELLO)

    @property
    def greeted(self) -> bool:
        """Whether the handshake is complete."""
        return self._peer.greeted

    @property
    def unsent(self) -> int:
        """The number of bytes that wait to be sent, without those in the kernel's buffer."""
        return sum(map(len, (*self._unsent, *self._waiting))) if self._unsent or self._waiting else 0

    def share_processor(self) -> None:
        """Run this process where the other end of a Unix socket runs. Both take turns, and wake each other sooner."""
        with contextlib.suppress(OSError, AttributeError):  # the other end has left; macOS cannot do this
            credentials = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            os.sched_setaffinity(0, os.sched_getaffinity(_CREDENTIALS.unpack(credentials)[0]))

    def poll(self, poller: Poller, handler: Handler, number: int) -> None:
        """Let a poller wait for bytes from the other end, and for room if bytes wait to be sent."""
        polled = number, bool(self._unsent)
        if polled != self._polled and not self.closed:
            self._polled = polled
            poller.add(self.descriptor, handler, number, write=bool(self._unsent))

    def send(self, payload: bytes) -> None:
        """Send one message. Bytes that the socket does not accept now wait for `flush`."""
        self._waiting.append(payload)
        self.flush()

    def flush(self) -> None:
        """Send the waiting bytes, as many as the socket accepts. No message is sent before the end of the handshake."""
        unsent = self._unsent
        if self._peer.replies:
            unsent.append(memoryview(self._peer.replies))
            self._peer.replies = b""
        if self._waiting and self._peer.greeted:
            unsent.extend(memoryview(self._seal(payload)) for payload in self._waiting)
            self._waiting.clear()
        if not send_waiting(self._socket, unsent):
            self.closed = True

    def receive(self) -> list[bytes]:
        """Return the messages that have arrived, with at most `READ_SIZE` bytes read at once."""
        messages: list[bytes] = []
        try:
            data = self._socket.recv(READ_SIZE)
        except BlockingIOError:
            self.flush()
            return messages
        except OSError:
            data = b""
        self.closed = self.closed or not data
        self._peer.feed(data)
        try:
            while (message := self._peer.next_message()) is not None:
                messages.append(message)
        except PeerError as error:
            self.error = error
            self.closed = True
        if self._waiting or self._unsent or self._peer.replies:  # the handshake may have ended just now
            self.flush()
        return messages

    def close(self) -> None:
        self.closed = True
        self._socket.close()
