"""The built-in bots play without a refused action, and each beats the weaker ones."""

from typing import Any

import pytest

from arena.game import Seeded
from arena.match.result import MatchResult
from arena.play.memory import MatchInMemory, bot_class
from arena_snakes import GAME


@pytest.fixture(scope="module")
def bots() -> dict[str, Any]:
    return {bot.name: bot_class(GAME, f"builtin:{bot.name}") for bot in GAME.bots}


def play(bots: list[Any], seed: int, options: dict[str, int] | None = None) -> MatchResult:
    """Play a whole game in which no action is refused. The seed is that of all draws."""
    chance = Seeded(seed)
    state = GAME.start({"players": len(bots), **(options or {})}, chance)
    match = MatchInMemory.from_state(GAME, state, bots, chance, raises=True)
    match.play()
    assert match.outcome is not None
    assert not any(player.refusals for player in match.result().players)
    return match.result()


def wins(first: Any, second: Any, games: int) -> int:
    """Count the games of two against two that a snake of the first bot wins, with the seats rotated."""
    won = 0
    for seed in range(games):
        seats = [first, second] * 2 if seed % 2 else [second, first] * 2
        winner = play(seats, seed).outcome.winner
        won += winner is not None and seats[winner] is first
    return won


@pytest.mark.kill  # many whole matches
@pytest.mark.slow
def test_weakest_first(bots: dict[str, Any]) -> None:
    assert list(bots) == ["hatchling", "forager", "constrictor"]
    assert wins(bots["forager"], bots["hatchling"], 10) >= 8
    assert wins(bots["constrictor"], bots["forager"], 10) >= 8


@pytest.mark.parametrize("name", ["hatchling", "forager", "constrictor"])
def test_same_seed_same_match(bots: dict[str, Any], name: str) -> None:
    digests = {play([bots[name]] * 3, 3).digest for _ in range(2)}
    assert len(digests) == 1


@pytest.mark.parametrize("options", [{"size": 7, "players": 8}, {"size": 19}, {"minimum_food": 0}], ids=str)
def test_they_play_on_under_other_options(bots: dict[str, Any], options: dict[str, int]) -> None:
    names = [*bots, "hatchling"] * 2
    seats = [bots[name] for name in names[: options.get("players", 4)]]
    play(seats, 1, {"food_spawn_chance": 5, **options})
