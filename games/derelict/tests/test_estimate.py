"""Estimates of who will win."""

from __future__ import annotations

from random import Random

import pytest

from arena.match.lookup import find_game
from arena_derelict.estimate import shares
from arena_derelict.map_files import MISSIONS

GAME = find_game("derelict")


def changed(state, **units: dict):
    """The position with other units: other values of some, without those that are None."""
    document = state.to_document()
    document["units"] = [
        unit | units.get(unit["id"], {}) for unit in document["units"] if units.get(unit["id"], {}) is not None
    ]
    return GAME.load(document, state.options).evaluate()[0]


@pytest.mark.parametrize("mission", MISSIONS)
def test_every_mission_has_an_estimate_which_units_change(mission: str) -> None:
    state = GAME.start({"mission": mission})
    marines, aliens = state.evaluate()
    assert marines + aliens == pytest.approx(1)
    assert 0.03 < marines < 0.97
    assert changed(state, m1=None) < marines
    last = state.units[-1]
    if last.player:
        assert changed(state, **{last.id: None}) > marines


def test_the_way_of_the_flamer_and_the_contacts_on_it_count() -> None:
    state = GAME.start({"mission": "pump_station"})
    marines = changed(state)
    near = {"x": 14, "y": 8}
    assert changed(state, m2=near) > 2 * marines, "it burns the objective soon"
    assert changed(state, m1=near) == pytest.approx(marines), "others cannot"
    assert changed(state, m2={"x": 5, "y": 8}) == pytest.approx(marines), "the start cell nearest to the objective"
    assert changed(state, m2=None) == 0


def test_the_numbers_in_blips_are_not_used() -> None:
    state = GAME.start({"mission": "crossways"})
    views = [state.view(0), state.view(1)]
    worlds = [GAME.state_from_view(view, state.options_for(player), player) for player, view in enumerate(views)]
    drawn = GAME.state.determinize(views[0], 0, Random(0), worlds[0].options)
    assert [world.evaluate() for world in (*worlds, drawn)] == [state.evaluate()] * 3


@pytest.mark.parametrize(
    "unusual",
    [{"turn_limit": 0}, {"limit_winner": "alien"}, {"mission": "pump_station", "limit_winner": "marine"}],
)
def test_a_mission_of_an_unusual_kind_has_no_estimate(unusual: dict) -> None:
    assert shares(GAME.start(unusual)) is None
