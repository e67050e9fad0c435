"""Fog of war: players get no information on hidden units, and guesses agree with what they see."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import IllegalAction, Scripted, Seeded
from arena_laser_flag import GAME
from arena_laser_flag.map_files import map_names
from arena_laser_flag.state import Game
from arena_laser_flag.visibility import known_units
from arena_replays.state import fold

FOG = {"fog_of_war": True, "hard_turn_limit": 8}
CASES = st.tuples(st.sampled_from(map_names()), st.integers(0, 2**32))


def start(name: str, **rules: Any) -> Game:
    game = GAME.start({"map": name, "rules": {**FOG, **rules}})
    assert isinstance(game, Game)
    return game


def choose(game: Game, rng: Random) -> dict[str, Any]:
    actions = game.legal_actions()
    shots = [action for action in actions if action["type"].startswith("fire")]
    return rng.choice(shots if shots and rng.random() < 0.5 else actions)


def mentions(document: Any, id_: str) -> bool:
    return f'"{id_}"' in json.dumps(document)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(CASES)
def test_nothing_hidden_gets_out(case: tuple[str, int]) -> None:
    game = start(case[0])
    rng, chance = Random(case[1]), Seeded(case[1])
    views: list[dict[str, dict[str, Any]]] = [{}, {}]
    for player in (0, 1):
        fold(views[player], game.view(player))
    for _ in range(100):
        if game.outcome() is not None:
            break
        seen_before = [{unit.id for unit in known_units(game, player)} for player in (0, 1)]
        mover = game.active_player
        mark = game.push(mover, choose(game, rng), chance)
        for player in (0, 1):
            seen = {unit.id for unit in known_units(game, player)}
            hidden = {unit.id for unit in game.units} - seen
            delta, events = game.delta(mark, player), game.events(mark, player)
            fold(views[player], delta)
            fresh: dict[str, dict[str, Any]] = {}
            fold(fresh, game.view(player))
            assert views[player] == fresh
            assert {id_ for id_ in fresh if id_[0] == "u"} == seen
            for id_ in hidden:
                assert not mentions(list(fresh.values()), id_)
                assert not mentions(delta, id_) or id_ in seen_before[player]
            named = {one[key] for one in events for key in ("shooter", "target", "unit") if one.get(key)}
            shown = {one["shooter"] for one in events if one["kind"] == "shot"}
            assert named - shown <= seen | seen_before[player] | set(game.eliminated)
        if game.outcome() is None:
            hidden = {unit.id for unit in game.units} - {unit.id for unit in known_units(game, game.active_player)}
            assert not any(mentions(game.legal_actions(), id_) for id_ in hidden)


@settings(max_examples=20, deadline=None)
@given(CASES, st.booleans())
def test_guesses_agree_with_the_view(case: tuple[str, int], informed: bool) -> None:
    game = start(case[0])
    rng, chance = Random(case[1]), Seeded(case[1])
    for _ in range(rng.randrange(60)):
        if game.outcome() is None:
            game.push(game.active_player, choose(game, rng), chance)
    for player in (0, 1):
        options = game.options if informed else GAME.resolve_options(game.options_for(player))
        guess = Game.determinize(game.view(player), player, rng, options)
        seen, expected = {}, {}
        fold(seen, guess.view(player))
        fold(expected, game.view(player))
        assert seen == expected
        assert guess.mark == 0
        if informed:
            assert {unit.id for unit in guess.units} == {unit.id for unit in game.units}
            assert {u.id: u.unit_class for u in guess.units} == {u.id: u.unit_class for u in game.units}
        if guess.outcome() is None:
            guess.push(guess.active_player, rng.choice(guess.legal_actions()), Seeded(1))


def test_guesses_vary() -> None:
    game = start("granary")
    places = {
        tuple(unit.place for unit in Game.determinize(game.view(0), 0, Random(seed), game.options).units)
        for seed in range(10)
    }
    assert len(places) > 1


def test_options_for_a_player_list_own_units_only() -> None:
    game = start("crossroads")
    for player in (0, 1):
        options = game.options_for(player)
        assert {one["player"] for one in options["map"]["units"]} == {player}
        assert options["rules"]["fog_of_war"] is True
    assert len(game.options.map["units"]) == 8
    assert len(GAME.start({}).options_for(0)["map"]["units"]) == 8


HIDDEN = {
    "units": [(0, "scout", 4, 8), (0, "grunt", 0, 0), (1, "basic", 6, 8), (1, "grunt", 10, 0)],
    "walls": [(5, y) for y in range(10)],
}


@pytest.fixture
def game(make_game: Any) -> Game:
    made = make_game(**HIDDEN, rules={"fog_of_war": True})
    assert isinstance(made, Game)
    return made


def code(game: Game, action: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(IllegalAction) as caught:
        game.push(game.active_player, action, Scripted([]))
    return caught.value.code, caught.value.message


def test_hidden_units_are_refused_like_those_that_do_not_exist(game: Game) -> None:
    move = {"type": "move", "x": 1, "y": 1}
    assert code(game, {**move, "unit": "u2"}) == code(game, {**move, "unit": "u9"})
    assert code(game, {**move, "unit": "u2"})[0] == "no_such_unit"
    fire = {"type": "fire", "unit": "u0"}
    assert code(game, {**fire, "target": "u2"}) == code(game, {**fire, "target": "u9"})
    assert code(game, {**fire, "target": "u2"})[0] == "no_such_target"


def test_a_bump_into_a_blocked_way(make_game: Any, act: Any) -> None:
    """A move is refused if an unseen unit blocks the only way to the tile."""
    game = make_game(
        units=[(0, "grunt", 0, 8), (1, "grunt", 2, 10)],
        walls=[(x, 9) for x in range(1, 11)],
        rules={"fog_of_war": True},
    )
    grunt, blocker = game.units
    assert not game.sees(0, blocker)
    act(game, "move", "u0", 3, 10)
    assert (grunt.place, grunt.ap, grunt.moved, blocker.overwatch) == ((0, 8), 2, True, 3)


def test_a_shot_makes_the_shooter_known_to_its_target(make_game: Any, act: Any) -> None:
    game = make_game(units=[(0, "grunt", 5, 0), (1, "grunt", 5, 9)], bases=[(0, 0)], rules={"fog_of_war": True})
    act(game, "fire", "u0", "u1", draws=[6, 6])
    for player in (0, 1):
        assert game.events(0, player) == game.events(0)


def test_a_shot_at_a_base_does_not_betray_the_shooter(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 5, 0), (1, "grunt", 0, 10)],
        walls=[(x, 9) for x in range(4)],
        bases=[(0, 0, 0), (10, 5, 1)],
        rules={"fog_of_war": True},
    )
    assert not game.sees(1, game.units[0])
    act(game, "fire_at_base", "u0", 10, 5, draws=[3, 3])
    shot, scored = game.events(0, 1)
    assert shot == {
        "kind": "shot",
        "shooter": None,
        "target": None,
        "base": [10, 5],
        "dice": [3, 3],
        "hit": True,
        "reaction": False,
    }
    assert scored == {"kind": "score", "player": 0, "points": 5, "score": 5}
    assert not mentions(game.delta(0, 1), "u0")
    assert game.events(0, 0)[0]["shooter"] == "u0"


def test_deactivated_units_see(game: Game) -> None:
    watcher, target = game.units[1], game.units[3]
    watcher.x, watcher.y = 5, 10
    target.x, target.y = 9, 10
    watcher.laser = "deactivated"
    assert game.sees(0, target)
    assert game.sees(1, watcher)


def test_fog_traces_list_what_each_player_sees(game: Game) -> None:
    assert GAME.trace.extras(game) == {"visible": [["u0", "u1"], ["u2", "u3"]]}
    assert GAME.trace.extras(GAME.start({})) == {}


def test_without_fog_everybody_sees_everything(make_game: Any) -> None:
    game = make_game(**HIDDEN)
    assert game.view(0) == game.view(1) == game.view()
    assert not game.hides_information()
    assert GAME.start({"rules": {"fog_of_war": True}}).hides_information()
