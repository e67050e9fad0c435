"""Estimates of who will win."""

from __future__ import annotations

import pytest

from arena.match.lookup import find_game

GAME = find_game("derelict")


def test_units_are_worth_something() -> None:
    state = GAME.start({"mission": "crossways"})
    marines, aliens = state.evaluate()
    assert marines + aliens == pytest.approx(1)
    assert 0.2 < marines < 0.8
    units = state.units
    state.units = units[:-1]
    assert state.evaluate()[0] > marines
    state.units = units[1:]
    assert state.evaluate()[0] < marines


def test_a_mission_with_an_objective_has_no_estimate() -> None:
    assert GAME.start({"mission": "pump_station"}).evaluate() is None
