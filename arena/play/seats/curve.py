"""CURVE over ZMTP 3 (RFC 26 of ZeroMQ), both ends, without any I/O.

A client knows the server's public key. A server knows the only client that it lets in. All that follows the handshake
is encrypted with keys that both ends have made for this connection, and numbered, so that nobody can repeat it.

libzmq has the same, with a thread of its own between the socket and the program, and without a limit for unfinished
messages. This implementation and libzmq understand each other, apart from heartbeats and messages of several parts.
"""

from __future__ import annotations

import hmac
from typing import Final, NamedTuple

from nacl.bindings import (
    crypto_box_afternm,
    crypto_box_beforenm,
    crypto_box_keypair,
    crypto_box_open_afternm,
    crypto_scalarmult_base,
    randombytes,
)
from nacl.exceptions import CryptoError

from arena_player.wire.zmtp import COMMAND, Peer, PeerError, frame, greeting, header, property_

OVERHEAD: Final = 8 + 8 + 16 + 1
"""What a message is longer than its payload: a name, a number, the proof of encryption, and flags."""
_COOKIE_SIZE: Final = 96
_REFUSED: Final = b"\x05ERROR\x03400"


class Keys(NamedTuple):
    """A pair of keys of Curve25519, 32 bytes each."""

    public: bytes
    secret: bytes

    @classmethod
    def new(cls) -> Keys:
        return cls(*crypto_box_keypair())

    @classmethod
    def of(cls, secret: bytes) -> Keys:
        return cls(crypto_scalarmult_base(secret), secret)


_NO_KEYS: Final = Keys(b"", b"")


class RefusedError(PeerError):
    """The server does not let in a client with this key. Both ends raise it."""


def _metadata(socket_type: bytes) -> bytes:
    return property_(b"Socket-Type", socket_type) + property_(b"Identity", b"")


class CurvePeer(Peer):
    """What both ends have in common: `Peer` for encrypted messages.

    Attributes:
        opening: The first bytes to send.
    """

    __slots__ = ("_key", "_number", "_ours", "_received", "_session_keys", "_theirs", "opening")
    MECHANISM = b"CURVE"

    def __init__(self, limit: int, ours: bytes, theirs: bytes, *, is_server: bool) -> None:
        super().__init__(limit + OVERHEAD)
        self.opening = greeting(self.MECHANISM, is_server=is_server)
        self._ours, self._theirs = b"CurveZMQMESSAGE" + ours, b"CurveZMQMESSAGE" + theirs
        self._session_keys = _NO_KEYS
        self._key = b""
        self._number = self._received = 0

    def frame(self, payload: bytes) -> bytes:
        """Return the frame of one encrypted message."""
        number = self._next()
        box = crypto_box_afternm(b"\0" + payload, self._ours + number, self._key)
        return header(OVERHEAD + len(payload)) + b"\x07MESSAGE" + number + box

    def next_message(self) -> bytes | None:
        data = super().next_message()
        if data is None:
            return None
        if data[:8] != b"\x07MESSAGE":
            raise PeerError("sent a message that is not encrypted")
        number = int.from_bytes(data[8:16], "big")
        if number <= self._received:
            raise PeerError("repeated a message")
        plain = self._open(data[16:], self._theirs + data[8:16], self._key)
        self._received = number
        if plain[:1] != b"\0":
            raise PeerError("sent a message of several parts, or a command")
        return plain[1:]

    def _next(self) -> bytes:
        self._number += 1
        return self._number.to_bytes(8, "big")

    @staticmethod
    def _open(box: bytes, nonce: bytes, key: bytes) -> bytes:
        try:
            return crypto_box_open_afternm(box, nonce, key)
        except (CryptoError, ValueError):
            raise PeerError("sent what its key does not open") from None

    @staticmethod
    def _shared(public: bytes, secret: bytes) -> bytes:
        try:
            return crypto_box_beforenm(public, secret)
        except CryptoError:  # a point of low order
            raise PeerError("sent an unusable key") from None

    def _command(self, payload: bytes) -> None:
        if self.greeted:
            raise PeerError("sent a command after the handshake")
        self._shake_hands(payload)

    def _shake_hands(self, command: bytes) -> None:
        raise NotImplementedError


class CurveServer(CurvePeer):
    """The server's end of one connection."""

    __slots__ = ("_allowed", "_client", "_cookie", "_keys")

    def __init__(self, limit: int, keys: Keys, allowed: bytes) -> None:
        super().__init__(limit, b"S", b"C", is_server=True)
        self._keys = keys
        self._allowed = allowed
        self._client = self._cookie = b""

    def _shake_hands(self, command: bytes) -> None:
        if not self._cookie:
            self._welcome(command)
        else:
            self._admit(command)

    def _welcome(self, hello: bytes) -> None:
        if len(hello) != 200 or hello[:8] != b"\x05HELLO\x01\0":
            raise PeerError("did not begin the handshake of CURVE")
        self._client = hello[80:112]
        shared = self._shared(self._client, self._keys.secret)
        self._open(hello[120:], b"CurveZMQHELLO---" + hello[112:120], shared)
        self._cookie = randombytes(_COOKIE_SIZE)  # the connection has a state of its own, so it carries nothing
        self._session_keys = Keys.new()  # only now: a connection that says nothing costs no computation
        nonce = randombytes(16)
        box = crypto_box_afternm(self._session_keys.public + self._cookie, b"WELCOME-" + nonce, shared)
        self.replies += frame(b"\x07WELCOME" + nonce + box, COMMAND)

    def _admit(self, initiate: bytes) -> None:
        if len(initiate) < 257 or initiate[:9] != b"\x08INITIATE" or initiate[9:105] != self._cookie:
            raise PeerError("did not continue the handshake of CURVE")
        self._key = self._shared(self._client, self._session_keys.secret)
        plain = self._open(initiate[113:], b"CurveZMQINITIATE" + initiate[105:113], self._key)
        client, nonce, vouch = plain[:32], plain[32:48], plain[48:128]
        self._received = int.from_bytes(initiate[105:113], "big")
        if not hmac.compare_digest(client, self._allowed):
            self.replies += frame(_REFUSED, COMMAND)
            raise RefusedError("does not have the key of the ticket")
        vouched = self._open(vouch, b"VOUCH---" + nonce, self._shared(client, self._session_keys.secret))
        if vouched != self._client + self._keys.public:
            raise PeerError("did not prove its key")
        number = self._next()
        box = crypto_box_afternm(_metadata(b"ROUTER"), b"CurveZMQREADY---" + number, self._key)
        self.replies += frame(b"\x05READY" + number + box, COMMAND)
        self.greeted = True


class CurveClient(CurvePeer):
    """The client's end of one connection."""

    __slots__ = ("_keys", "_server")

    def __init__(self, limit: int, server: bytes, keys: Keys) -> None:
        super().__init__(limit, b"C", b"S", is_server=False)
        self._session_keys = Keys.new()
        self._server = server
        self._keys = keys

    def _read_greeting(self) -> bool:
        if not super()._read_greeting():
            return False
        number = self._next()
        shared = self._shared(self._server, self._session_keys.secret)
        box = crypto_box_afternm(bytes(64), b"CurveZMQHELLO---" + number, shared)
        self.replies += frame(b"\x05HELLO\x01\0" + bytes(72) + self._session_keys.public + number + box, COMMAND)
        return True

    def _shake_hands(self, command: bytes) -> None:
        if command == _REFUSED:
            raise RefusedError("refuses this key")
        if command[:6] == b"\x05ERROR":
            raise PeerError("ended the handshake")
        if not self._key:
            self._initiate(command)
        else:
            self._finish(command)

    def _initiate(self, welcome: bytes) -> None:
        if len(welcome) != 168 or welcome[:8] != b"\x07WELCOME":
            raise PeerError("did not answer in the handshake of CURVE")
        shared = self._shared(self._server, self._session_keys.secret)
        plain = self._open(welcome[24:], b"WELCOME-" + welcome[8:24], shared)
        server, cookie = plain[:32], plain[32:]
        nonce = randombytes(16)
        vouch = crypto_box_afternm(
            self._session_keys.public + self._server, b"VOUCH---" + nonce, self._shared(server, self._keys.secret)
        )
        self._key = self._shared(server, self._session_keys.secret)
        number = self._next()
        plain = self._keys.public + nonce + vouch + _metadata(b"DEALER")
        box = crypto_box_afternm(plain, b"CurveZMQINITIATE" + number, self._key)
        self.replies += frame(b"\x08INITIATE" + cookie + number + box, COMMAND)

    def _finish(self, ready: bytes) -> None:
        if ready[:6] != b"\x05READY":
            raise PeerError("did not end the handshake of CURVE")
        self._open(ready[14:], b"CurveZMQREADY---" + ready[6:14], self._key)
        self._received = int.from_bytes(ready[6:14], "big")
        self.greeted = True
