"""A raw client for hostile bots: ZMTP and msgpack by hand, so that every rule can be broken."""

import os
import socket
import time

import msgpack

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x04PAIR"


def path():
    return os.environ["ARENA_ENDPOINT"].removeprefix("ipc://")


def frame(payload, flags=0):
    if len(payload) < 256:
        return bytes((flags, len(payload))) + payload
    return bytes((flags | 2,)) + len(payload).to_bytes(8, "big") + payload


class Peer:
    def __init__(self, handshake=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path())
        self.seq = 0
        if handshake:
            self.socket.sendall(GREETING + frame(READY, 4))
            self.exactly(64)
            self.frame()

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise SystemExit("the referee hung up")
            data += more
        return data

    def frame(self):
        flags, size = self.exactly(2)
        if flags & 2:
            size = int.from_bytes(bytes([size]) + self.exactly(7), "big")
        return self.exactly(size)

    def send(self, **message):
        self.socket.sendall(frame(msgpack.packb(message)))

    def receive(self):
        message = msgpack.unpackb(self.frame())
        self.seq = message.get("seq", self.seq)
        return message

    def start(self):
        """Shake hands with the referee and wait for the first turn."""
        self.send(type="hello", protocol=1, client="peer", schema=None, legal_actions=False)
        assert self.receive()["type"] == "welcome"
        assert self.receive()["type"] == "start"
        self.send(type="ready", seq=self.seq)
        return self.receive()

    def act(self, *actions, **changes):
        self.send(**{"type": "act", "seq": self.seq, "actions": list(actions or [{"type": "end_turn"}]), **changes})

    def end_turn(self):
        """End the turn and wait for the next one."""
        self.act()
        while True:
            message = self.receive()
            if message["type"] in ("turn", "over"):
                return message

    def play_on(self):
        """End turn after turn until the match is over."""
        while self.end_turn()["type"] != "over":
            pass


def forever():
    while True:
        time.sleep(60)
