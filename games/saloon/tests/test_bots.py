"""The built-in bots play without a refused action, and each beats the weaker ones."""

from typing import Any

import pytest
from threaded_bots import bot_class

from arena.bots.builtin import builtin_bot
from arena_saloon import GAME


@pytest.fixture(scope="module")
def bots() -> dict[str, Any]:
    return {bot.name: bot_class(builtin_bot(GAME, bot.name)) for bot in GAME.bots}


def wins(in_process: Any, first: Any, second: Any, games: int) -> int:
    """Count the games that the first bot wins, with each map played from both sides."""
    won = 0
    for number in range(games):
        swapped = number % 2
        state, _ = in_process.play([second, first] if swapped else [first, second], 1000 + number // 2)
        won += state.outcome().winner == swapped
    return won


@pytest.mark.slow
def test_weakest_first(in_process: Any, bots: dict[str, Any]) -> None:
    assert list(bots) == ["rowdy", "pianist", "sheriff"]
    assert wins(in_process, bots["pianist"], bots["rowdy"], 10) == 10
    assert wins(in_process, bots["sheriff"], bots["pianist"], 10) >= 8
    assert wins(in_process, bots["sheriff"], bots["rowdy"], 20) >= 19


@pytest.mark.parametrize("name", ["rowdy", "pianist", "sheriff"])
def test_same_seed_same_match(in_process: Any, bots: dict[str, Any], name: str) -> None:
    digests = {in_process.play([bots[name], bots["sheriff"]], 3)[0].digest() for _ in range(2)}
    assert len(digests) == 1


@pytest.mark.parametrize("options", [{"width": 6, "height": 6}, {"rowdiness_to_siesta": 1}, {"max_cowboys_per_job": 4}])
def test_they_play_on_under_other_options(in_process: Any, bots: dict[str, Any], options: dict[str, int]) -> None:
    for name, bot in bots.items():
        state, seats = in_process.play([bot, bots["sheriff"]], 1, {"max_turns": 80, **options})
        assert state.outcome() is not None, name
        for seat in seats:
            assert {code for _, code in seat.refusals} <= {"drunk", "already_moved", "dead", "busy"}


def test_the_sheriff_fights(in_process: Any, bots: dict[str, Any]) -> None:
    kinds: set[str] = set()
    for seed in range(4):
        state, _ = in_process.play([bots["sheriff"], bots["pianist"]], seed)
        kinds |= {event["kind"] for event in state.events(0)}
    assert {"play", "shot", "splash", "bottle_broken", "punch", "siesta_begins", "siesta_ends", "death"} <= kinds
