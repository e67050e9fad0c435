"""The worked examples 7 to 15 of the specification, which are played games."""

from __future__ import annotations

from typing import Any

from arena_laser_flag.state import Game


def states(game: Game, field: str) -> dict[str, Any]:
    return {unit.id: getattr(unit, field) for unit in game.units}


def scores(game: Game) -> list[int]:
    return [player.score for player in game.players]


def ending(game: Game) -> tuple[int | None, str] | None:
    outcome = game.outcome()
    return outcome and (outcome.winner, outcome.reason)


def shots(game: Game, mark: int) -> list[tuple[str, int, bool]]:
    return [(one["shooter"], one["needed"], one["hit"]) for one in game.events(mark) if one["kind"] == "shot"]


EXAMPLE_7 = {
    "units": [(0, "basic", 5, 0), (0, "basic", 10, 0), (1, "basic", 3, 10), (1, "grunt", 5, 10), (1, "sniper", 7, 10)],
    "bases": [(0, 0)],
}


def test_example_7_reaction_order(make_game: Any, act: Any) -> None:
    game = make_game(**EXAMPLE_7)
    act(game, "move", "u0", 5, 2, draws=[2, 0, 3, 5])
    assert [one["order"] for one in game.events(0) if one["kind"] == "reaction_round"] == [["u4", "u2", "u3"]]
    assert shots(game, 0) == [("u4", 8, True)]
    assert scores(game) == [0, 1]
    assert (game.units[0].laser, game.units[0].ap) == ("deactivated", 2)
    assert states(game, "overwatch") == {"u0": 0, "u1": 0, "u2": 2, "u3": 3, "u4": 1}
    mark = game.mark
    act(game, "move", "u0", 5, 3, draws=[0, 1, 4, 4, 5, 6])
    assert shots(game, mark) == [("u2", 9, False), ("u4", 8, True)]
    assert scores(game) == [0, 2]
    assert states(game, "overwatch") == {"u0": 0, "u1": 0, "u2": 1, "u3": 3, "u4": 0}
    assert game.units[4].overwatch_mode is None


def test_example_7_deactivated_units_do_not_trigger(make_game: Any, act: Any) -> None:
    game = make_game(**EXAMPLE_7, rules={"target_rule": "active_or_on_base"})
    act(game, "move", "u0", 5, 2, draws=[2, 0, 3, 5])
    act(game, "move", "u0", 5, 3)
    assert scores(game) == [0, 1]


EXAMPLE_8 = {"units": [(0, "basic", 5, 0), (1, "sniper", 5, 10), (1, "basic", 0, 10)], "bases": [(5, 2), (5, 6)]}


def test_example_8_charging(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(**EXAMPLE_8)
    unit = game.units[0]
    act(game, "move", "u0", 5, 3, draws=[0, 4, 4])
    assert shots(game, 0) == [("u1", 8, True)]
    assert scores(game) == [0, 1]
    act(game, "move", "u0", 5, 2, draws=[1, 1, 2, 1, 2])
    assert (unit.laser, unit.ap) == ("charging", 1)
    assert states(game, "overwatch") == {"u0": 0, "u1": 0, "u2": 1}
    assert refusal(game, "fire", "u0", "u1") == "laser_charging"
    act(game, "end_turn")
    assert (unit.laser, unit.overwatch, unit.overwatch_mode) == ("charged", 1, "snap")
    mark = game.mark
    act(game, "move", "u2", 0, 8, draws=[4, 5])
    assert shots(game, mark) == [("u0", 9, True)]
    assert scores(game) == [1, 1]


def test_example_8_hit_on_a_base(make_game: Any, act: Any) -> None:
    game = make_game(**EXAMPLE_8)
    unit = game.units[0]
    act(game, "move", "u0", 5, 3, draws=[0, 4, 4])
    act(game, "move", "u0", 5, 2, draws=[0, 6, 2])
    assert (unit.laser, unit.ap, unit.place) == ("deactivated", 1, (5, 2))
    act(game, "move", "u0", 4, 2, draws=[1, 1])
    assert (unit.laser, unit.ap) == ("deactivated", 0)


def test_example_9_alpha_sniper(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(units=[(0, "sniper", 5, 0), (1, "grunt", 5, 10), (1, "scout", 0, 10)], bases=[(0, 0)])
    sniper = game.units[0]
    act(game, "move", "u0", 5, 1, draws=[1, 2, 1, 1, 2])
    assert sniper.ap == 2
    mark = game.mark
    act(game, "fire", "u0", "u1", draws=[2, 3, 0, 1, 2, 1, 2])
    assert shots(game, mark)[0] == ("u0", 6, False)
    assert sniper.ap == 1
    assert refusal(game, "move", "u0", 5, 2) == "cannot_move_after_firing"
    act(game, "fire", "u0", "u1", draws=[4, 4])
    assert scores(game) == [1, 0]
    assert sniper.ap == 0
    assert states(game, "overwatch") == {"u0": 0, "u1": 0, "u2": 0}
    assert refusal(game, "fire", "u0", "u2") == "no_ap"
    act(game, "end_turn")
    assert sniper.overwatch == 0


EXAMPLE_10 = {
    "ruleset": "classic",
    "units": [(0, "sniper", 5, 0), (0, "scout", 7, 0), (1, "grunt", 5, 10), (1, "scout", 0, 10)],
    "bases": [(0, 0, 0), (10, 10, 1)],
}


def test_example_10_classic(make_game: Any, act: Any, refusal: Any) -> None:
    game = make_game(**EXAMPLE_10)
    sniper, scout, *enemies = game.units
    assert [(enemy.overwatch, enemy.overwatch_mode) for enemy in enemies] == [(1, "regular")] * 2
    act(game, "fire", "u0", "u2", draws=[1, 1])
    assert sniper.ap == 2
    assert refusal(game, "move", "u0", 5, 1) == "cannot_move_after_firing"
    act(game, "fire", "u0", "u3", draws=[3, 3])
    assert sniper.ap == 0
    act(game, "fire", "u1", "u2", draws=[4, 4])
    assert scout.ap == 2
    act(game, "move", "u1", 9, 2)
    assert scout.ap == 1
    assert refusal(game, "fire", "u1", "u3") == "already_fired"
    act(game, "end_turn")
    assert [unit.overwatch for unit in (sniper, scout)] == [0, 0]


def test_example_10_base_shooting(make_game: Any, act: Any) -> None:
    game = make_game(**EXAMPLE_10)
    act(game, "move", "u1", 7, 1, draws=[0, 1, 1, 1, 2])
    mark = game.mark
    act(game, "fire_at_base", "u1", 10, 10, draws=[3, 3])
    assert shots(game, mark) == [("u1", 6, True)]
    assert scores(game) == [5, 0]
    assert game.units[1].ap == 1


def test_example_11_checkmate(make_game: Any, act: Any) -> None:
    game = make_game(units=[(0, "basic", 5, 5), (0, "basic", 4, 2), (1, "basic", 5, 8)], bases=[(5, 7), (5, 8)])
    act(game, "fire", "u0", "u2", draws=[4, 4])
    act(game, "move", "u1", 4, 6)
    act(game, "move", "u1", 5, 7)
    assert game.outcome() is None
    act(game, "end_turn")
    act(game, "move", "u2", 6, 8, draws=[1, 1])
    act(game, "move", "u2", 8, 10)
    act(game, "end_turn")
    act(game, "move", "u0", 5, 8)
    assert ending(game) == (0, "checkmate")
    assert game.to_move() == ()


def test_example_12_attackers_without_target(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 5, 0), (1, "scout", 5, 8), (1, "scout", 0, 8)],
        bases=[(0, 0, 0)],
        rules={"base_shooting": False},
    )
    assert game.mode == "assault"
    act(game, "fire", "u0", "u1", draws=[6, 6])
    assert (scores(game), game.eliminated) == ([1, 0], ("u1",))
    act(game, "end_turn")
    act(game, "fire", "u2", "u0", draws=[6, 6])
    assert (scores(game), game.units[0].laser) == ([1, 1], "deactivated")
    act(game, "end_turn")
    act(game, "move", "u0", 0, 0)
    act(game, "end_turn")
    act(game, "fire", "u2", "u0", draws=[1, 1])
    act(game, "end_turn")
    assert game.units[0].laser == "charged"
    act(game, "fire", "u0", "u2", draws=[6, 6])
    assert scores(game) == [2, 1]
    assert ending(game) == (0, "elimination")


def test_example_12_equal_scores_are_a_draw(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 5, 0), (1, "scout", 5, 8), (1, "scout", 0, 8)],
        bases=[(0, 0, 0)],
        rules={"base_shooting": False},
    )
    game.players[1].score = 2
    act(game, "fire", "u0", "u1", draws=[6, 6])
    act(game, "end_turn")
    act(game, "end_turn")
    act(game, "fire", "u0", "u2", draws=[6, 6])
    assert ending(game) == (None, "elimination")


def test_attackers_with_a_target_loses_when_it_is_eliminated(make_game: Any, act: Any) -> None:
    game = make_game(
        ruleset="classic",
        units=[(0, "grunt", 5, 0), (1, "scout", 5, 8)],
        bases=[(0, 0, 0)],
        target_score=[None, 9],
    )
    game.players[1].score = 8
    act(game, "fire", "u0", "u1", draws=[6, 6])
    assert ending(game) == (0, "elimination")


def test_example_13_fog_bump(make_game: Any, act: Any) -> None:
    game = make_game(
        units=[(0, "scout", 4, 8), (1, "basic", 6, 8)],
        walls=[(5, y) for y in range(10)],
        rules={"fog_of_war": True},
    )
    scout, basic = game.units
    assert not game.sees(0, basic)
    assert not game.sees(1, scout)
    assert {"type": "move", "unit": "u0", "x": 6, "y": 8} in game.legal_actions()
    act(game, "move", "u0", 6, 8)
    assert (scout.place, scout.ap, scout.moved, basic.overwatch) == ((4, 8), 2, True, 2)
    assert game.events(0, 0) == [{"kind": "bump", "unit": "u0", "x": 6, "y": 8}]
    assert game.events(0, 1) == []


def test_example_14_turn_limit(make_game: Any, act: Any) -> None:
    for first_score, expected in ((1, (None, "turn_limit")), (2, (0, "turn_limit")), (0, (1, "turn_limit"))):
        game = make_game(turn_limit=3)
        game.players[0].score, game.players[1].score = first_score, 1
        for _ in range(6):
            assert game.outcome() is None
            act(game, "end_turn")
        assert game.turn == 7
        assert ending(game) == expected


def test_example_15_score_before_reaction(make_game: Any, act: Any) -> None:
    game = make_game(
        units=[(0, "basic", 5, 0), *((1, "basic", x, 10) for x in (2, 5, 8))], bases=[(0, 0)], target_score=[1, None]
    )
    assert [unit.overwatch for unit in game.units] == [0, 2, 2, 2]
    act(game, "fire", "u0", "u2", draws=[6, 6])
    assert ending(game) == (0, "score")
