"""Figures for the wire and the player's kit, against floors measured in the same run.

Run it with `python tests/bench/bench_wire.py`. Times are medians in microseconds unless said otherwise.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import msgpack
import zmq

from arena_player import AI, wire
from arena_player.session import Session

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from wire_examples import EXCHANGE

MESSAGES = {example.name: example.message for example in EXCHANGE}
ACT = {"type": "act", "seq": 5, "actions": [{"type": "move", "cowboy": "c1", "x": 3, "y": 4}]}
RESULT = {
    **MESSAGES["result"],
    "delta": ["w1", "x", 1, "w1", "y", 0, "w1", "mood", "cross"],
    "events": [],
    "draws": [],
    "legal_actions": [],
}
IMPORTS = "import arena_player, arena_player.runner, arena_player.link, arena_player.session"
PROGRAM = (
    f"import time, zmq, msgpack; start = time.perf_counter(); {IMPORTS}; print((time.perf_counter() - start) * 1e3)"
)
ROUNDS = 5000


def time_of(function: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median time of one call in microseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times) * 1e6


class Memory:
    """A link without a socket: the referee's part is played from prepared bytes."""

    def __init__(self) -> None:
        self.prepared = [MESSAGES["welcome"], MESSAGES["start"], MESSAGES["turn"]]
        self.answer = wire.pack(RESULT)

    def send(self, message: dict[str, Any]) -> None:
        """Packs and forgets."""
        wire.pack(message)

    def receive(self) -> dict[str, Any]:
        """The next message."""
        return self.prepared.pop(0) if self.prepared else wire.unpack(self.answer, "referee")


class Busy(AI):
    """Measures its own actions, then leaves."""

    def run_turn(self) -> None:
        """Acts many times."""
        self.figure = time_of(self.game.end_turn)
        raise KeyboardInterrupt


def kit() -> float:
    """One action in the kit: pack, unpack, all objects brought up to date, a result made."""
    bot = Busy()
    with suppress(KeyboardInterrupt):
        Session(bot, Memory()).play()
    return bot.figure


def bare_exchange() -> float:
    """The same bytes over bare PAIR sockets with msgpack on both sides, in two threads."""
    context = zmq.Context()
    near, far = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    near.bind("inproc://floor")
    far.connect("inproc://floor")

    def answer() -> None:
        for _ in range(ROUNDS):
            msgpack.unpackb(far.recv())
            far.send(msgpack.packb(RESULT))

    thread = threading.Thread(target=answer)
    thread.start()

    def ask() -> None:
        near.send(msgpack.packb(ACT))
        msgpack.unpackb(near.recv())

    figure = time_of(ask)
    thread.join()
    near.close()
    far.close()
    context.term()
    return figure


def import_time() -> float:
    """Milliseconds to import the kit beyond zmq and msgpack, with byte code at hand."""
    command = [sys.executable, "-c", PROGRAM]
    return median(float(subprocess.check_output(command, env={}).decode()) for _ in range(7))


def main() -> None:
    """Measure everything and print it."""
    act, result = wire.pack(ACT), wire.pack(RESULT)
    rows: list[tuple[str, float, float, float]] = [
        ("unpack and check an act", time_of(lambda: wire.unpack(act)), 15, time_of(lambda: msgpack.unpackb(act))),
        ("check and pack a result", time_of(lambda: wire.pack(RESULT)), 5, time_of(lambda: msgpack.packb(RESULT))),
        (
            "unpack and check a result",
            time_of(lambda: wire.unpack(result, "referee")),
            15,
            time_of(lambda: msgpack.unpackb(result)),
        ),
    ]
    print(f"{'figure':36} {'us':>8} {'target':>8} {'ratio':>7}  floor")
    for name, value, target, floor in rows:
        print(f"{name:36} {value:8.1f} {target:8} {value / floor:7.1f}  bare msgpack ({floor:.1f} us)")
    value, floor = kit(), bare_exchange()
    ratio = f"{value / floor:7.1f}  exchange over inproc PAIR ({floor:.1f} us)"
    print(f"{'an action in the kit, no socket':36} {value:8.1f} {'':8} {ratio}")
    print(f"{'import beyond zmq and msgpack, ms':36} {import_time():8.1f} {10:8}")


if __name__ == "__main__":
    main()
