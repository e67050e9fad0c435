"""The own ends of CURVE: libzmq understands both, and no bytes of a stranger do harm."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.bindings import crypto_box_afternm, crypto_box_beforenm
from zmq.utils import z85

from arena.play.seats.connection import ZmtpConnection
from arena.play.seats.curve import OVERHEAD, CurveClient, CurveServer, Keys, RefusedError
from arena_player.wire.zmtp import PeerError, frame, greeting

LIMIT = 1000
SERVER, CLIENT, OTHER = Keys.new(), Keys.new(), Keys.new()


def ends(client: Keys = CLIENT, server: bytes = SERVER.public) -> tuple[CurveServer, CurveClient]:
    return CurveServer(LIMIT, SERVER, CLIENT.public), CurveClient(LIMIT, server, client)


def take(end: CurveServer | CurveClient) -> bytes:
    """Return what an end has to send in its handshake."""
    data, end.replies = end.replies, b""
    return data


def shake_hands(server: CurveServer, client: CurveClient) -> bytes:
    """Let both ends talk until neither has anything to say. Return all bytes of the client."""
    said = to_server = client.opening
    to_client = server.opening
    while to_server or to_client:
        server.feed(to_server)
        assert server.next_message() is None
        client.feed(to_client)
        assert client.next_message() is None
        to_server, to_client = take(client), take(server)
        said += to_server
    return said


def test_a_stranger_cannot_begin_a_long_message() -> None:
    server, client = ends()
    server.feed(client.opening + b"\x02" + LIMIT.to_bytes(8, "big"))
    with pytest.raises(PeerError, match="before the handshake"):
        server.next_message()


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=LIMIT)), max_size=6))
def test_messages_arrive_in_both_directions(messages: list[tuple[bool, bytes]]) -> None:
    server, client = ends()
    shake_hands(server, client)
    assert server.greeted
    assert client.greeted
    for from_client, payload in messages:
        one, other = (client, server) if from_client else (server, client)
        data = one.frame(payload)
        assert len(payload) < 16 or payload not in data
        other.feed(data)
        assert other.next_message() == payload


@pytest.mark.promise("tickets")
def test_another_key_is_refused() -> None:
    server, client = ends(OTHER)
    with pytest.raises(RefusedError, match="key of the ticket"):
        shake_hands(server, client)
    assert not server.greeted
    client.feed(take(server))
    with pytest.raises(RefusedError, match="refuses this key"):
        client.next_message()


def test_a_client_of_another_server_is_not_understood() -> None:
    server, client = ends(server=OTHER.public)
    with pytest.raises(PeerError, match="does not open"):
        shake_hands(server, client)


def test_the_key_of_the_allowed_client_without_its_secret_does_not_help() -> None:
    server, client = ends(Keys(CLIENT.public, OTHER.secret))
    with pytest.raises(PeerError, match="does not open"):
        shake_hands(server, client)
    assert not server.greeted


@pytest.mark.promise("wiretaps")
def test_a_recorded_connection_cannot_be_repeated() -> None:
    server, client = ends()
    said = shake_hands(server, client) + client.frame(b"act")
    again, _ = ends()
    again.feed(said)
    with pytest.raises(PeerError, match="continue the handshake"):
        again.next_message()


@pytest.mark.promise("wiretaps")
def test_messages_cannot_be_repeated_changed_or_sent_back() -> None:
    server, client = ends()
    shake_hands(server, client)
    data = client.frame(b"act")
    server.feed(data)
    assert server.next_message() == b"act"
    for wrong, why in (
        (data, "repeated"),
        (client.frame(b"act")[:-1] + b"\0", "does not open"),
        (server.frame(b"x" * 9), "repeated|does not open"),
        (frame(b"\x07MESSAGE"), "repeated"),
        (frame(b"\x07MESSAGE" + b"\xff" * 8), "does not open"),
        (frame(b"plain text"), "not encrypted"),
        (b"\x04\x06\x05ERROR", "command after the handshake"),
        (b"\x01\x01x", "several parts"),
        (b"\x02" + (LIMIT + OVERHEAD + 1).to_bytes(8, "big"), "limit"),
    ):
        server._buffer.clear()
        server.feed(wrong)
        with pytest.raises(PeerError, match=why):
            server.next_message()


@pytest.mark.parametrize("flags", [b"", b"\x01", b"\x02"])
def test_parts_and_commands_inside_are_refused(flags: bytes) -> None:
    server, client = ends()
    shake_hands(server, client)
    number = client._next()
    server.feed(frame(b"\x07MESSAGE" + number + crypto_box_afternm(flags, client._ours + number, client._key)))
    with pytest.raises(PeerError, match="several parts"):
        server.next_message()


def test_keys_of_low_order_are_refused() -> None:
    server, client = ends()
    hello = b"\x05HELLO\x01\0" + bytes(72 + 32 + 8 + 80)
    server.feed(client.opening + b"\x04\xc8" + hello)
    with pytest.raises(PeerError, match="unusable key"):
        server.next_message()
    server, client = ends()
    nonce = bytes(8)
    box = crypto_box_afternm(
        bytes(64), b"CurveZMQHELLO---" + nonce, crypto_box_beforenm(SERVER.public, client._session_keys.secret)
    )
    server.feed(client.opening + b"\x04\xc8\x05HELLO\x01\0" + bytes(72) + client._session_keys.public + nonce + box)
    assert server.next_message() is None
    for wrong in (b"\x08INITIATE" + bytes(300), b"\x08INITIATE", b"\x05READY"):
        with pytest.raises(PeerError, match="continue the handshake"):
            server._command(wrong)
    with pytest.raises(PeerError, match="does not open"):
        server._command(b"\x08INITIATE" + server._cookie + bytes(300))


@given(st.binary(max_size=1500), st.booleans(), st.integers(0, 3))
@settings(max_examples=60)
def test_arbitrary_bytes_raise_nothing_but_peer_errors(data: bytes, is_server: bool, steps: int) -> None:
    server, client = ends()
    one, other = (server, client) if is_server else (client, server)
    with contextlib.suppress(PeerError):
        said = other.opening
        for _ in range(steps):
            one.feed(said)
            one.next_message()
            other.feed(one.opening + take(one) if other._key == b"" and not other._greeting_seen else take(one))
            other.next_message()
            said = take(other)
        one.feed(data if steps else greeting(b"CURVE") + data)
        while one.next_message() is not None:
            pass


@contextlib.contextmanager
def libzmq(kind: int) -> Iterator[zmq.Socket[bytes]]:
    context = zmq.Context()
    one = context.socket(kind)
    one.linger = 0
    one.rcvtimeo = one.sndtimeo = 10_000
    try:
        yield one
    finally:
        one.close()
        context.term()


def echo(listener: socket.socket, count: int) -> None:
    """Serve one connection with the own end: send back each message."""
    connection = ZmtpConnection.encrypted(listener.accept()[0], CurveServer(LIMIT, SERVER, CLIENT.public))
    while count and not connection.closed:
        for message in connection.receive():
            connection.send(message[::-1])
            count -= 1
    while connection.unsent:
        connection.flush()
    connection.close()


def test_libzmq_connects_to_the_own_server() -> None:
    payloads = [bytes(size) + b"end" for size in (0, 1, 200, 250, 300, LIMIT - 3)]
    with socket.create_server(("127.0.0.1", 0)) as listener, libzmq(zmq.DEALER) as one:
        thread = threading.Thread(target=echo, args=(listener, len(payloads)))
        thread.start()
        one.curve_serverkey = z85.encode(SERVER.public)
        one.curve_secretkey, one.curve_publickey = z85.encode(CLIENT.secret), z85.encode(CLIENT.public)
        one.connect(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        for payload in payloads:
            one.send(payload)
            assert one.recv() == payload[::-1]
        thread.join()


def test_the_own_client_connects_to_libzmq() -> None:
    with libzmq(zmq.ROUTER) as one:
        one.curve_server = True
        one.curve_secretkey = z85.encode(SERVER.secret)
        port = one.bind_to_random_port("tcp://127.0.0.1")
        connected = socket.create_connection(("127.0.0.1", port))
        client = ZmtpConnection.encrypted(connected, CurveClient(LIMIT, SERVER.public, CLIENT))
        client.send(b"hello")
        thread = threading.Thread(target=lambda: one.send_multipart([*one.recv_multipart()[:1], b"x" * 500]))
        thread.start()
        messages: list[bytes] = []
        while not messages and not client.closed:
            messages = client.receive()
        thread.join()
        assert messages == [b"x" * 500]
        client.close()
