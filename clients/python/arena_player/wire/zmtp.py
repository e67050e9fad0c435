"""The part of ZMTP 3 (the protocol of ZeroMQ) that two PAIR sockets need on a Unix socket, without any I/O.

libzmq limits frames and whole messages, but not unfinished messages. So a peer that never stops sending frames marked
MORE fills the referee's memory, whatever options are set. This implementation accepts only messages of a single frame,
up to a limit, and stores one message at a time. docs/decisions/003-own-zmtp-end.md has the reasons. The client and
the referee can both use this implementation, and it is compatible with libzmq.
"""

MORE, LONG, COMMAND = 1, 2, 4
GREETING_SIZE = 64
MAX_COMMAND = 512
MAX_PINGS = 100


class PeerError(Exception):
    """A peer violated ZMTP or a limit. The message completes a text that starts with "The bot" or "The referee"."""


def greeting(mechanism: bytes = b"NULL", *, is_server: bool = False) -> bytes:
    """Return the first bytes that a peer sends."""
    return b"\xff" + bytes(8) + b"\x7f\x03\x00" + mechanism.ljust(20, b"\0") + bytes((is_server,)) + bytes(31)


def property_(name: bytes, value: bytes) -> bytes:
    """Return one property of a handshake."""
    return bytes([len(name)]) + name + len(value).to_bytes(4, "big") + value


READY = b"\x05READY" + property_(b"Socket-Type", b"PAIR") + property_(b"Identity", b"")


def header(size: int, flags: int = 0) -> bytes:
    """Return the bytes of a frame before its payload of `size` bytes."""
    return bytes((flags, size)) if size < 256 else bytes((flags | LONG,)) + size.to_bytes(8, "big")


def frame(payload: bytes, flags: int = 0) -> bytes:
    """Return the frame of one message, or with the flag `COMMAND`, of one command."""
    return header(len(payload), flags) + payload


HELLO = greeting() + frame(READY, COMMAND)
"""The first bytes that each peer without encryption sends."""


class Peer:
    """Parses the bytes of one peer. A subclass can have another security mechanism.

    Args:
        limit: The longest allowed message, in bytes.

    Attributes:
        replies: Bytes to send to the peer, as answers to pings.
        greeted: True when the handshake is complete.
    """

    __slots__ = ("_buffer", "_greeting_seen", "_limit", "_pings", "greeted", "replies")
    MECHANISM = b"NULL"

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._greeting_seen = False
        self._pings = 0
        self.greeted = False
        self.replies = b""

    @property
    def room(self) -> int:
        """Return how many bytes the caller is allowed to pass to `feed` now."""
        return self._limit + 9 - len(self._buffer)

    @property
    def holds_bytes(self) -> bool:
        """Return whether the buffer has bytes of an unfinished message."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._buffer += data

    def next_message(self) -> bytes | None:
        """Return the next whole message, or None if it is not complete yet.

        Raises:
            PeerError: The peer is not a PAIR socket of ZMTP 3, or exceeds a limit.
        """
        buffer = self._buffer
        if not self._greeting_seen and not self._read_greeting():
            return None
        while len(buffer) >= 2:
            flags = buffer[0]
            if flags & ~(MORE | LONG | COMMAND):
                raise PeerError("sent a frame with unknown flags")
            if flags & LONG:
                if len(buffer) < 9:
                    return None
                size, start = int.from_bytes(buffer[1:9], "big"), 9
            else:
                size, start = buffer[1], 2
            limit = MAX_COMMAND if flags & COMMAND else self._limit
            if size > limit:
                raise PeerError(f"sent a frame of {size} bytes; the limit is {limit}")
            if flags & MORE:
                raise PeerError("sent a message of several parts")
            if not flags & COMMAND and not self.greeted:  # at its first bytes: nothing of it is kept
                raise PeerError("sent a message before the handshake")
            if len(buffer) < start + size:
                return None
            payload = bytes(buffer[start : start + size])
            del buffer[: start + size]
            if not flags & COMMAND:
                return payload
            self._command(payload)
        return None

    def _read_greeting(self) -> bool:
        buffer = self._buffer
        # Refuse another protocol at its first bytes; do not wait for all 64 bytes of the greeting.
        if buffer and (buffer[0] != 0xFF or (len(buffer) > 9 and buffer[9] != 0x7F)):
            raise PeerError("does not speak ZeroMQ")
        if len(buffer) > 10 and buffer[10] < 3:
            raise PeerError("speaks a version of ZeroMQ's protocol older than 3")
        if len(buffer) < GREETING_SIZE:
            return False
        if bytes(buffer[12:32]).rstrip(b"\0") != self.MECHANISM:
            raise PeerError(f"asks for a security mechanism other than {self.MECHANISM.decode()}")
        del buffer[:GREETING_SIZE]
        self._greeting_seen = True
        return True

    def _command(self, payload: bytes) -> None:
        name = payload[1 : 1 + payload[0]] if payload else b""
        if not self.greeted:
            if name != b"READY" or _socket_type(payload[6:]) != b"PAIR":
                raise PeerError("did not shake hands as a PAIR socket")
            self.greeted = True
        elif name == b"PING":
            self._pings += 1
            if self._pings > MAX_PINGS:
                raise PeerError("sent too many pings")
            self.replies += frame(b"\x04PONG" + payload[7:23], COMMAND)
        elif name == b"ERROR":
            raise PeerError("ended the connection with an error")


def _socket_type(properties: bytes) -> bytes:
    at = 0
    while at < len(properties):
        end = at + 1 + properties[at]
        name = properties[at + 1 : end]
        size = int.from_bytes(properties[end : end + 4], "big")
        value = properties[end + 4 : end + 4 + size]
        if name.lower() == b"socket-type":
            return value
        at = end + 4 + size
    return b""
