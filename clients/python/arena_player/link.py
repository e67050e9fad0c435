"""The connection to the referee: without libzmq over a Unix socket, with libzmq for all other endpoints."""

import _socket as socket  # the import of `socket` takes 5 ms more
from time import monotonic, sleep

from . import wire
from .errors import CONNECTION_LOST, PlayerError
from .light import Any, Protocol
from .wire.zmtp import HELLO, Peer, PeerError, frame

CONNECT_SECONDS = 10.0
"""Time limit for connecting to the referee."""

RETRY_SECONDS = 0.002
READ_SIZE = 65_536


class Link(Protocol):
    """A connection that sends and receives messages of the protocol."""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""

    def receive(self) -> dict[str, Any]:
        """Wait for the next message."""

    def close(self) -> None:
        """Close the connection after the last message has been sent."""


def open_link(endpoint: str) -> Link:
    """Connect to a referee.

    Args:
        endpoint: The address of the referee, such as ipc:///run/seat.sock or tcp://127.0.0.1:5555.

    Raises:
        PlayerError: The endpoint is invalid, or the connection over a Unix socket fails. For other endpoints, `receive`
            raises the error if no referee answers.
    """
    if endpoint.startswith("ipc://") and hasattr(socket, "AF_UNIX"):
        return UnixLink(endpoint.removeprefix("ipc://"))
    from .zmq_link import ZmqLink  # takes 30 ms to import, and most bots do not need it

    return ZmqLink(endpoint)


class UnixLink:
    """A ZMTP PAIR peer on a Unix socket. It replaces libzmq and needs no thread.

    So a request and its answer take half the time that they take with libzmq, and a bot starts 30 ms sooner.

    Args:
        path: The path of the socket.

    Raises:
        PlayerError: No referee listens at the path, the referee sends invalid bytes, or the connection is lost.
    """

    def __init__(self, path: str) -> None:
        self._peer = Peer(wire.limits.REFEREE_BYTES)
        self._socket = _connect(path)
        try:
            self._write(HELLO)
            while not self._peer.greeted:  # libzmq loses messages that arrive before the handshake is complete
                self._read()
                self._peer.next_message()  # reads the handshake; the referee sends no message before `hello`
        except (PeerError, PlayerError) as error:
            self._socket.close()
            raise (_unreadable(error) if isinstance(error, PeerError) else error) from None

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            WireError: The message does not match the message table, or is too large.
            PlayerError: The connection is lost.
        """
        self._write(frame(wire.pack(message)))

    def receive(self) -> dict[str, Any]:
        """Wait for the next message.

        Raises:
            PlayerError: The connection is lost, or the referee sent an invalid message.
        """
        peer = self._peer
        try:
            while (data := peer.next_message()) is None:
                if peer.replies:
                    self._answer()
                self._read()
            return wire.unpack(data, "referee", trusted=True)
        except (PeerError, wire.WireError) as error:
            raise _unreadable(error) from None

    def close(self) -> None:
        """Close the connection. The referee's socket has received all messages already."""
        self._socket.close()

    def _read(self) -> None:
        try:
            more = self._socket.recv(READ_SIZE)
        except OSError:
            raise _lost() from None
        if not more:
            raise _lost()
        self._peer.feed(more)

    def _answer(self) -> None:
        replies, self._peer.replies = self._peer.replies, b""
        self._write(replies)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            raise _lost() from None


def _connect(path: str) -> socket.socket:
    """Connect to the referee. Try again for up to 10 s if the referee does not listen yet."""
    end = monotonic() + CONNECT_SECONDS
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if monotonic() > end:
                raise PlayerError(
                    f"No referee answered within {CONNECT_SECONDS:g} s.", exit_code=CONNECTION_LOST
                ) from None
        sleep(RETRY_SECONDS)


def _unreadable(error: Exception) -> PlayerError:
    if isinstance(error, PeerError):
        return PlayerError(f"The referee {error}.", exit_code=CONNECTION_LOST)
    return PlayerError(f"The referee sent an invalid message: {error}.", exit_code=CONNECTION_LOST)


def _lost() -> PlayerError:
    return PlayerError("The connection to the referee is lost.", exit_code=CONNECTION_LOST)
