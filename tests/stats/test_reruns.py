"""A short version of `make stats` for reruns; the long one has 100 matches of each game."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from reruns import GAMES, reruns

pytestmark = pytest.mark.process


@pytest.mark.parametrize("game", GAMES)
def test_built_in_bots_do_what_they_did_in_their_own_replays(game, tmp_path):
    wrong, turns = reruns(game, 1, 11, tmp_path)
    assert wrong == []
    assert turns > 4
