"""Refused actions: every code, in the stated order."""

from __future__ import annotations

from typing import Any

import pytest

from arena.game import IllegalAction, Scripted
from arena_laser_flag.state import Game

WELL_FORMED = [
    {"type": "end_turn"},
    {"type": "move", "unit": "u0", "x": 1, "y": 1},
    {"type": "fire", "unit": "u0", "target": "u1"},
    {"type": "fire_at_base", "unit": "u0", "x": 1, "y": 1},
]


def code(game: Game, action: Any, player: int | None = None) -> str:
    before = game.to_document()
    with pytest.raises(IllegalAction) as caught:
        game.push(game.active_player if player is None else player, action, Scripted([]))
    assert game.to_document() == before
    assert caught.value.message
    return caught.value.code


@pytest.mark.parametrize("action", [None, [], "end_turn", 3, {}, {"type": "jump"}, {"type": 1}, {"type": ["move"]}])
def test_unknown_action(make_game: Any, action: Any) -> None:
    game = make_game()
    assert code(game, action) == "unknown_action"
    assert code(game, action, 1) == "not_your_turn"


@pytest.mark.parametrize("action", WELL_FORMED)
def test_bad_arguments(make_game: Any, action: dict[str, Any]) -> None:
    game = make_game(ruleset="classic")
    assert code(game, {**action, "extra": 1}) == "bad_arguments"
    for key in action.keys() - {"type"}:
        assert code(game, {name: value for name, value in action.items() if name != key}) == "bad_arguments"
        for value in (None, True, 1.0, [], {}, 1 if isinstance(action[key], str) else "1"):
            assert code(game, {**action, key: value}) == "bad_arguments"


@pytest.mark.parametrize("action", [*WELL_FORMED, None])
def test_game_over_comes_first(make_game: Any, act: Any, action: Any) -> None:
    game = make_game(bases=[(1, 1)], units=[(0, "grunt", 5, 0), (1, "grunt", 5, 9)], target_score=[1, None])
    act(game, "fire", "u0", "u1", draws=[6, 6])
    assert code(game, action, 0) == "game_over"
    assert code(game, action, 1) == "game_over"
    assert game.legal_actions() == []


def test_units_that_cannot_be_ordered(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 5, 0), (0, "grunt", 7, 0), (1, "grunt", 5, 9), (1, "grunt", 9, 9)],
        bases=[(0, 0, 0)],
    )
    for kind, where in (("move", (99, 99)), ("fire", ("nobody",)), ("fire_at_base", (99, 99))):
        assert refusal(game, kind, "u9", *where) == "no_such_unit"
        assert refusal(game, kind, "b0", *where) == "no_such_unit"
        assert refusal(game, kind, "game", *where) == "no_such_unit"
        assert refusal(game, kind, "u2", *where) == "not_your_unit"
    act(game, "fire", "u0", "u2", draws=[6, 6])
    for kind, where in (("move", (99, 99)), ("fire", ("nobody",)), ("fire_at_base", (99, 99))):
        assert refusal(game, kind, "u0", *where) == "no_ap"
        assert refusal(game, kind, "u2", *where) == "no_such_unit"
    assert refusal(game, "fire", "u1", "u2") == "no_such_target"


def test_base_shooting_off_comes_before_the_unit(make_game: Any, refusal: Any) -> None:
    assert refusal(make_game(), "fire_at_base", "nobody", 1, 1) == "base_shooting_off"


def test_moves(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(
        units=[(0, "sniper", 5, 0), (0, "grunt", 6, 0), (1, "grunt", 5, 10)], walls=[(4, 0)], void=[(4, 1)]
    )
    assert refusal(game, "move", "u0", 11, 0) == "off_map"
    assert refusal(game, "move", "u0", 0, -1) == "off_map"
    assert refusal(game, "move", "u0", 10**30, 0) == "off_map"
    assert refusal(game, "move", "u0", 4, 0) == "blocked_tile"
    assert refusal(game, "move", "u0", 4, 1) == "blocked_tile"
    assert refusal(game, "move", "u0", 5, 0) == "already_there"
    assert refusal(game, "move", "u0", 6, 0) == "occupied"
    assert refusal(game, "move", "u0", 5, 10) == "occupied"
    assert refusal(game, "move", "u0", 5, 5) == "out_of_reach"
    act(game, "fire", "u0", "u2", draws=[1, 1, 1, 1])
    assert refusal(game, "move", "u0", 99, 99) == "cannot_move_after_firing"


def test_shots(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "scout", 5, 0), (0, "grunt", 0, 0), (1, "grunt", 5, 10), (1, "grunt", 10, 10)],
        bases=[(0, 5, 0), (9, 10, 1), (10, 0)],
        walls=[(5, 5), (8, 9), (9, 9), (10, 9), (8, 10)],
        rules={"target_rule": "active"},
    )
    scout, _, enemy, _ = game.units
    scout.laser = "deactivated"
    assert refusal(game, "fire", "u0", "nobody") == "laser_deactivated"
    scout.laser = "charging"
    assert refusal(game, "fire_at_base", "u0", 99, 99) == "laser_charging"
    scout.laser = "charged"
    assert refusal(game, "fire", "u0", "u9") == "no_such_target"
    assert refusal(game, "fire", "u0", "b0") == "no_such_target"
    assert refusal(game, "fire", "u0", "u0") == "friendly_target"
    assert refusal(game, "fire", "u0", "u1") == "friendly_target"
    enemy.laser = "deactivated"
    assert refusal(game, "fire", "u0", "u2") == "no_line_of_sight"
    assert refusal(game, "fire", "u1", "u2") == "invalid_target"
    assert refusal(game, "fire_at_base", "u0", 0, 0) == "no_such_base"
    assert refusal(game, "fire_at_base", "u0", 99, -1) == "no_such_base"
    assert refusal(game, "fire_at_base", "u0", 0, 5) == "not_an_enemy_base"
    assert refusal(game, "fire_at_base", "u0", 10, 0) == "not_an_enemy_base"
    assert refusal(game, "fire_at_base", "u0", 9, 10) == "no_line_of_sight"
    scout.shots_fired = 1
    assert refusal(game, "fire", "u0", "nobody") == "already_fired"
    assert refusal(game, "fire_at_base", "u0", 99, 99) == "already_fired"


def test_the_classic_sniper_has_two_shots_only_from_standing(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(ruleset="classic", units=[(0, "sniper", 5, 0), (1, "grunt", 5, 10)], rules={"max_ap": 4})
    act(game, "move", "u0", 5, 1, draws=[1, 1])
    act(game, "fire", "u0", "u1", draws=[1, 1])
    assert game.units[0].ap == 0
    game = make_game(ruleset="classic", units=[(0, "sniper", 5, 0), (1, "grunt", 5, 10)], rules={"max_ap": 4})
    act(game, "fire", "u0", "u1", draws=[1, 1])
    assert game.units[0].ap == 3
    act(game, "fire", "u0", "u1", draws=[1, 1])
    assert game.units[0].ap == 0


def test_rules_as_data_change_the_game(make_game: Any, act: Any) -> None:
    game = make_game(
        units=[(0, "basic", 5, 0), (1, "grunt", 5, 10)], rules={"max_ap": 9, "overwatch_triggers": [], "hit_points": 4}
    )
    assert game.units[0].ap == 9
    act(game, "move", "u0", 5, 1)
    act(game, "fire", "u0", "u1", draws=[6, 1])
    assert game.players[0].score == 4


def test_no_opening_overwatch(make_game: Any) -> None:
    game = make_game(rules={"opening_overwatch": False})
    assert game.units[1].overwatch == 0


def test_stance_with_one_ap_is_snap(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 0, 0), (1, "grunt", 10, 10)],
        bases=[(1, 1)],
        walls=[(5, y) for y in range(10)],
    )
    for x in (1, 2):
        act(game, "move", "u0", x, 0)
    act(game, "end_turn")
    unit = game.units[0]
    assert (unit.overwatch, unit.overwatch_mode) == (1, "snap")
    assert game.rules.penalty(unit.numbers, "snap") == 1
    assert game.rules.penalty(unit.numbers, "regular") == 0


def test_carried_overwatch_of_nought_has_no_mode(make_game: Any) -> None:
    game = make_game(rules={"classes": {"grunt": {"max_overwatch": 0}}})
    assert (game.units[1].overwatch, game.units[1].overwatch_mode) == (0, None)


def test_charging_unit_is_hit_again(make_game: Any, act: Any) -> None:
    game = make_game(units=[(0, "grunt", 5, 0), (1, "grunt", 5, 10)], bases=[(5, 2)], rules={"target_rule": "active"})
    unit = game.units[0]
    unit.laser = "deactivated"
    act(game, "move", "u0", 5, 2, draws=[6, 6])
    assert unit.laser == "deactivated"
    act(game, "move", "u0", 5, 3)
    assert game.players[1].score == 1


def test_units_do_not_recharge_at_foreign_bases(make_game: Any, act: Any) -> None:
    parts: dict[str, Any] = {"units": [(0, "grunt", 5, 0), (1, "grunt", 5, 10)], "bases": [(5, 2, 1), (0, 10, 0)]}
    for access, laser in (("team", "deactivated"), ("any", "charging")):
        game = make_game(**parts, rules={"base_access": access, "overwatch_triggers": []})
        game.units[0].laser = "deactivated"
        act(game, "move", "u0", 5, 2)
        assert game.units[0].laser == laser


def test_base_shots_score_trigger_and_end_the_game(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "sniper", 5, 0), (1, "grunt", 5, 10)],
        bases=[(0, 0, 0), (10, 0, 1)],
        target_score=[10, None],
        rules={"overwatch_triggers": ["fire"]},
    )
    act(game, "fire_at_base", "u0", 10, 0, draws=[3, 3, 1, 1])
    assert game.players[0].score == 5
    act(game, "fire_at_base", "u0", 10, 0, draws=[3, 3])
    assert (game.winner, game.reason) == (0, "score")
