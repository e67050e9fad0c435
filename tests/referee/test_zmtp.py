"""The own end of ZMTP: arbitrary bytes never do harm, and a real ZeroMQ peer is understood."""

from __future__ import annotations

import contextlib
import select
import threading
from pathlib import Path

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from arena.play.referee.seat_link import SeatLink
from arena_player.wire.zmtp import COMMAND, HELLO, READY, Peer, PeerError, frame, greeting

LIMIT = 1000
HANDSHAKE = HELLO
GREETING = greeting()


def drain(peer: Peer, data: bytes, step: int) -> list[bytes]:
    messages = []
    for start in range(0, len(data), step):
        peer.feed(data[start : start + step])
        while (message := peer.next_message()) is not None:
            messages.append(message)
    return messages


@given(st.lists(st.binary(max_size=LIMIT), max_size=8), st.integers(1, 300))
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages: list[bytes], step: int) -> None:
    assert drain(Peer(LIMIT), HANDSHAKE + b"".join(map(frame, messages)), step) == messages


@given(st.binary(max_size=3000), st.integers(1, 500), st.booleans())
def test_arbitrary_bytes_raise_nothing_but_peer_errors(data: bytes, step: int, greeted: bool) -> None:
    peer = Peer(LIMIT)
    with contextlib.suppress(PeerError):
        drain(peer, (HANDSHAKE if greeted else b"") + data, step)
    assert len(peer._buffer) <= 3000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GET / HTTP/1.1\r\n", "does not speak ZeroMQ"),
        (b"\xff" + bytes(8) + b"\x7f\x01", "older than 3"),
        (greeting(b"CURVE"), "security mechanism"),
        (GREETING + frame(b"x"), "before the handshake"),
        (GREETING + b"\x04\x04\x03FOO", "shake hands"),
        (GREETING + frame(READY.replace(b"PAIR", b"DEAL"), COMMAND), "PAIR"),
        (HANDSHAKE + b"\x02" + b"\xff" * 8, "limit is 1000"),
        (HANDSHAKE + b"\x02" + (LIMIT + 1).to_bytes(8, "big"), "1001"),
        (HANDSHAKE + b"\x06" + (600).to_bytes(8, "big"), "600 bytes; the limit is 512"),
        (HANDSHAKE + b"\x01\x01x", "several parts"),
        (HANDSHAKE + b"\x80\x01x", "unknown flags"),
        (HANDSHAKE + b"\x04\x06\x05ERROR", "error"),
        (HANDSHAKE + b"\x04\x07\x04PING\x00\x00" * 101, "pings"),
    ],
)
def test_violations_are_named(data: bytes, message: str) -> None:
    with pytest.raises(PeerError, match=message):
        drain(Peer(LIMIT), data, 7)


def test_a_real_zeromq_socket_is_understood(tmp_path: Path) -> None:
    link = SeatLink(tmp_path / "seat", LIMIT)
    answers: list[bytes] = []

    def client() -> None:
        context = zmq.Context()
        with context.socket(zmq.PAIR) as socket:
            socket.connect(f"ipc://{tmp_path}/seat")
            socket.send(b"hello")
            for _ in range(3):
                answers.append(socket.recv())
                socket.send(answers[-1])
        context.term()

    thread = threading.Thread(target=client)
    thread.start()
    sent = [b"", b"short", bytes(70_000)[:LIMIT]]
    try:
        assert receive(link) == b"hello"
        for payload in sent:
            link.send(payload)
            assert receive(link) == payload
    finally:
        thread.join(10)
        link.close()
    assert answers == sent
    assert not (tmp_path / "seat").exists()


def receive(link: SeatLink) -> bytes:
    for _ in range(1000):
        if not link.connected:
            link.accept()
        message = link.receive() if link.connected else None
        if message is not None:
            return message
        poller = select.poll()  # a new one: the link has another descriptor once somebody is connected
        poller.register(link.fileno(), select.POLLIN)
        assert poller.poll(5000), "nothing came"
    raise AssertionError("no message")


def test_the_second_peer_finds_no_socket(tmp_path: Path) -> None:
    import socket

    link = SeatLink(tmp_path / "seat", LIMIT)
    first = socket.socket(socket.AF_UNIX)
    first.connect(str(tmp_path / "seat"))
    assert link.accept()
    with socket.socket(socket.AF_UNIX) as second, pytest.raises(OSError, match="No such file"):
        second.connect(str(tmp_path / "seat"))
    first.close()
    assert link.receive() is None
    assert link.closed
    link.close()


def test_properties_come_in_any_order() -> None:
    identity = b"\x08Identity" + bytes(4)
    ready = READY[:6] + identity + READY[6:]
    peer = Peer(LIMIT)
    assert drain(peer, GREETING + frame(ready, COMMAND) + frame(b"x"), 7) == [b"x"]
    assert not peer.holds_bytes
    peer.feed(frame(b"yes")[:3])
    assert peer.holds_bytes


def test_a_handshake_without_a_socket_type_is_refused() -> None:
    ready = READY[:6] + b"\x08Identity" + bytes(4)
    with pytest.raises(PeerError, match="PAIR"):
        drain(Peer(LIMIT), GREETING + frame(ready, COMMAND), 7)
