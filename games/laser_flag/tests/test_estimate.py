"""Estimates of who will win."""

from __future__ import annotations

import pytest

from arena.match.lookup import find_game

GAME = find_game("laser_flag")


def test_a_lead_and_a_charged_laser_are_worth_something() -> None:
    state = GAME.start({})
    first, second = state.evaluate()
    assert first + second == pytest.approx(1)
    assert 0.3 < first < 0.7
    state.players[1].units[0].laser = "deactivated"
    charged = state.evaluate()[0]
    assert charged > first
    state.players[0].score = 8
    assert state.evaluate()[0] > charged


def test_an_assault_has_no_estimate() -> None:
    assert GAME.start({"map": "citadel"}).evaluate() is None
