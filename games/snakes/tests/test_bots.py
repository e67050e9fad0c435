"""The built-in bots play without a refused action, and each beats the weaker ones."""

from typing import Any

import pytest
from threaded_bots import bot_class

from arena.bots.builtin import builtin_bot
from arena_snakes import GAME


@pytest.fixture(scope="module")
def bots() -> dict[str, Any]:
    return {bot.name: bot_class(builtin_bot(GAME, bot.name)) for bot in GAME.bots}


def wins(in_process: Any, first: Any, second: Any, games: int) -> int:
    """Count the games of two against two that a snake of the first bot wins, with the seats rotated."""
    won = 0
    for seed in range(games):
        seats = [first, second] * 2 if seed % 2 else [second, first] * 2
        state, threads = in_process.play(seats, seed)
        assert [thread.refusals for thread in threads] == [[]] * 4
        winner = state.outcome().winner
        won += winner is not None and seats[winner] is first
    return won


@pytest.mark.slow
def test_weakest_first(in_process: Any, bots: dict[str, Any]) -> None:
    assert list(bots) == ["hatchling", "forager", "constrictor"]
    assert wins(in_process, bots["forager"], bots["hatchling"], 10) >= 8
    assert wins(in_process, bots["constrictor"], bots["forager"], 10) >= 8


@pytest.mark.parametrize("name", ["hatchling", "forager", "constrictor"])
def test_same_seed_same_match(in_process: Any, bots: dict[str, Any], name: str) -> None:
    digests = {in_process.play([bots[name]] * 3, 3)[0].digest() for _ in range(2)}
    assert len(digests) == 1


@pytest.mark.parametrize("options", [{"size": 7, "players": 8}, {"size": 19}, {"minimum_food": 0}], ids=str)
def test_they_play_on_under_other_options(in_process: Any, bots: dict[str, Any], options: dict[str, int]) -> None:
    names = [*bots, "hatchling"] * 2
    seats = [bots[name] for name in names[: options.get("players", 4)]]
    state, threads = in_process.play(seats, 1, {"food_spawn_chance": 5, **options})
    assert state.outcome() is not None
    assert not any(thread.refusals for thread in threads)
