"""The connection to one seat: a listening socket that takes one peer, and messages in both directions."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path

from arena_player.wire.zmtp import HELLO, Peer, PeerError, frame

READ_SIZE = 4_096  # most messages are smaller; a read allocates all of it


class SeatLink:
    """One seat's end of the wire. Identity is the socket, never something that the peer says.

    Args:
        path: Where the socket file is made.
        limit: The longest message that a peer may send, in bytes.

    Attributes:
        closed: The peer has hung up, or was hung up on.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.closed = False
        self._peer = Peer(limit)
        self._out = b""
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(str(path))
        os.chmod(path, 0o666)  # the folder around it keeps strangers out; the seat's own user must get in
        self._listener.listen(1)

    @property
    def connected(self) -> bool:
        """Tell whether a peer has connected."""
        return self._connection is not None

    @property
    def wants_to_write(self) -> bool:
        """Tell whether bytes wait for the peer to read."""
        return bool(self._out)

    def fileno(self) -> int:
        """Return the descriptor to poll; -1 once closed."""
        open_socket = self._connection or self._listener
        return -1 if open_socket is None else open_socket.fileno()

    def accept(self) -> bool:
        """Take the peer that knocks; whoever comes later finds no socket any more."""
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
        self._out = HELLO + self._out
        self.flush()
        return True

    def send(self, payload: bytes) -> None:
        """Send one message, now or as soon as the peer reads."""
        self._out += frame(payload)
        if self._connection is not None:
            self.flush()

    def flush(self) -> None:
        """Write what waits, as far as the peer's buffer has room."""
        if self._connection is None or not self._out:
            return
        try:
            written = self._connection.send(self._out)
        except BlockingIOError:
            return
        except OSError:
            self._out = b""
            return
        self._out = self._out[written:] if written < len(self._out) else b""

    def receive(self) -> bytes | None:
        """Return the next whole message; None until more bytes come or after the peer hung up (`closed`).

        Reads at most one message ahead, so a peer that floods fills its own socket and nothing else.

        Raises:
            PeerError: The peer broke the protocol or a limit.
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
            self._out += peer.replies
            peer.replies = b""
            self.flush()
        return message

    def close(self) -> None:
        """Hang up and remove the socket file."""
        self.closed = True
        for open_socket in (self._connection, self._listener):
            if open_socket is not None:
                open_socket.close()
        self._connection = self._listener = None
        with contextlib.suppress(OSError):
            self.path.unlink()


__all__ = ["PeerError", "SeatLink"]
