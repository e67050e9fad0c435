"""Both links of a bot, the one on a Unix socket and the one with ZeroMQ, work with a real libzmq socket."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest
import zmq

import arena_player.link
from arena_player import wire
from arena_player.errors import PlayerError
from arena_player.link import Link, UnixLink, open_link
from arena_player.zmq_link import ZmqLink

HELLO: dict[str, Any] = {"type": "hello", "protocol": 1, "client": "x", "schema": None, "legal_actions": False}
REFUSED: dict[str, Any] = {"type": "refused", "code": "x", "message": "y" * 1500}


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_an_exchange(transport: str, tmp_path: Path) -> None:
    context = zmq.Context()
    with context.socket(zmq.PAIR) as server:
        server.setsockopt(zmq.LINGER, 0)
        server.setsockopt(zmq.RCVTIMEO, 10_000)
        if transport == "ipc":
            endpoint = f"ipc://{tmp_path}/seat.sock"
            server.bind(endpoint)
        else:
            endpoint = f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}"
        link: Link = open_link(endpoint)
        assert type(link) is (UnixLink if transport == "ipc" else ZmqLink)
        for _ in range(100):
            link.send(HELLO)
            assert wire.unpack(server.recv()) == HELLO
            server.send(wire.pack(REFUSED))
            assert link.receive() == REFUSED
        link.close()
    context.term()


def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_player.link.CONNECT_SECONDS", 0.05)
    with pytest.raises(PlayerError, match="No referee answered"):
        open_link(f"ipc://{tmp_path}/nothing")


def test_a_referee_that_does_not_speak_zeromq(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "seat"))
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request")
                connection.recv(1)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(PlayerError, match=r"^The referee does not speak ZeroMQ\.$"):
            open_link(f"ipc://{tmp_path}/seat")
        thread.join(10)


@pytest.mark.parametrize("answer", [b"", bytes([0xFF]) + bytes(8), b"HTTP/1.1 400 Bad Request"])
def test_a_handshake_that_fails_closes_the_socket(
    answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    connect = arena_player.link._connect

    def recorded(path: str) -> Any:
        opened.append(connect(path))
        return opened[0]

    monkeypatch.setattr(arena_player.link, "_connect", recorded)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "seat"))
        server.listen()
        failed: list[PlayerError] = []

        def join() -> None:
            try:
                open_link(f"ipc://{tmp_path}/seat")
            except PlayerError as error:
                failed.append(error)

        thread = threading.Thread(target=join)
        thread.start()
        connection, _ = server.accept()
        with connection:
            connection.sendall(answer)
        thread.join(10)
    assert len(failed) == 1
    assert [one.fileno() for one in opened] == [-1]
