"""The published cases of the rules, in their own coordinates: rows count from the bottom."""

from typing import Any

import pytest

from arena.game.action import LEAVE
from arena_snakes import turns

HEAD, BODY, SELF, WALL, HUNGER = (
    "head-collision",
    "snake-collision",
    "snake-self-collision",
    "wall-collision",
    "out-of-health",
)
LIVES = ("", None)


# -- whole turns -------------------------------------------------------------------------------------


def test_a_snake_moves_eats_and_grows(kit: Any) -> None:
    stage = kit.Stage([(1, 1), (1, 2)], [(3, 4), (3, 3)], [(0, 0)], food=[(0, 0), (1, 0)], out=[2])
    stage.move("down", "up")
    assert stage.body(0) == [(1, 0), (1, 1), (1, 1)]
    assert stage.body(1) == [(3, 5), (3, 4)]
    assert [snake.health for snake in stage.state.snakes] == [100, 99, 100]
    assert stage.food == [(0, 0)]


def test_two_snakes_that_move_into_each_other_are_both_out(kit: Any) -> None:
    stage = kit.Stage([(1, 1), (2, 1)], [(1, 2), (2, 2)], health=[99, 99])
    stage.move("up", "down")
    assert (stage.body(0), stage.body(1)) == ([(1, 2), (1, 1)], [(1, 1), (1, 2)])
    assert stage.fates == [(BODY, 1), (BODY, 0)]
    assert [(snake.health, snake.eliminated_on) for snake in stage.state.snakes] == [(98, 1), (98, 1)]


def test_a_snake_that_eats_in_its_last_move_lives(kit: Any) -> None:
    bodies = [(0, 2), (0, 1), (0, 0)], [(3, 2), (3, 3), (3, 4)]
    stage = kit.Stage(*bodies, health=[1, 1], food=[(0, 3), (9, 9)])
    stage.move("up", "down")
    assert stage.body(0) == [(0, 3), (0, 2), (0, 1), (0, 1)]
    assert [snake.health for snake in stage.state.snakes] == [100, 0]
    assert stage.fates == [LIVES, (HUNGER, None)]
    assert stage.food == [(9, 9)]


def test_heads_that_meet_on_food_both_eat_and_equals_are_out(kit: Any) -> None:
    bodies = [(0, 2), (0, 1), (0, 0)], [(0, 4), (0, 5), (0, 6)]
    stage = kit.Stage(*bodies, health=[10, 10], food=[(0, 3), (9, 9)], turn=41)
    stage.move("up", "down")
    assert stage.body(0) == [(0, 3), (0, 2), (0, 1), (0, 1)]
    assert stage.body(1) == [(0, 3), (0, 4), (0, 5), (0, 5)]
    assert [(snake.health, snake.eliminated_on) for snake in stage.state.snakes] == [(100, 42), (100, 42)]
    assert stage.fates == [(HEAD, 1), (HEAD, 0)]
    assert stage.food == [(9, 9)]


def test_heads_that_meet_on_food_both_eat_and_the_longer_snake_lives(kit: Any) -> None:
    bodies = [(0, 2), (0, 1), (0, 0)], [(0, 4), (0, 5), (0, 6), (0, 7)]
    stage = kit.Stage(*bodies, health=[10, 10], food=[(0, 3), (9, 9)], turn=41)
    stage.move("up", "down")
    assert stage.body(1) == [(0, 3), (0, 4), (0, 5), (0, 6), (0, 6)]
    assert stage.fates == [(HEAD, 1), LIVES]


def test_eliminated_snakes_are_in_nobodys_way(kit: Any) -> None:
    dead = [(0, y) for y in range(7)]
    stage = kit.Stage([(0, 2), (0, 1), (0, 0)], [(0, 5), (0, 6), (0, 7)], dead, out=[2])
    stage.move("up", "down")
    assert (stage.body(0), stage.body(1)) == ([(0, 3), (0, 2), (0, 1)], [(0, 4), (0, 5), (0, 6)])
    assert stage.fates[:2] == [LIVES, LIVES]


def test_snakes_move_one_tile_after_the_other(kit: Any) -> None:
    stage = kit.Stage([(4, 4), (5, 4)], [(8, 8), (7, 8), (6, 8), (5, 8)])
    for one, other in [("down", "up"), ("right", "left"), ("right", "left"), ("right", "left"), ("down", "left")]:
        stage.move(one, other)
    assert stage.body(0) == [(7, 2), (7, 3)]
    assert stage.body(1) == [(4, 9), (5, 9), (6, 9), (7, 9)]


# -- the examples of the specification ----------------------------------------------------------------


def test_simple_head_to_head(kit: Any) -> None:
    stage = kit.Stage([(3, 3), (3, 2), (3, 1)], [(2, 4), (2, 3), (2, 2)])
    stage.move("up", "right")
    assert stage.fates == [(HEAD, 1), (HEAD, 0)]
    assert stage.state.outcome().ranks == (1, 1)


def test_head_to_head_with_different_lengths(kit: Any) -> None:
    stage = kit.Stage([(5, 5), (5, 4), (5, 3), (5, 2)], [(3, 5), (3, 4), (3, 3)])
    stage.move("left", "right")
    assert stage.fates == [LIVES, (HEAD, 0)]


def test_a_body_comes_before_a_head(kit: Any) -> None:
    stage = kit.Stage([(2, 2), (2, 1), (2, 0)], [(3, 3), (3, 2), (3, 1), (3, 0)])
    stage.move("right", "left")
    assert stage.fates == [(BODY, 1), LIVES]


def test_three_heads_without_a_single_longest_snake(kit: Any) -> None:
    long = [(2, 3), (2, 2), (2, 1), (2, 0), (1, 0)], [(4, 3), (4, 2), (4, 1), (4, 0), (3, 0)]
    stage = kit.Stage(*long, [(3, 4), (3, 5), (3, 6)])
    stage.move("right", "left", "down")
    assert stage.fates == [(HEAD, 1), (HEAD, 0), (HEAD, 0)]
    assert stage.state.outcome().to_document() == {"winner": None, "reason": "all_eliminated", "ranks": [1, 1, 1]}


# -- eliminations, as the published tables list them ---------------------------------------------------


@pytest.mark.parametrize(
    ("bodies", "health", "fates"),
    [
        ([[(1, 1)]], [0], [(HUNGER, None)]),
        ([[(1, 1)]], [1], [LIVES]),
        ([[(-1, 1)]], [1], [(WALL, None)]),
        ([[(0, 0), (0, 1), (0, 0)]], [1], [(SELF, 0)]),
        ([[(0, 0), (0, 1), (0, 0)], [(-1, 1)]], [1, 1], [(SELF, 0), (WALL, None)]),
        ([[(0, 2), (0, 3), (0, 4)], [(0, 0), (0, 1), (0, 2)]], [1, 1], [(BODY, 1), LIVES]),
        ([[(1, 1)], [(1, 1)], [(1, 1)]], [1, 1, 1], [(HEAD, 1), (HEAD, 0), (HEAD, 0)]),
        (
            [[(1, 1), (0, 1)], [(1, 1), (1, 2), (1, 3)], [(1, 1)]],
            [1, 1, 1],
            [(HEAD, 1), LIVES, (HEAD, 1)],
        ),
        (
            [[(4, 4), (3, 3)], [(3, 3), (2, 2)], [(2, 2), (1, 1)], [(1, 1), (4, 4)], [(4, 4)]],
            [1] * 5,
            [(BODY, 3), (BODY, 0), (BODY, 1), (BODY, 2), (BODY, 3)],
        ),
        (
            [[(4, 4), (4, 5)], [(4, 4), (4, 3)], [(4, 4), (5, 4)], [(4, 4), (3, 4)]],
            [1] * 4,
            [(HEAD, 1), (HEAD, 0), (HEAD, 0), (HEAD, 0)],
        ),
        (
            [[(4, 4), (4, 5)], [(4, 4), (4, 3)], [(4, 4), (5, 4), (6, 4)], [(4, 4), (3, 4)]],
            [1] * 4,
            [(HEAD, 2), (HEAD, 2), LIVES, (HEAD, 2)],
        ),
        (
            [
                [(-1, 0), (0, 0), (1, 0)],
                [(-1, 0), (0, 0), (1, 0)],
                [(1, 0), (0, 0), (1, 0)],
                [(1, 0), (1, 1), (1, 2)],
                [(2, 2), (2, 1), (2, 0)],
                [(2, 2), (2, 3), (2, 4), (2, 5)],
            ],
            [0, 1, 1, 1, 1, 1],
            [(HUNGER, None), (WALL, None), (SELF, 2), (BODY, 2), (HEAD, 5), LIVES],
        ),
    ],
)
def test_eliminations(kit: Any, bodies: Any, health: Any, fates: Any) -> None:
    stage = kit.Stage(*bodies, health=health)
    turns.eliminate(stage.state, stage.state.living())
    assert stage.fates == fates


@pytest.mark.parametrize(
    ("place", "is_out"),
    [((0, 0), False), ((9, 9), False), ((-1, 0), True), ((0, -1), True), ((10, 9), True), ((9, 10), True)],
)
def test_the_board_ends_at_its_edges(kit: Any, place: Any, is_out: bool) -> None:
    stage = kit.Stage([place, (5, 5)])
    turns.eliminate(stage.state, stage.state.living())
    assert (stage.snake(0).cause == WALL) is is_out


def test_a_head_may_go_where_a_tail_leaves_but_not_where_it_stays(kit: Any) -> None:
    circle = [(2, 2), (2, 3), (3, 3), (3, 2)]
    for body, fate in ((circle, LIVES), ([*circle, (3, 2)], (SELF, 0))):
        stage = kit.Stage(body, [(7, 7), (7, 8), (7, 9)])
        stage.move("right", "down")
        assert stage.fates == [fate, LIVES]


# -- ranks -------------------------------------------------------------------------------------------


def test_ranks_are_the_reverse_order_of_elimination(kit: Any) -> None:
    stage = kit.Stage([(0, 5), (1, 5)], [(5, 9), (5, 8)], [(8, 5), (7, 5)], [(4, 4), (4, 3)], options={"size": 11})
    stage.move("left", "left", "right", "up")
    assert stage.state.outcome() is None
    stage.move("up", "right", "up")
    assert stage.state.to_move() == ()
    assert stage.state.outcome().to_document() == {"winner": 3, "reason": "last_snake", "ranks": [4, 2, 2, 1]}


# -- choosing moves -----------------------------------------------------------------------------------


def test_who_does_not_choose_moves_straight_on(kit: Any) -> None:
    stage = kit.Stage([(1, 1), (0, 1)], [(5, 5), (5, 6)], [(8, 8), (8, 8), (8, 8)])
    chosen = [stage.state.fallback_action(player)["direction"] for player in range(3)]
    assert chosen == ["right", "down", "up"]


def test_moves_stay_hidden_until_all_have_chosen(kit: Any) -> None:
    stage = kit.Stage([(1, 1), (0, 1)], [(5, 5), (5, 6)])
    stage.state.push(0, {"type": "move", "snake": "s0", "direction": "down"})
    assert stage.state.to_move() == (1,)
    assert "down" in stage.state.view(0)
    assert "down" not in stage.state.view(1)
    assert stage.state.delta(0, 1) == []


def test_a_snake_that_leaves_ranks_before_those_that_earlier_turns_eliminated(kit: Any) -> None:
    stage = kit.Stage([(0, 2), (1, 2)], [(2, 2), (2, 1)], [(5, 2), (5, 1)], [(8, 8), (8, 7)])
    stage.move("up", "up", "up", "up")
    stage.move("up", "up", "up", "up")
    assert stage.fates == [LIVES, LIVES, LIVES, (WALL, None)]
    stage.state.push(2, LEAVE)
    stage.state.push(1, LEAVE)
    assert stage.state.outcome().to_document() == {"winner": 0, "reason": "last_snake", "ranks": [1, 2, 2, 4]}


def test_a_snake_that_leaves_ranks_behind_those_that_the_turn_eliminates(kit: Any) -> None:
    stage = kit.Stage([(0, 2), (1, 2)], [(2, 2), (2, 1)], [(8, 9), (8, 8)])
    stage.state.push(0, {"type": "move", "snake": "s0", "direction": "up"})
    stage.state.push(2, {"type": "move", "snake": "s2", "direction": "up"})
    stage.state.push(1, LEAVE)
    assert stage.state.outcome().to_document() == {"winner": 0, "reason": "last_snake", "ranks": [1, 3, 2]}
