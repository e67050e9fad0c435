"""`kill -9` of the server, of matches and of uploads at any time loses and doubles nothing."""

import pytest
from kills import check, run

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_nothing_is_lost_after_kills(tmp_path):
    state = run(tmp_path, teams=2, versions=1, matches=8, kills=3)
    assert state.killed["server"] >= 1
    assert sum(state.killed.values()) == 3
    assert check(state, tmp_path / "undisturbed") >= 8
