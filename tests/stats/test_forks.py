"""A short version of `make stats` for forks; the long one has 1,000 forks of each game."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from forks import GAMES, forks


@pytest.mark.parametrize("game", GAMES)
def test_forks_at_random_places_play_to_an_end_and_verify(game, tmp_path):
    assert forks(game, 6, 3, tmp_path) == []
