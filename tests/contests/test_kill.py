"""Kills, a short version of it; `make kill-test` runs the whole."""

import json
import subprocess
import sys

import kill
import kills
import pytest
from test_history import change


@pytest.mark.kill  # the next test kills too, and changes the file
def test_kills_lose_nothing(tmp_path):
    done, endings = kill.check(kill.ToyContest(1, 8), tmp_path, 7, seed=3)
    assert len(endings) > 100
    assert done["contest"] >= 4
    assert done["match"] >= 3


@pytest.mark.process
@pytest.mark.slow
def test_changes_and_kills_lose_no_result(tmp_path):
    kill.change_and_kill(tmp_path / "all", changes=3, kills=5, seed=1, change=change, rounds=2)


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_twenty_changes_and_fifty_kills_lose_no_result(tmp_path):
    kill.change_and_kill(tmp_path / "all", changes=20, kills=50, seed=2, change=change)


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_two_hundred_kills_over_thousands_of_matches(tmp_path):
    done, endings = kill.check(kill.ToyContest(14, 16), tmp_path, 200)
    assert len(endings) > 3000
    assert sum(done.values()) >= 200


@pytest.mark.kill
@pytest.mark.timeout(0)
def test_a_term_of_forty_teams_with_two_hundred_kills_loses_nothing(tmp_path):
    state = kills.run(tmp_path, teams=40, versions=5, matches=5000, kills=200)
    assert sum(state.killed.values()) == 200
    assert kills.check(state) >= 5000


@pytest.mark.kill  # the other kills are those of changes
@pytest.mark.process
@pytest.mark.slow
def test_kills_of_a_server_of_matches_and_of_uploads_lose_nothing(tmp_path):
    state = kills.run(tmp_path, teams=2, versions=1, matches=8, kills=3)
    assert state.killed["server"] >= 1
    assert sum(state.killed.values()) == 3
    assert kills.check(state) >= 8


@pytest.mark.process
def test_a_check_whose_server_was_killed_ends_without_a_traceback(tmp_path):
    job = {"bot": str(tmp_path / "none"), "loaded": None, "game": "saloon", "options": {}, "limits": {}}
    job |= {"require": 0, "seconds": 60, "cache": str(tmp_path)}
    command = [sys.executable, "-m", "arena.contests.people.check_process"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as check:
        check.stdout.close()
        check.stdin.write(json.dumps(job) + "\n")
        check.stdin.flush()
        assert "Traceback" not in check.stderr.read()
