"""A short run of the fuzzer of archives and replays, and what it found."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.game import Scripted
from arena.match.lookup import find_game
from arena_replays import Reader, compact, records

pytestmark = pytest.mark.process
FUZZER = Path(__file__).parent / "files.py"
REPLAYS = Path(__file__).parents[1] / "replays"


def test_a_few_files() -> None:
    done = subprocess.run([sys.executable, str(FUZZER), "12"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 archives: " in done.stdout
    assert "12 replays: " in done.stdout


def test_json_of_a_replay_with_bytes_in_its_header(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    path.write_bytes(records.PREAMBLE + records.frame(records.HEADER, {"streams": 1, "more": b"\xff", "game": b"\xff"}))
    done = arena("replay", "info", "--json", str(path))
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "game" not in document


def test_keys_of_a_replay_are_strings(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    path.write_bytes(records.PREAMBLE + records.frame(records.HEADER, {"streams": 1, "more": {b"x": 1}}))
    done = arena("replay", "info", "--json", str(path))
    assert done.returncode == 11
    assert "a key is not a string" in done.stderr


@pytest.mark.parametrize("key", ["options", "outcome"])
def test_verify_of_a_replay_in_which_something_is_no_table(tmp_path: Path, key: str) -> None:
    source = Reader(REPLAYS / "saloon.arena")
    header, footer = dict(source.header), {**(source.footer or {}), "digest": None}
    entries = source.truth[:1]
    if key == "options":
        del header["options"]
    else:
        footer["outcome"] = 5
        footer["digest"] = find_game("saloon").start(header["options"], Scripted(entries[0][1])).digest()
    path = tmp_path / "match.arena"
    footer["left_out"] = ["views"]
    path.write_bytes(compact.assemble(header, entries, [], [], footer))
    done = arena("replay", "verify", str(path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"differs: {key}" in done.stdout


def arena(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("arena"))
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
