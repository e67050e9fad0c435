"""What the sandbox costs: start, kill, and the CPU clock, as ratios to the plain process.

Run: python tests/bench/bench_sandbox.py
"""

from __future__ import annotations

import resource
import select
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.launch import launch
from arena.bots.probe import examine, probe
from arena.bots.process import BotProcess

ROUNDS = 40


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.cpu - other.cpu)

    def __str__(self) -> str:
        return f"{self.wall:6.1f} ms wall  {self.cpu:5.1f} ms CPU"


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def make_bot(folder: Path, name: str, command: str, source: str = "") -> Bot:
    place = folder / name
    place.mkdir()
    (place / "main.py").write_text(source)
    (place / "bot.toml").write_text(f"command = {command}\n")
    return load_bot(place)


def measure(start: Callable[[], BotProcess], rest: float = 0.02) -> Cost:
    """From the call to the end of a program that does nothing, and all the CPU time of both sides."""
    walls, before = [], cpu_seconds()
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        with start() as process:
            select.select([process.pidfd], [], [])
            walls.append(time.perf_counter() - begin)
        time.sleep(rest)
    return Cost(statistics.median(walls) * 1000, (cpu_seconds() - before) / ROUNDS * 1000)


def measure_kill(start: Callable[[], BotProcess], rounds: int = 15) -> float:
    """From the kill to the last descriptor closed."""
    times = []
    for _ in range(rounds):
        process = start()
        while b"up" not in bytes(process.stdout.text(), "ascii"):
            process.stdout.drain()
            time.sleep(0.002)
        begin = time.perf_counter()
        process.close()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


def crowd(count: int) -> str:
    return (
        f"import os, time\nfor _ in range({count}):\n    if not os.fork():\n        time.sleep(600)\n"
        "print('up', flush=True)\ntime.sleep(600)\n"
    )


def main() -> None:
    begin = time.perf_counter()
    best = probe()
    print(f"self-test: {(time.perf_counter() - begin) * 1000:.1f} ms; {best.name}")
    with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as listener:
        folder = Path(name)
        listener.bind(f"{name}/seat.sock")
        listener.listen()
        run(folder, f"{name}/seat.sock", best.level)


def run(folder: Path, path: str, best: int) -> None:
    from arena.match.limits import Limits

    roomy = Limits(processes=300)
    nothing = make_bot(folder, "nothing", '["true"]')
    python = make_bot(folder, "python", '["python", "-c", "import zmq, msgpack"]')
    crowds = {count: make_bot(folder, f"crowd{count}", '["python", "main.py"]', crowd(count)) for count in (0, 200)}

    def starter(bot: Bot, level: int) -> Callable[[], BotProcess]:
        return lambda: launch(bot, seat=0, socket=path, at_most=level, limits=roomy)

    levels = [level for level in (0, 1, 2, 3) if level <= best and examine(level).isolation.level == level]
    for title, bot in (("a program that does nothing", nothing), ("python with zmq and msgpack", python)):
        print(f"start and end of {title}")
        floor = measure(starter(bot, 0))
        for level in levels:
            cost = measure(starter(bot, level))
            print(f"  L{level} {cost}   over the plain process {cost - floor}   x {cost.wall / floor.wall:.1f}")
    print("kill, to the last descriptor closed")
    for level in levels:
        for count, bot in crowds.items():
            print(f"  L{level} with {count:3} processes {measure_kill(starter(bot, level)):6.1f} ms")
    if best == 3:
        clock(starter(crowds[0], 3))


def clock(start: Callable[[], BotProcess]) -> None:
    with start() as process:
        time.sleep(0.3)
        rounds = 20_000
        begin = time.perf_counter()
        for _ in range(rounds):
            process.cpu_nanoseconds()
        each = (time.perf_counter() - begin) / rounds
        begin = time.perf_counter()
        for _ in range(200):
            process.freeze()
            process.thaw()
        pause = (time.perf_counter() - begin) / 200
    print(f"CPU clock: {each * 1e6:.2f} us a look; freeze and thaw: {pause * 1e6:.0f} us")


if __name__ == "__main__":
    main()
