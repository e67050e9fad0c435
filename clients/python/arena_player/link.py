"""The connection to the referee: straight through a unix socket, or through ZeroMQ where there is none."""

import socket
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, Protocol

from . import wire
from .errors import CONNECTION_LOST, PlayerError
from .wire.zmtp import HELLO, Peer, PeerError, frame

CONNECT_SECONDS = 10.0
"""How long a client tries to reach its referee."""

RETRY_SECONDS = 0.002
READ_SIZE = 65_536


class Link(Protocol):
    """Sends and receives messages of the wire."""

    def send(self, message: dict[str, Any]) -> None:
        """Sends one message."""

    def receive(self) -> dict[str, Any]:
        """Waits for the next message."""

    def close(self) -> None:
        """Hangs up, after what was sent last has left."""


def open_link(endpoint: str) -> Link:
    """Connects to a referee.

    Args:
        endpoint: Where it listens, such as ipc:///run/seat.sock or tcp://127.0.0.1:5555.

    Raises:
        PlayerError: The endpoint is none, or nobody answers there.
    """
    if endpoint.startswith("ipc://") and hasattr(socket, "AF_UNIX"):
        return UnixLink(endpoint.removeprefix("ipc://"))
    from .zmq_link import ZmqLink  # takes 30 ms to import, which most bots can do without

    return ZmqLink(endpoint)


class UnixLink:
    """A PAIR socket's end of ZMTP on a unix socket: what libzmq does, without its thread in between.

    An exchange takes half as long, and a bot starts 30 ms sooner.

    Args:
        path: The socket's file.

    Raises:
        PlayerError: Nobody answers there.
    """

    def __init__(self, path: str) -> None:
        self._peer = Peer(wire.limits.REFEREE_BYTES)
        self._socket = _connect(path)
        self._try(lambda: self._socket.sendall(HELLO))
        try:
            while not self._peer.greeted:  # libzmq loses messages that come before both ends have shaken hands
                self._read()
                self._peer.next_message()  # there can be none: the referee waits for `hello`
        except PeerError as error:
            raise _nonsense(error) from None

    def send(self, message: dict[str, Any]) -> None:
        """Sends one message.

        Raises:
            WireError: It is not one of the table.
            PlayerError: The referee is gone.
        """
        data = wire.pack(message)
        self._try(lambda: self._socket.sendall(frame(data)))

    def receive(self) -> dict[str, Any]:
        """Waits for the next message.

        Raises:
            PlayerError: The referee is gone or talks nonsense.
        """
        peer = self._peer
        try:
            while (data := peer.next_message()) is None:
                if peer.replies:
                    self._answer()
                self._read()
            return wire.unpack(data, "referee", trusted=True)
        except (PeerError, wire.WireError) as error:
            raise _nonsense(error) from None

    def close(self) -> None:
        """Hangs up; what was sent is in the referee's socket already."""
        self._socket.close()

    def _read(self) -> None:
        more = self._try(lambda: self._socket.recv(READ_SIZE))
        if not more:
            raise _lost()
        self._peer.feed(more)

    def _answer(self) -> None:
        replies, self._peer.replies = self._peer.replies, b""
        self._try(lambda: self._socket.sendall(replies))

    def _try(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except OSError:
            raise _lost() from None


def _connect(path: str) -> socket.socket:
    """Connects, waiting for a referee that has not begun to listen."""
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


def _nonsense(error: Exception) -> PlayerError:
    return PlayerError(f"The referee sent what this client cannot read: {error}.", exit_code=CONNECTION_LOST)


def _lost() -> PlayerError:
    return PlayerError("The connection to the referee is lost.", exit_code=CONNECTION_LOST)
