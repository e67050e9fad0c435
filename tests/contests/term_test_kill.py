"""`kill -9` of the server, of matches and of uploads at any time loses and doubles nothing."""

import json
import subprocess
import sys

import pytest
from kills import check, run

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_nothing_is_lost_after_kills(tmp_path):
    state = run(tmp_path, teams=2, versions=1, matches=8, kills=3)
    assert state.killed["server"] >= 1
    assert sum(state.killed.values()) == 3
    assert check(state, tmp_path / "undisturbed") >= 8


def test_a_check_whose_server_was_killed_ends_without_a_traceback(tmp_path):
    job = {"bot": str(tmp_path / "none"), "loaded": None, "game": "saloon", "options": {}, "limits": {}}
    job |= {"require": 0, "seconds": 60, "cache": str(tmp_path)}
    command = [sys.executable, "-m", "arena.season.check"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as check:
        check.stdout.close()
        check.stdin.write(json.dumps(job) + "\n")
        check.stdin.flush()
        assert "Traceback" not in check.stderr.read()
