"""An untrusted replay never takes more than 256 MB and 5 s to read, whatever is in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arena_replays
from arena_replays import ReplayError

pytestmark = pytest.mark.process

MOST_MEMORY = 256 * 1024 * 1024
MOST_SECONDS = 5.0
NAMES = (
    *("many_states", "empty_lists", "empty_maps", "short_texts", "arrays_of_texts", "claims", "long_footer"),
    *("many_bytes", "many_truths", "drawings", "tiny_records"),
)
READ_ALL = """
import json, re, resource, sys, time
from pathlib import Path
from arena_replays import Reader, ReplayError
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before, begun, problem = peak(), time.process_time(), ""
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
try:
    reader = Reader(sys.argv[1])
    problem = reader.problem or reader.notice
    problem = problem or " ".join(reader.check())
    reader.state_after(reader.frame_count() - 1)
except ReplayError as error:
    problem = str(error)
except IndexError:
    pass
seconds = time.process_time() - begun
print(json.dumps({"memory": 1024 * (peak() - before), "seconds": seconds, "problem": problem}))
"""


@pytest.fixture(scope="module")
def node(viewer_modules: Path) -> Path:
    (viewer_modules / "read.mjs").write_text(READ_IN_JAVASCRIPT)
    return viewer_modules


READ_IN_JAVASCRIPT = """
import { readFileSync } from "node:fs";
import { read, Unreadable } from "arena/reader";
const bytes = new Uint8Array(readFileSync(process.argv[2]));
const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
const usage = () => ({ ...process.resourceUsage(), peak: peak() });
const before = usage();
let problem = "";
try {
  const content = await read(bytes);
  for (const list of [content.actions, ...content.streams]) for (let at = 0; at < list.length; at += 64) list[at];
  problem = content.problem || content.notice;
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  problem = error.message;
}
const after = usage();
const seconds = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1e6;
console.log(JSON.stringify({ memory: 1024 * (after.peak - before.peak), seconds, problem }));
"""


def measured(command: list[str], cwd: Path | None = None) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    found: dict[str, Any] = json.loads(done.stdout)
    print(f"{found['memory'] / 1e6:.0f} MB, {found['seconds']:.2f} s, {found['problem']}")
    return found


def check(found: dict[str, Any]) -> None:
    assert found["memory"] <= MOST_MEMORY
    assert found["seconds"] <= MOST_SECONDS
    assert "\n" not in found["problem"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.promise("replay-bombs")
def test_a_bomb_stays_small(bombs: ModuleType, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bomb.arena"
    path.write_bytes(bombs.BOMBS[name]())
    check(measured([sys.executable, "-c", READ_ALL, str(path)]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.promise("replay-bombs")
def test_a_bomb_stays_small_in_the_viewer(bombs: ModuleType, node: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bomb.arena"
    path.write_bytes(bombs.BOMBS[name]())
    check(measured(["node", "read.mjs", str(path)], cwd=node))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("long_footer", "many_bytes", "many_truths")])
def test_a_bomb_near_the_limit_stays_small(bombs: ModuleType, node: Path, tmp_path: Path, name: str) -> None:
    """Of each kind of bomb, the largest file that a reader still accepts needs the most memory."""
    path = tmp_path / "bomb.arena"
    for share in (4, 16):
        path.write_bytes(bombs.BOMBS[name](bombs.MANY // share))
        check(measured([sys.executable, "-c", READ_ALL, str(path)]))
        check(measured(["node", "read.mjs", str(path)], cwd=node))


def test_every_bomb_is_listed(bombs: ModuleType) -> None:
    assert set(NAMES) == set(bombs.BOMBS)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.arena"
    with path.open("wb") as file:
        file.write(arena_replays.records.PREAMBLE)
        file.truncate(1 << 40)
    with pytest.raises(ReplayError, match=r"huge\.arena is a damaged replay"):
        arena_replays.Reader(path)
