"""Plays a thousand matches in a row, every third with a hostile bot, and looks for anything that grows.

Run it by hand: ``python tests/bench/many_matches.py [MATCHES]``. It prints what there was after the tenth match and at
the end: memory and descriptors of this process, its processes and zombies, control groups, mounts, temporary files.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.referee.match_process import play_in_process
from arena.referee.measurements import peak_memory

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "hostile"), str(TESTS / "bots")]

import leftovers  # noqa: E402 - beside the tests
import scenarios  # noqa: E402

CHEAP = ("deaths", "wire", "walls")
SMALL = {"width": 8, "height": 6, "max_turns": 12}
CLOCK = Clock(startup=1.0, bank=None, increment=0.0, turn=0.1, grace=0.02)


def main(count: int) -> None:
    """Play and compare."""
    hostile = [one for group in CHEAP for one in scenarios.GROUPS[group] if "no_start" not in one.endings]
    opponent = TESTS / "hostile" / "opponent.py"
    endings: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "peer.py").write_text((TESTS / "hostile" / "peer.py").read_text())
        early: dict[str, Any] = {}
        growth: list[int] = []
        for number in range(1, count + 1):
            first = opponent
            if number % 3 == 0:
                first = folder / "hostile.py"
                first.write_text(hostile[number // 3 % len(hostile)].source)
            job = Job(
                game="saloon",
                seats=(SeatAssignment(str(first)), SeatAssignment(str(opponent))),
                options=SMALL,
                seed=number,
                clock=CLOCK,
                replay=str(folder / "m.arena"),
            )
            result = play_in_process(job)
            endings[result.players[0].ending] += 1
            growth.append(result.memory_growth)
            if number == 10:
                early = snapshot()
        late = snapshot()
    print(f"{count} matches, endings of the first seat: {dict(endings)}")
    print(f"memory growth of a match's referee: median {sorted(growth)[count // 2]}, worst {max(growth)} bytes")
    for key in early:
        print(f"{key}: {early[key]} after the tenth, {late[key]} at the end")


def snapshot() -> dict[str, Any]:
    """Count what could grow."""
    traces = leftovers.look()
    return {
        "memory of this process (bytes, peak)": peak_memory(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": json.dumps(sorted(traces.processes)),
        "zombies on the machine": sum(_is_zombie(pid) for pid in os.listdir("/proc") if pid.isdigit()),
        "control groups": len(traces.groups),
        "mounts": len(traces.mounts),
        "temporary files": len(traces.files),
    }


def _is_zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
