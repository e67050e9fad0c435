"""The connection to one seat: a listening socket that accepts one peer, and messages in both directions."""

from __future__ import annotations

import contextlib
import os
import socket
from collections import deque
from pathlib import Path

from arena_player.wire import limits
from arena_player.wire.zmtp import HELLO, Peer, PeerError, frame

READ_SIZE = 4_096  # most messages are smaller; each read allocates all these bytes
MAX_UNREAD = 3 * limits.REFEREE_BYTES
"""Limit of bytes that wait for the peer: three messages of the largest size, ``result``, ``turn`` and ``over``."""


def send_waiting(connected: socket.socket, waiting: deque[memoryview]) -> bool:
    """Send waiting bytes until the kernel's buffer is full. Return False if the peer is gone."""
    while waiting:
        try:
            written = connected.send(waiting[0])
        except BlockingIOError:
            return True
        except OSError:
            return False
        if written == len(waiting[0]):
            waiting.popleft()
        else:
            waiting[0] = waiting[0][written:]
    return True


class SeatLink:
    """The referee's end of the connection to one seat. The seat is identified by the socket, not by data from the peer.

    Args:
        limit: The largest size of a message from the peer, in bytes.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.closed = False
        self._peer = Peer(limit)
        self._unread: deque[memoryview] = deque([memoryview(HELLO)])
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(str(path))
        os.chmod(path, 0o666)  # the sandbox can run as another user; the folder keeps all other users out
        self._listener.listen(1)

    @property
    def connected(self) -> bool:
        return self._connection is not None

    @property
    def wants_to_write(self) -> bool:
        """Whether bytes wait to be sent to the peer."""
        return bool(self._unread)

    @property
    def unread(self) -> int:
        """The number of bytes that wait to be sent, without those in the kernel's buffer."""
        return sum(map(len, self._unread)) if self._unread else 0

    @property
    def read_ahead(self) -> bool:
        """Whether the link holds bytes of another message, whole or unfinished. The poller does not report them."""
        return self._peer.holds_bytes

    @property
    def has_unread(self) -> bool:
        """Whether the peer has sent something that was not received, or has not read everything."""
        if self._connection is None or self.wants_to_write or self.read_ahead:
            return True
        try:
            self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def fileno(self) -> int:
        """Return the descriptor to poll; -1 after `close`."""
        open_socket = self._connection or self._listener
        return -1 if open_socket is None else open_socket.fileno()

    def accept(self) -> bool:
        """Accept the first peer and remove the socket file. Return whether a peer was waiting."""
        if self._listener is None:
            return False
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionError):
            return False
        connection.setblocking(False)
        self._listener.close()
        self._listener = None
        with contextlib.suppress(OSError):
            self.path.unlink()
        self._connection = connection
        self.flush()
        return True

    def send(self, payload: bytes) -> None:
        """Send one message, now or as soon as the peer reads."""
        self._unread.append(memoryview(frame(payload)))
        self.flush()
        if self._unread and self.unread > MAX_UNREAD:
            self._unread.clear()
            raise PeerError(f"left more than {MAX_UNREAD} bytes unread")

    def flush(self) -> None:
        """Send waiting bytes until the kernel's buffer is full."""
        if self._connection is not None and not send_waiting(self._connection, self._unread):
            self._unread.clear()  # the next read reports that the peer is gone

    def receive(self) -> bytes | None:
        """Return the next message; None if it is incomplete, or if the peer has closed the connection (see `closed`).

        The link reads at most `READ_SIZE` bytes beyond the message. If a peer sends more, the rest waits in the peer's
        own socket.
        """
        peer = self._peer
        message = peer.next_message()
        while message is None and self._connection is not None:
            try:
                data = self._connection.recv(min(READ_SIZE, peer.room))
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.closed = True
                break
            peer.feed(data)
            message = peer.next_message()
        if peer.replies:
            self._unread.append(memoryview(peer.replies))
            peer.replies = b""
            self.flush()
        return message

    def close(self) -> None:
        self.closed = True
        for open_socket in (self._connection, self._listener):
            if open_socket is not None:
                open_socket.close()
        self._connection = self._listener = None
        with contextlib.suppress(OSError):
            self.path.unlink()


__all__ = ["PeerError", "SeatLink"]
