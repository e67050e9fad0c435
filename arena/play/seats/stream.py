"""Number messages, so that each arrives once and in order even if the connection is lost. This module does no I/O.

A frame consists of a kind, the secret of the session, a number, a confirmation, and the payload. The confirmation is
the number of the last message that the sender of the frame has received. Messages are numbered from 1. A frame with the
number 0 is a control frame: no message, and it can be lost.

A new connection repeats all messages that are not confirmed; those that had arrived are dropped by their numbers. So a
cut connection loses nothing and repeats nothing, wherever it was cut.
"""

from __future__ import annotations

import struct
from collections import deque
from enum import IntEnum
from typing import NamedTuple

_HEADER = struct.Struct("<B16sQQ")
HEADER_SIZE = _HEADER.size
SECRET_SIZE = 16


class FrameKind(IntEnum):
    JOIN = 1  # client: takes the seat, or resumes after a lost connection
    JOINED = 2  # gateway: answers `JOIN`
    REFUSED = 3  # gateway: another client has the seat
    PROBE = 4  # gateway: the client must answer at once
    ECHO = 5  # client: answers `PROBE`
    MATCH = 6  # gateway: a match begins; the payload is JSON
    DATA = 7  # client or gateway: a message of the protocol
    END = 8  # gateway: the match is over
    GONE = 9  # client: the bot has ended; the payload is the reason
    BYE = 10  # gateway: there are no more matches


class Frame(NamedTuple):
    kind: int
    secret: bytes
    number: int
    received: int
    payload: bytes


def parse(data: bytes) -> Frame | None:
    if len(data) < HEADER_SIZE:
        return None
    kind, secret, number, received = _HEADER.unpack_from(data)
    return Frame(kind, secret, number, received, data[HEADER_SIZE:])


class Stream:
    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self._sent = 0
        self._received = 0
        self._unconfirmed: deque[tuple[int, FrameKind, bytes]] = deque()

    @property
    def unconfirmed_bytes(self) -> int:
        """The size of the messages that the other end has not confirmed yet, in bytes, without the headers."""
        return sum(len(payload) for _, _, payload in self._unconfirmed)

    def message(self, kind: FrameKind, payload: bytes = b"") -> bytes:
        """Return the frame of a new message, and store it until the other end has confirmed it."""
        self._sent += 1
        self._unconfirmed.append((self._sent, kind, payload))
        return self._frame(self._sent, kind, payload)

    def control(self, kind: FrameKind, payload: bytes = b"") -> bytes:
        """Return a frame that is not a message: it has the number 0, and `unconfirmed` does not repeat it."""
        return self._frame(0, kind, payload)

    def unconfirmed(self) -> list[bytes]:
        """Return the frames of all messages that the other end has not confirmed."""
        return [self._frame(*message) for message in self._unconfirmed]

    def take(self, frame: Frame) -> bool:
        """Delete the messages that a frame confirms, and return whether the frame is the next message.

        Return False for a repeated message, and for a message after a gap.
        """
        while self._unconfirmed and self._unconfirmed[0][0] <= frame.received:
            self._unconfirmed.popleft()
        if frame.number != self._received + 1:
            return False
        self._received += 1
        return True

    def _frame(self, number: int, kind: FrameKind, payload: bytes) -> bytes:
        return _HEADER.pack(kind, self.secret, number, self._received) + payload
