"""The ZeroMQ socket to the referee."""

import struct
from time import monotonic
from typing import Any

import zmq

from . import wire
from .errors import CONNECTION_LOST, PlayerError

LOOK_MILLISECONDS = 500
"""How often a waiting client looks whether the referee is still there."""

CONNECT_SECONDS = 10.0
"""How long a client tries to reach its referee."""

LINGER_MILLISECONDS = 500
"""How long a finished client waits for its last messages to leave."""


class ZmqLink:
    """A PAIR socket that speaks the wire.

    Args:
        endpoint: Where the referee listens, such as ipc:///run/seat.sock.

    Raises:
        PlayerError: The endpoint is none.
    """

    def __init__(self, endpoint: str) -> None:
        self._context = zmq.Context()
        socket = self._context.socket(zmq.PAIR)
        socket.setsockopt(zmq.RECONNECT_IVL, 1)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 2)
        socket.setsockopt(zmq.LINGER, LINGER_MILLISECONDS)
        socket.setsockopt(zmq.MAXMSGSIZE, wire.limits.REFEREE_BYTES)
        socket.setsockopt(zmq.RCVTIMEO, LOOK_MILLISECONDS)
        socket.setsockopt(zmq.SNDTIMEO, int(CONNECT_SECONDS * 1000))
        self._socket = socket
        # A PAIR never says that its peer has gone: libzmq's own events do.
        self._monitor = self._watch()
        self._began = monotonic()
        self._reached = False
        try:
            socket.connect(endpoint)
        except zmq.ZMQError:
            self.close()
            raise PlayerError(f"{endpoint!r} is not an endpoint of ZeroMQ.", exit_code=CONNECTION_LOST) from None

    def send(self, message: dict[str, Any]) -> None:
        """Sends one message.

        Raises:
            WireError: It is not one of the table.
            PlayerError: The referee takes no more.
        """
        data = wire.pack(message)
        try:
            self._socket.send(data)
        except zmq.Again:
            raise self._lost() from None

    def receive(self) -> dict[str, Any]:
        """Waits for the next message.

        Raises:
            PlayerError: The referee is gone or talks nonsense.
        """
        while True:
            try:
                data = self._socket.recv()
            except zmq.Again:
                self._look()
                continue
            self._reached = True
            try:
                return wire.unpack(data, "referee", trusted=True)
            except wire.WireError as error:
                raise PlayerError(
                    f"The referee sent what this client cannot read: {error.message}.", exit_code=CONNECTION_LOST
                ) from None

    def close(self) -> None:
        """Closes the socket; waits a moment for what was sent last."""
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close()
        self._context.term()

    def _watch(self) -> "zmq.Socket[bytes]":
        address = "inproc://arena-player-events"
        self._socket.monitor(address, zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        monitor = self._context.socket(zmq.PAIR)
        monitor.connect(address)
        return monitor

    def _look(self) -> None:
        while self._monitor.poll(0):
            event = struct.unpack("=H", self._monitor.recv_multipart()[0][:2])[0]
            if event == zmq.EVENT_DISCONNECTED:
                raise self._lost()
            self._reached = True
        if not self._reached and monotonic() - self._began > CONNECT_SECONDS:
            raise PlayerError(f"No referee answered within {CONNECT_SECONDS:g} s.", exit_code=CONNECTION_LOST)

    def _lost(self) -> PlayerError:
        return PlayerError("The connection to the referee is lost.", exit_code=CONNECTION_LOST)
