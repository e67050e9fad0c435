"""The surroundings of a shell are not taken for granted: a short TMPDIR, high limits, streams, a current folder."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from shortened import shortened

from arena.errors import ExitCode
from arena_replays import Reader

pytestmark = pytest.mark.process
ARENA = str(Path(sys.executable).with_name("arena"))
REPLAY = Path(__file__).parents[1] / "replays" / "saloon.arena"
PLAY = ("play", "saloon", "builtin:rowdy", "builtin:rowdy", "-o", "max_turns=2", "--seed", "1")
STARTS_BOTS = {
    "play": (*PLAY, "--replay", "none"),
    "play without a sandbox": (*PLAY, "--replay", "none", "--sandbox", "none"),
    "people": ("play", "saloon", "human:terminal", "builtin:rowdy", "-o", "max_turns=2", "--replay", "none"),
    "compare": ("compare", "saloon", "builtin:rowdy", "builtin:rowdy", "--games", "2", "-o", "max_turns=2"),
    "bot check": ("bot", "check", "builtin:rowdy", "--game", "saloon"),
    "rerun": ("rerun", f"{REPLAY}@2", "builtin:rowdy", "--player", "0"),
    "playouts": ("rerun", f"{REPLAY}@2", "builtin:pianist", "--player", "0", "--explain", "1"),
    "picture": ("replay", "export", REPLAY, "--png", "3", "--out", "picture.png"),
}
STREAMS = [lost for count in (1, 2, 3) for lost in combinations((0, 1, 2), count)]


def run(
    folder: Path, words: tuple[object, ...], before: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that first runs other commands."""
    command = f"{before}\nexec {shlex.join(map(str, (ARENA, *words)))}"
    environment = os.environ | {"ARENA_NO_BROWSER": "1"} | variables
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input="1\n" * 50,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("name", shortened(STARTS_BOTS, 3))
def test_a_long_path_of_the_temporary_folder(tmp_path: Path, name: str) -> None:
    temporary = tmp_path / ("x" * 120)
    temporary.mkdir()
    done = run(tmp_path, STARTS_BOTS[name], TMPDIR=str(temporary))
    assert done.returncode in {ExitCode.OK, ExitCode.DIFFERENCE}, done.stderr
    assert "Traceback" not in done.stderr
    assert list(temporary.iterdir()) == []


ALL_LIMITS = "ulimit -v 8388608 -d 4194304 -n 200 -f 65536 -u 40 -t 100 -l 16 -s 8192 -c 0"


@pytest.mark.parametrize(
    ("limits", "sandbox"),
    [
        (ALL_LIMITS, "none"),
        (ALL_LIMITS, "auto"),
        ("ulimit -v 8388608", "auto"),
        ("ulimit -d 4194304", "auto"),
        ("ulimit -n 200", "auto"),
        ("ulimit -f 65536", "auto"),
        ("ulimit -u 40", "auto"),
        ("ulimit -t 100", "auto"),
        ("ulimit -l 16", "auto"),
        ("ulimit -s 8192", "auto"),
    ],
)
def test_a_hard_limit_below_the_limit_of_a_bot(tmp_path: Path, limits: str, sandbox: str) -> None:
    done = run(tmp_path, (*PLAY, "--sandbox", sandbox, "--replay", "one.arena"), before=limits)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "failed" not in done.stdout


@pytest.mark.parametrize("lost", STREAMS, ids=str)
def test_a_missing_stream_counts_as_dev_null(tmp_path: Path, lost: tuple[int, ...]) -> None:
    """The descriptor of a missing stream must go to no file: its first bytes would be what the referee prints."""
    closed = "exec " + " ".join(f"{number}<&-" if number == 0 else f"{number}>&-" for number in lost)
    done = run(tmp_path, (*PLAY, "--replay", "one.arena"), before=closed)
    assert done.returncode == ExitCode.OK, done.stderr
    assert done.stderr == ""
    assert (done.stdout == "") == (1 in lost)
    assert Reader(tmp_path / "one.arena").ended
    others = ((("games",), ExitCode.OK), (("play", "saloon", "nobody", "nobody"), ExitCode.BAD_BOT))
    for words, code in others if len(lost) != 2 else ():
        done = run(tmp_path, words, before=closed)
        assert done.returncode == code
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "words", shortened([(PLAY,), (("new", "saloon", "bot"),), (STARTS_BOTS["compare"],), (STARTS_BOTS["playouts"],)], 2)
)
def test_the_current_folder_is_gone(tmp_path: Path, words: tuple[object, ...]) -> None:
    done = run(tmp_path, words, before="mkdir gone && cd gone && rmdir ../gone")
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.returncode == ExitCode.CANNOT_WRITE
        assert "Error: The current folder no longer exists." in done.stderr
