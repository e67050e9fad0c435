"""Bots for the fuzzer of the referee: one keeps to the protocol, the other breaks it in every way it knows.

Both live in the referee's process and do a little at each step, so that a seed repeats a match exactly.
"""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from random import Random
from typing import Any

import msgpack

from arena_player.wire import limits
from arena_player.wire.zmtp import COMMAND, HELLO, MORE, PeerError, frame
from arena_player.wire.zmtp import Peer as Parser

Message = dict[str, Any]
READS = (1_000, 20_000, 1_000_000)
"""How many bytes a bot reads at each step."""
ODD: tuple[Any, ...] = (None, True, -1, 0, 2**63 - 1, 1.5, float("nan"), "", "x" * 2_000, [], [[]] * 300, {}, {"": {}})


class HonestBot:
    """A bot that keeps to the protocol and answers each request with random actions, some of them illegal.

    Args:
        path: The seat's socket.
        outputs: Descriptors of its stdout and stderr.
        actions: Documents to choose from.
        rng: Where its choices come from.

    Attributes:
        exit_code: Set when the program has ended.
        sent: How many messages it has sent.
    """

    is_outside = is_brought = False
    honest = True

    def __init__(self, path: Path, outputs: tuple[int, int], actions: list[Message], rng: Random) -> None:
        self.exit_code: int | None = None
        self.sent = 0
        self.seq = 0
        self._path = path
        self._outputs = outputs
        self._actions = actions
        self._rng = rng
        self._read_size = rng.choice(READS)
        self._socket: socket.socket | None = None
        self._parser = Parser(limits.REFEREE_BYTES)
        self._out = bytearray()
        self._refusals = 0
        self._answered = 0
        self._list_actions = rng.random() < 0.3

    def step(self) -> bool:
        """Do a little; return whether anything was done."""
        if self.exit_code is not None:
            return False
        if self._socket is None:
            self._connect()
            return True
        return bool(self._write()) | bool(self._read())

    def end(self, code: int) -> None:
        """End the program, with its connection."""
        if self.exit_code is None:
            self.exit_code = code
            self.hang_up()

    def hang_up(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()

    def _connect(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(self._path))
        self._socket.setblocking(False)
        self._out += HELLO
        self._say({"type": "hello", "protocol": 1, "client": "f", "schema": None, "legal_actions": self._list_actions})

    def _write(self) -> int:
        assert self._socket is not None
        written = 0
        with contextlib.suppress(OSError):
            written = self._socket.send(self._out) if self._out else 0
        del self._out[:written]
        return written

    def _read(self) -> int:
        assert self._socket is not None
        try:
            data = self._socket.recv(self._read_size)
        except OSError:
            return 0
        if not data:
            self.end(0)
            return 1
        self._parser.feed(data)
        with contextlib.suppress(PeerError):
            while self.exit_code is None and (payload := self._parser.next_message()) is not None:
                self._answer(msgpack.unpackb(payload))
        return len(data)

    def _answer(self, message: Message) -> None:
        self.seq = message.get("seq", self.seq)
        match message["type"]:
            case "start":
                self._say({"type": "ready", "seq": self.seq})
            case "turn":
                self._refusals = 0
                self._act()
            case "result" if message["your_move"]:
                self._refusals += any(isinstance(one, dict) for one in message["results"])
                self._act()
            case "over" | "refused":
                self.end(0)

    def _act(self) -> None:
        for _ in range(self._rng.choice((0, 0, 0, 1, 3))):
            self._say(self._note())
        actions = [self._rng.choice(self._actions) for _ in range(self._rng.choice((1, 1, 2, 5)))]
        if self._refusals > 20:
            actions = self._actions[:1]
        self._answered = self.seq
        self._say({"type": "act", "seq": self.seq, "actions": actions})

    def _note(self) -> Message:
        if self._rng.random() < 0.5:
            return {"type": "log", "seq": self.seq, "text": "x" * self._rng.choice((0, 10, limits.LOG_TEXT))}
        shapes = [{"kind": "point", "x": 1.5, "y": 1.5}] * self._rng.choice((0, 1, limits.SHAPES))
        return {"type": "draw", "seq": self.seq, "shapes": shapes}

    def _say(self, message: Message) -> None:
        self._send(frame(msgpack.packb(message)))

    def _send(self, data: bytes) -> None:
        self._out += data
        self.sent += 1


class HostileBot(HonestBot):
    """A bot that breaks the protocol at random: forged, early, late, huge, cut and missing messages, and deaths."""

    honest = False

    def __init__(self, path: Path, outputs: tuple[int, int], actions: list[Message], rng: Random) -> None:
        super().__init__(path, outputs, actions, rng)
        self._reads = True
        self._answers = True
        self._forges = rng.random() < 0.5
        self._late = 0.1 if rng.random() < 0.2 else 0.0
        self._held: list[Message] = []
        self._rate = rng.choice((0.01, 0.05, 0.3))
        self._tricks = [getattr(self, name) for name in dir(self) if name.startswith("_trick_")]
        self._tricks = rng.sample(self._tricks, rng.choice((1, 1, 3, len(self._tricks))))
        if rng.random() < 0.1:
            self._tricks, self._forges, self._late = [self._trick_act_ahead], False, 0.0

    def step(self) -> bool:
        """Do a little; return whether anything was done."""
        if self.exit_code is not None or (self._socket is None and self._rng.random() < 0.02):
            return False
        if self._socket is not None and self._rng.random() < self._rate:
            self._rng.choice(self._tricks)()
        if self._held and self._rng.random() < self._late:
            super()._say(self._held.pop(0))
        if self.exit_code is not None:
            return True
        try:
            return super().step()
        except OSError:
            return False

    def _read(self) -> int:
        return super()._read() if self._reads else 0

    def _say(self, message: Message) -> None:
        if self._forges and self._rng.random() < self._rate:
            message = self._forged(message)
        if self._rng.random() < self._late:
            self._held.append(message)
        elif self._answers:
            super()._say(message)

    def _forged(self, message: Message) -> Message:
        """Return a message with one field changed, missing or too many."""
        forged = dict(message)
        key = self._rng.choice([*forged, "more"])
        if key != "more" and self._rng.random() < 0.3:
            del forged[key]
        else:
            forged[key] = self._rng.choice([*ODD, self.seq - 1, self.seq + 1, "act", "log", "hello"])
        return forged

    def _trick_garbage(self) -> None:
        self._send(self._rng.randbytes(self._rng.randint(1, 300)))

    def _trick_random_payload(self) -> None:
        self._send(frame(self._rng.randbytes(self._rng.choice((0, 1, 50, 5_000)))))

    def _trick_cut_frame(self) -> None:
        data = frame(msgpack.packb({"type": "act", "seq": self.seq, "actions": self._actions[:1]}))
        self._send(data[: self._rng.randrange(len(data))])

    def _trick_long_frame(self) -> None:
        size = self._rng.choice((limits.CLIENT_BYTES, limits.CLIENT_BYTES + 1, 2**31, 2**64 - 1))
        self._send(b"\x02" + size.to_bytes(8, "big") + self._rng.randbytes(self._rng.choice((0, 100, 70_000))))

    def _trick_parts_and_commands(self) -> None:
        flags = self._rng.choice((MORE, COMMAND, COMMAND | MORE, 8, 255))
        self._send(bytes([flags, 5]) + self._rng.choice((b"\x04PING", b"\x05ERROR", b"\x03FOO!")))

    def _trick_pings(self) -> None:
        for _ in range(self._rng.choice((1, 20, 101))):
            self._send(bytes([COMMAND, 7]) + b"\x04PING\x00\x00")

    def _trick_act_ahead(self) -> None:
        """Answer requests that have not been sent yet, and read nothing more: what waits for it grows."""
        self._reads = self._rng.random() < 0.3
        self.seq += self._answered == self.seq
        for _ in range(self._rng.choice((2, 30, 90))):
            action = self._rng.choice(self._actions)
            super()._say({"type": "act", "seq": self.seq, "actions": [action]})
            self.seq += 1

    def _trick_stop_reading(self) -> None:
        self._reads = not self._reads

    def _trick_stop_answering(self) -> None:
        self._answers = not self._answers

    def _trick_stale_answer(self) -> None:
        super()._say({"type": "act", "seq": self.seq + self._rng.randint(-2, 2), "actions": self._actions[:1]})

    def _trick_flood_of_notes(self) -> None:
        for _ in range(self._rng.choice((5, 40, 70))):
            super()._say(self._note())

    def _trick_long_action(self) -> None:
        junk = {str(number): "x" * 1_000 for number in range(self._rng.choice((3, 50, 60)))}
        super()._say({"type": "act", "seq": self.seq, "actions": [{**self._actions[0], **junk}]})

    def _trick_out_of_place(self) -> None:
        kind = self._rng.choice(("hello", "ready", "act", "turn", "over", "nonsense"))
        super()._say({"type": kind, "seq": self.seq})

    def _trick_print(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._rng.choice(self._outputs), self._rng.randbytes(self._rng.choice((1, 1_000, 60_000))) + b"\n")

    def _trick_shut_down(self) -> None:
        assert self._socket is not None
        with contextlib.suppress(OSError):
            self._socket.shutdown(self._rng.choice((socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR)))

    def _trick_hang_up(self) -> None:
        self.hang_up()

    def _trick_second_connection(self) -> None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as second:
            second.connect(str(self._path))

    def _trick_die(self) -> None:
        self.exit_code = self._rng.choice((0, 1, 139))
        if self._rng.random() < 0.5:
            self.hang_up()
