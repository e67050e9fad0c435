"""Whole matches by the referee. The number of bots sets the number of players."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.testing import play_match

pytestmark = pytest.mark.process

FOUR = ["builtin:constrictor", "builtin:forager", "builtin:forager", "builtin:hatchling"]


def arena(*args: object) -> str:
    command = [sys.executable, "-m", "arena", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_four_bots_play_to_the_end_and_the_replay_is_verified_and_exported(tmp_path: Path) -> None:
    replay, page = tmp_path / "four.arena", tmp_path / "four.html"
    result = play_match("snakes", FOUR, seed=3, replay=replay)
    assert result.outcome.reason == "last_snake"
    assert sorted(result.outcome.ranks) == [1, 2, 3, 4]
    assert result.outcome.ranks[result.outcome.winner or 0] == 1
    assert all(player.ending in ("won", "drawn", "lost") for player in result.players)
    assert "verified" in arena("replay", "verify", replay)
    arena("replay", "export", replay, "--html", page)
    assert page.stat().st_size > 50_000


def test_the_same_seed_gives_the_same_match() -> None:
    results = [play_match("snakes", FOUR, seed=8) for _ in range(2)]
    assert results[0].outcome == results[1].outcome
    assert results[0].turns == results[1].turns


@pytest.mark.parametrize("players", [2, 8])
def test_as_many_snakes_play_as_there_are_bots(players: int) -> None:
    result = play_match("snakes", ["builtin:hatchling"] * players, seed=1)
    assert len(result.outcome.ranks) == players


def test_other_numbers_of_bots_are_refused() -> None:
    with pytest.raises(ArenaError, match=r"snakes is for 2 to 8 players, not 9\."):
        play_match("snakes", ["builtin:hatchling"] * 9)
    with pytest.raises(ArenaError, match=r"The option players is 3, but there are 2 bots\."):
        play_match("snakes", ["builtin:hatchling"] * 2, options={"players": 3})
