"""Kills, a short version of it; `make kill-test` runs the whole."""

import json
import subprocess
import sys

import kill
import kills
import pytest
import snakes_league
from test_history import change


@pytest.mark.process
@pytest.mark.slow
def test_kills_lose_nothing(tmp_path):
    found, done = kill.check(rounds=1, kills=8, seed=3, folder=tmp_path, bots=8)
    assert found["matches"] > 100
    assert done["contest"] >= 4
    assert done["match"] >= 3


@pytest.mark.process
@pytest.mark.slow
def test_changes_and_kills_lose_no_result(tmp_path):
    done = kill.change_and_kill(tmp_path / "all", changes=3, kills=6, seed=1, change=change, rounds=2)
    assert done["finished"]


@pytest.mark.process
@pytest.mark.slow
def test_kills_lose_nothing_at_tables(tmp_path):
    found, done = kill.check(rounds=0, kills=4, seed=4, folder=tmp_path, bots=13)
    assert found["matches"] > 60
    assert done["contest"] >= 2


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_a_league_of_snakes_with_twenty_kills_ends_the_same(tmp_path):
    done, standings, endings = snakes_league.check(tmp_path, 20)
    assert done == 20
    seen = {ending for one in endings.values() for ending in one}
    assert {"crashed", "timed_out", "bad_message", "won", "lost"} <= seen
    assert '"finished": true' in standings


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_twenty_changes_and_fifty_kills_lose_no_result(tmp_path):
    done = kill.change_and_kill(tmp_path / "all", changes=20, kills=50, seed=2, change=change)
    print(done)
    assert done["finished"]


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_two_hundred_kills_over_thousands_of_matches(tmp_path):
    found, done = kill.check(rounds=14, kills=200, seed=1, folder=tmp_path)
    assert found["matches"] > 3000
    assert done["contest"] + done["match"] >= 200


@pytest.mark.process
@pytest.mark.slow
def test_kills_of_a_server_of_matches_and_of_uploads_lose_nothing(tmp_path):
    state = kills.run(tmp_path, teams=2, versions=1, matches=8, kills=3)
    assert state.killed["server"] >= 1
    assert sum(state.killed.values()) == 3
    assert kills.check(state, tmp_path / "undisturbed") >= 8


@pytest.mark.process
def test_a_check_whose_server_was_killed_ends_without_a_traceback(tmp_path):
    job = {"bot": str(tmp_path / "none"), "loaded": None, "game": "saloon", "options": {}, "limits": {}}
    job |= {"require": 0, "seconds": 60, "cache": str(tmp_path)}
    command = [sys.executable, "-m", "arena.contests.check"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as check:
        check.stdout.close()
        check.stdin.write(json.dumps(job) + "\n")
        check.stdin.flush()
        assert "Traceback" not in check.stderr.read()
