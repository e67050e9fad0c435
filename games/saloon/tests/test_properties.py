"""Invariants of all positions of all games."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import IllegalAction, Sampled, Seeded
from arena_saloon import GAME
from arena_saloon.words import DIRECTIONS, JOBS

SEEDS = st.integers(0, 10**9)
SMALL = st.fixed_dictionaries(
    {
        "width": st.sampled_from([6, 8, 12]),
        "height": st.sampled_from([6, 8]),
        "max_turns": st.sampled_from([1, 2, 31, 80]),
        "cowboy_health": st.sampled_from([1, 4, 10]),
        "piano_health": st.sampled_from([1, 5, 48]),
        "furnishing_health": st.sampled_from([1, 16]),
        "max_cowboys_per_job": st.sampled_from([0, 1, 2, 5]),
        "sharpshooter_damage": st.sampled_from([0, 4]),
        "brawler_damage": st.sampled_from([0, 1, 3]),
        "hazard_damage": st.sampled_from([0, 1]),
        "collision_damage": st.sampled_from([0, 1, 2]),
        "turns_drunk": st.sampled_from([1, 5]),
        "bartender_cooldown": st.sampled_from([1, 5]),
        "rowdiness_to_siesta": st.sampled_from([1, 2, 8]),
        "siesta_length": st.sampled_from([1, 3, 8]),
    }
)


def every_document(state: Any) -> list[dict[str, Any]]:
    """List all actions that name existing objects, legal or not."""
    ids = list(state._entities)
    cowboys = [one for one in ids if one[0] == "c"]
    listed: list[dict[str, Any]] = [{"type": "end_turn"}]
    listed += [{"type": "call_in", "young_gun": gun, "job": job} for gun in ("g0", "g1") for job in JOBS]
    for one in cowboys:
        cowboy = state.entity(one)
        x, y = (cowboy.x, cowboy.y) if cowboy.x is not None else (3, 3)
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (2, 0)):
            place = {"cowboy": one, "x": x + dx, "y": y + dy}
            listed.append({"type": "move", **place})
            directions = DIRECTIONS if cowboy.job == "Bartender" else ("",)
            listed += [{"type": "act", **place, "drunk_direction": word} for word in directions]
        listed += [{"type": "play", "cowboy": one, "furnishing": other} for other in ids if other[0] == "f"]
    return listed


def check_invariants(state: Any) -> None:
    options = state.options
    document = state.to_document()
    assert json.loads(json.dumps(document)) == document
    cowboys = document["cowboys"] + document["arrivals"]
    places = [(one["x"], one["y"]) for one in cowboys + document["furnishings"] + document["bottles"]]
    places = [place for place in places if place != (None, None)]
    assert len(set(places)) == len(places), "at most one thing on a tile"
    right, bottom = document["width"] - 1, document["height"] - 1
    assert all(0 < x < right and 0 < y < bottom for x, y in places)
    assert len(document["arrivals"]) <= 1
    for player in document["players"]:
        assert 0 <= player["rowdiness"] < options.rowdiness_to_siesta
        assert 0 <= player["siesta"] <= options.siesta_length
        gun = player["young_gun"]
        assert gun["x"] in (0, right) or gun["y"] in (0, bottom)
        assert abs(gun["x"] - gun["call_in"][0]) <= 1
        assert abs(gun["y"] - gun["call_in"][1]) <= 1
    for one in cowboys:
        assert one["is_dead"] == (one["health"] == 0) == (one["x"] is None) == (one["y"] is None)
        assert 0 <= one["health"] <= options.cowboy_health
        assert one["focus"] == 0 or one["job"] == "Sharpshooter"
        assert one["drunk_direction"] == "" or one["is_drunk"]
        assert not (one["is_drunk"] and one["can_move"])
        assert one["turns_busy"] >= 0
    for one in document["furnishings"]:
        assert one["is_destroyed"] == (one["health"] == 0) == (one["x"] is None)
    numbers = [int(one["id"][1:]) for one in cowboys]
    assert numbers == sorted(set(numbers))
    assert document["next_id"]["cowboy"] > max(numbers, default=0)
    assert (state.outcome() is None) == (state.to_move() == (document["current_player"],))
    assert document["current_turn"] < options.max_turns


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, options=SMALL)
def test_invariants_hold_and_every_game_ends(kit: Any, seed: int, options: dict[str, int]) -> None:
    state = kit.play_randomly(seed, options, look=check_invariants)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.winner in (0, 1)
    cause, criterion = outcome.reason.split("/")
    assert cause in ("pianos_destroyed", "max_turns", "out_of_reach")
    assert criterion in ("score", "kills", "coin_flip")


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, options=SMALL, turns=st.integers(0, 60))
def test_exactly_the_listed_actions_are_accepted(kit: Any, seed: int, options: dict[str, int], turns: int) -> None:
    state: Any = kit.play_randomly(seed, options, turns)
    before = state.to_document()
    listed = state.legal_actions()
    assert len({json.dumps(one, sort_keys=True) for one in listed}) == len(listed)
    for action in every_document(state) + [one for one in listed if one not in every_document(state)]:
        try:
            mark = state.push(state.current_player, action, Seeded(0))
        except IllegalAction:
            assert action not in listed
        else:
            assert action in listed
            state.pop(mark)
        assert state.to_document() == before
    if state.to_move():
        assert state.legal_actions(1 - state.current_player) == []


@settings(deadline=None, max_examples=30)
@given(seed=SEEDS, options=SMALL, turns=st.integers(0, 60), data=st.data())
def test_undo_clone_document_and_view(
    kit: Any, seed: int, options: dict[str, int], turns: int, data: st.DataObject
) -> None:
    state: Any = kit.play_randomly(seed, options, turns)
    before = state.to_document()
    clone = state.clone()
    assert clone.to_document() == before
    assert GAME.load(before, state.options).to_document() == before
    assert GAME.state_from_view(state.view(), state.options).to_document() == before
    start = state.mark
    chance = Sampled(data.draw(st.randoms(use_true_random=False)))
    for _ in range(30):
        if not state.to_move():
            break
        state.push(state.current_player, data.draw(st.sampled_from(state.legal_actions())), chance)
    assert clone.to_document() == before
    state.pop(start)
    assert state.to_document() == before
    assert state.legal_actions() == clone.legal_actions()
    assert sorted(state._entities) == sorted(clone._entities)
    if clone.to_move():
        clone.push(clone.current_player, {"type": "end_turn"}, Seeded(0))
        assert state.to_document() == before


@pytest.mark.parametrize("seed", range(3))
def test_whole_games_with_the_usual_options(kit: Any, seed: int) -> None:
    assert kit.play_randomly(seed, look=check_invariants).outcome() is not None


def test_same_seed_same_game(kit: Any) -> None:
    first, second = kit.play_randomly(5), kit.play_randomly(5)
    assert first.digest() == second.digest()
    assert first.digest() != kit.play_randomly(6).digest()
