"""Kills, a short version of it; `make kill-test` runs the whole."""

import kill
import pytest


@pytest.mark.slow
def test_kills_lose_nothing(tmp_path):
    found, done = kill.check(rounds=2, kills=12, seed=3, folder=tmp_path, bots=12)
    assert found["matches"] > 200
    assert done["organizer"] >= 6
    assert done["match"] >= 4


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_two_hundred_kills_over_thousands_of_matches(tmp_path):
    found, done = kill.check(rounds=14, kills=200, seed=1, folder=tmp_path)
    assert found["matches"] > 3000
    assert done["organizer"] + done["match"] >= 200
