"""A match of half a million actions: the memory of writer and reader does not grow with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

WRITE = """
import json, re, sys
from pathlib import Path
from arena_replays import Writer
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
path, actions = sys.argv[1], int(sys.argv[2])
names = [f"u{number}" for number in range(100)]
writer = Writer(path, {"game": "toy", "players": [{"name": "a"}, {"name": "b"}]})
writer.setup([], [[part for name in names for part in (name, "+", "Unit", name, "x", 0, name, "y", 0)]])
for at in range(actions):
    name = names[at * 7 % 100]
    action = {"type": "move", "unit": name, "to": at % 977}
    writer.do(at % 2, action, [at % 6], [[name, "x", at % 977, name, "y", at % 31]], [[]])
    if at % 20 == 19:
        digest = (at * 2654435761 % 2**64).to_bytes(8, "little")
        writer.turn(at // 20, at // 20 % 2, 1000 + at % 333, None, 60_000_000 - at, digest)
writer.finish({"outcome": {"winner": 0, "reason": "over"}, "players": [{}, {}]})
print(json.dumps({"peak": peak(), "left_out": sorted(writer.left_out)}))
"""
READ = """
import json, re, sys
from pathlib import Path
from arena_replays import Reader
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
reader = Reader(sys.argv[1])
done = sum(entry[0] == "do" for entry in reader.truth)
state = reader.state_after(reader.frame_count() // 2)
found = {"problems": reader.check(), "actions": done, "turns": len(reader.turns), "frames": reader.frame_count()}
print(json.dumps({**found, "objects": len(state), "last": reader.turns[-1].number, "peak": peak()}))
"""


def run(script: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.kill
def test_half_a_million_actions_take_no_more_memory_than_a_tenth_of_them(tmp_path: Path) -> None:
    peaks = []
    for actions in (50_000, 500_000):
        path = tmp_path / "long.arena"
        written = run(WRITE, path, actions)
        assert written["left_out"] == []
        read = run(READ, path)
        assert read["problems"] == []
        assert (read["actions"], read["frames"], read["objects"]) == (actions, actions + 1, 100)
        assert (read["turns"], read["last"]) == (actions // 20, actions // 20 - 1)
        peaks.append((written["peak"], read["peak"]))
    print(f"KiB for 50,000 and 500,000 actions: {peaks}; file of {path.stat().st_size} bytes")
    assert peaks[1][0] - peaks[0][0] < 4_096
    assert peaks[1][1] - peaks[0][1] < 8_192
