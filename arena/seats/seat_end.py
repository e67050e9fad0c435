"""The client's end of a seat's socket, for programs that must not wait."""

from __future__ import annotations

import socket
from collections import deque

from arena_player.wire import limits
from arena_player.wire.zmtp import HELLO, Peer, PeerError, frame

READ_SIZE = 16_384


class SeatEnd:
    """The client's end of a seat's socket. No call waits."""

    def __init__(self, endpoint: str) -> None:
        self._peer = Peer(limits.REFEREE_BYTES)
        self._unsent: deque[memoryview] = deque([memoryview(HELLO)])
        self._waiting: deque[bytes] = deque()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(endpoint.removeprefix("ipc://"))
        self._socket.setblocking(False)
        self.descriptor = self._socket.fileno()
        self.closed = False
        self.flush()

    @property
    def unsent(self) -> int:
        """The number of bytes that wait to be sent, without those in the kernel's buffer."""
        return sum(map(len, (*self._unsent, *self._waiting))) if self._unsent or self._waiting else 0

    def send(self, payload: bytes) -> None:
        """Send one message. Bytes that the socket does not accept now wait for `flush`."""
        self._waiting.append(payload)
        self.flush()

    def flush(self) -> None:
        """Send the waiting bytes, as many as the socket accepts. No message is sent before the end of the handshake."""
        if self._peer.greeted:
            self._unsent.extend(memoryview(frame(payload)) for payload in self._waiting)
            self._waiting.clear()
        while self._unsent:
            try:
                written = self._socket.send(self._unsent[0])
            except BlockingIOError:
                return
            except OSError:
                self.closed = True
                return
            part = self._unsent.popleft()[written:]
            if part:
                self._unsent.appendleft(part)

    def receive(self) -> list[bytes]:
        messages = []
        whole = True
        while whole and not self.closed:
            try:
                data = self._socket.recv(READ_SIZE)
            except BlockingIOError:
                break
            except ConnectionError:
                data = b""
            self.closed = not data
            whole = len(data) == READ_SIZE
            self._peer.feed(data)
            try:
                while (message := self._peer.next_message()) is not None:
                    messages.append(message)
            except PeerError:
                self.closed = True
        if self._unsent or self._waiting:  # if the handshake has just ended, waiting messages can be sent now
            self.flush()
        return messages

    def close(self) -> None:
        self._socket.close()
