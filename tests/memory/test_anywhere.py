"""A match in memory, and its explanation, need no processes, sockets, threads and compiled modules of others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from same import LINEUPS

from arena.play.memory import play_in_memory
from arena.study.checks.verification import verify

SCRIPT = Path(__file__).with_name("anywhere.py")


@pytest.mark.kill  # `test_without_posix.py` hides as much
@pytest.mark.process
def test_a_match_is_played_where_almost_nothing_is(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, timeout=240, cwd=SCRIPT.parent
    )
    assert done.returncode == 0, done.stderr
    *played, failed, explained = [json.loads(line) for line in done.stdout.splitlines()]
    assert [game for game, _, _ in played] == list(LINEUPS)
    for game, course, loaded in played:
        assert loaded == []
        assert verify(tmp_path / f"{game}.arena").ok
        assert play_in_memory(game, LINEUPS[game], seed=5).course == course
    line = SCRIPT.read_text().splitlines().index('    return {}["nothing"]') + 1
    turn = failed[4]
    assert failed == [True, [[turn, "stdout", f"in turn {turn}\n"]], SCRIPT.name, line, turn]
    assert explained == [True, []]
