"""Estimates of who will win."""

from __future__ import annotations

import pytest

from arena.game import Seeded
from arena.match.lookup import find_game

GAME = find_game("snakes")


def test_space_length_and_health_are_worth_something() -> None:
    start = GAME.start({"players": 2, "size": 7}, Seeded("estimate"))
    document = start.to_document()
    first, second = document["snakes"]
    first["body"], second["body"] = [[1, 3], [1, 4], [1, 5]], [[5, 3], [5, 4], [5, 5]]
    assert GAME.load(document, start.options).evaluate() == pytest.approx((0.5, 0.5), abs=0.03)
    second["health"] = 20
    hungry = GAME.load(document, start.options).evaluate()[1]
    assert 0.2 < hungry < 0.5
    second["body"] = [[5, 3], [5, 4]]
    short = GAME.load(document, start.options).evaluate()[1]
    assert short < hungry
    second["body"] = [[6, 6], [6, 5], [5, 5], [5, 6], [4, 6]]
    assert GAME.load(document, start.options).evaluate()[1] < 0.05, "it cannot move"


def test_the_eliminated_have_no_share() -> None:
    state = GAME.start({"players": 4}, Seeded("estimate"))
    state.snakes[2].cause = "left"
    shares = state.evaluate()
    assert shares[2] == 0
    assert sum(shares) == pytest.approx(1)
