"""Figures of whole matches: the wire, start-up, verdicts, replays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from figure import Figure, percentile, time_of
from floor import bare_exchange

from arena.bots.system.spawn import python
from arena.game import Clock
from arena.match.job import REMOTE, Job, SeatAssignment
from arena.match.result import MatchResult
from arena.play.referee.cores import choose_cpu
from arena.play.referee.match_process import play_in_process
from arena.play.seats.hosting import RemoteSeat
from arena.study.checks.verification import verify

PROBE = Path(__file__).with_name("probe_bot.py")
LOOPER = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        while True: pass\n"
DYING = "import os\nfrom arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        os._exit(1)\n"
ENDLESS = {"max_hazard_pairs": 0, "brawler_damage": 0, "piano_health": 100_000}
GRACE = 0.02
LIMIT = 0.2


def match_figures() -> Iterator[Figure]:
    """Measure matches of Saloon, sandboxed as well as this machine can."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _wire()
        yield from _remote()
        yield from _start()
        yield from _verdicts(folder)
        yield from _replays(folder)


def _job(bots: list[str], **settings: object) -> Job:
    return Job(game="saloon", seats=tuple(SeatAssignment(bot) for bot in bots), **{"seed": 7, **settings})  # type: ignore[arg-type]


def _wire() -> Iterator[Figure]:
    cpu = choose_cpu(None)
    before, before_high = bare_exchange(cpu)
    options = ENDLESS | {"max_turns": 6000}
    clock = Clock(bank=None, turn=10.0)
    result = play_in_process(_job([str(PROBE), str(PROBE)], options=options, clock=clock, cpu=cpu))
    after, after_high = bare_exchange(cpu)
    floor, floor_high = (before + after) / 2, (before_high + after_high) / 2
    times = [value for player in result.players for value in _times(player.stdout)]
    level = result.players[0].isolation.name
    name = f"one action, bot's call to result, {level}"
    note = "floor: the same bytes over bare pyzmq PAIR + msgpack"
    yield Figure(f"{name}, p50", median(times), "us", min(250.0, 3e6 * floor), 1e6 * floor, note)
    yield Figure(f"{name}, p99", percentile(times, 0.99), "us", 1000.0, 1e6 * floor_high, note)
    yield Figure("referee CPU per action", 1e6 * result.seconds.playing_cpu / result.actions, "us", 120.0)


def _remote() -> Iterator[Figure]:
    """Measure a remote seat on this machine against a seat here, in the same match."""
    clock = Clock(bank=None, turn=10.0)
    settings = {"options": ENDLESS | {"max_turns": 1000}, "clock": clock}
    local = median(_times(play_in_process(_job([str(PROBE), "builtin:rowdy"], **settings)).players[0].stdout))
    gateway = RemoteSeat("saloon", "Seat 0", "tcp://127.0.0.1:0", "", 30.0, lambda _line: None)
    try:
        command = python("-m", "arena", "join", str(gateway.ticket), str(PROBE))
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as joined:
            gateway.wait()
            seats = (SeatAssignment(REMOTE, address=gateway.address), SeatAssignment("builtin:rowdy"))
            play_in_process(replace(_job([], **settings), seats=seats))
            gateway.close()
            printed = joined.communicate()[1]
    finally:
        gateway.close()
    times = _times("\n".join(line.removeprefix("  | ") for line in printed.splitlines()))
    note = f"{median(times) / local:.2f} times that of a seat here ({local:.0f} us)"
    yield Figure("one action of a remote seat on loopback with CURVE, p50", median(times), "us", 2.5 * local, note=note)


def _times(stdout: str) -> list[float]:
    values: list[float] = json.loads(_line(stdout, "TIMES"))
    return values


def _line(stdout: str, name: str) -> str:
    """Return the rest of the line that begins with a name."""
    return next(line for line in stdout.splitlines() if line.startswith(name)).removeprefix(name)


def _start() -> Iterator[Figure]:
    starts = [_first_turn("--replay", "none", "--option", "max_turns=2") for _ in range(9)]
    bare = time_of(lambda: subprocess.run(python("-c", "import zmq, msgpack"), check=True), rounds=7)
    yield Figure(
        "command to first turn", median(starts), "s", 0.28, bare, "floor: one Python that imports zmq and msgpack"
    )
    for module, target, beyond in (("arena.game", 30.0, ""), ("arena_player", 10.0, "zmq, msgpack")):
        yield Figure(
            f"import of {module}" + (f" beyond {beyond}" if beyond else ""), _import_ms(module, beyond), "ms", target
        )


def _first_turn(*more: str) -> float:
    """Return the seconds from the command ``arena play`` to the first turn of the first bot."""
    command = python("-m", "arena", "play", "saloon", str(PROBE), str(PROBE), "--json", *more)
    begin = time.monotonic()  # the same clock in all processes
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(_line(json.loads(output)["players"][0]["stdout"], "FIRST")) - begin


def _import_ms(module: str, beyond: str) -> float:
    first = f"import {beyond}\n" if beyond else ""
    code = f"import time\n{first}t = time.perf_counter()\nimport {module}\nprint(time.perf_counter() - t)"
    values = []
    for _ in range(9):
        output = subprocess.run(python("-c", code), capture_output=True, text=True, check=True).stdout
        values.append(1000 * float(output))
    return median(values)


def _verdicts(folder: Path) -> Iterator[Figure]:
    clock = Clock(startup=5, bank=None, increment=0, turn=LIMIT, grace=GRACE)
    for name, source, allowed in (
        ("verdict after limit + grace is passed", LOOPER, LIMIT + GRACE),
        ("verdict after a bot's death", DYING, 0.0),
    ):
        (folder / "bot.py").write_text(source)
        delays = []
        for _ in range(7):
            result = play_in_process(_job([str(folder / "bot.py"), "builtin:rowdy"], clock=clock))
            delays.append(_playing_time(result) - allowed)
        yield Figure(name, 1000 * median(delays), "ms", 50.0, note=f"worst of 7: {1000 * max(delays):.1f} ms")


def _playing_time(result: MatchResult) -> float:
    return result.seconds.total - result.seconds.start


def _replays(folder: Path) -> Iterator[Figure]:
    path = folder / "match.arena"
    # By the usual options the lead is out of reach long before the last turn; this game lasts the usual 192 turns.
    options = {"piano_health": 300, "max_turns": 275}
    bots = ["builtin:pianist", "builtin:sheriff"]
    result = play_in_process(_job(bots, options=options, replay=str(path), clock=Clock(bank=None)))
    name = f"replay of {result.turns} turns, {result.actions} actions"
    yield Figure(f"{name}, all deltas", path.stat().st_size / 1024, "KB", 30.0)
    fork = ["--from", f"{path}@{result.turns // 2 // 2 * 2 + 1}", "--replay", str(folder / "fork.arena")]
    forks = [_first_turn(*fork) for _ in range(5)]
    yield Figure("fork in its middle, command to first turn", median(forks), "s", 0.6)
    yield Figure("verify it", time_of(lambda: verify(path), rounds=3), "s", 1.0)


def machine() -> str:
    """Describe the machine in one line."""
    return f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}"
