"""The ZeroMQ socket to the referee."""

import struct
from time import monotonic
from typing import Any

import zmq

from . import wire
from .errors import CONNECTION_LOST, PlayerError

CHECK_MILLISECONDS = 500
"""A waiting client checks whether the referee still runs. This is the time between two checks, in milliseconds."""

CONNECT_SECONDS = 10.0
"""Time limit for connecting to the referee."""

LINGER_MILLISECONDS = 500
"""Time limit for sending the last messages, in milliseconds."""


class ZmqLink:
    """A ZeroMQ PAIR socket that sends and receives messages.

    Args:
        endpoint: The address of the referee, such as ipc:///run/seat.sock.

    Raises:
        PlayerError: The endpoint is invalid.
    """

    def __init__(self, endpoint: str) -> None:
        self._context = zmq.Context()
        socket = self._context.socket(zmq.PAIR)
        socket.setsockopt(zmq.RECONNECT_IVL, 1)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 2)
        socket.setsockopt(zmq.LINGER, LINGER_MILLISECONDS)
        socket.setsockopt(zmq.MAXMSGSIZE, wire.limits.REFEREE_BYTES)
        socket.setsockopt(zmq.RCVTIMEO, CHECK_MILLISECONDS)
        socket.setsockopt(zmq.SNDTIMEO, int(CONNECT_SECONDS * 1000))
        self._socket = socket
        # A PAIR socket does not report a lost peer, so use libzmq's monitor events.
        self._monitor = self._watch()
        self._began = monotonic()
        self._reached = False
        try:
            socket.connect(endpoint)
        except zmq.ZMQError:
            self.close()
            raise PlayerError(f"{endpoint!r} is not an endpoint of ZeroMQ.", exit_code=CONNECTION_LOST) from None

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            WireError: The message does not match the message table, or is too large.
            PlayerError: The connection is lost: libzmq did not accept the message within 10 s.
        """
        data = wire.pack(message)
        try:
            self._socket.send(data)
        except zmq.Again:
            raise self._lost() from None

    def receive(self) -> dict[str, Any]:
        """Wait for the next message.

        Raises:
            PlayerError: No referee answers, the connection is lost, or the referee sent an invalid message.
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
                    f"The referee sent an invalid message: {error.message}.", exit_code=CONNECTION_LOST
                ) from None

    def close(self) -> None:
        """Close the socket. Wait up to half a second until the last messages are sent."""
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
