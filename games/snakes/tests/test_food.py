"""Snakes start, and food appears, at the right places."""

from collections import Counter
from typing import Any

import pytest

from arena.game import OptionError, Seeded
from arena_snakes import GAME
from arena_snakes.turns import free_tiles

CORNERS = {(1, 1), (1, 9), (9, 1), (9, 9)}
SIDES = {(1, 5), (5, 1), (5, 9), (9, 5)}


def start(seed: int, **options: int) -> Any:
    return GAME.start(options, Seeded(seed))


@pytest.mark.parametrize("players", range(2, 9))
def test_snakes_start_coiled_in_the_corners_and_on_the_sides(players: int) -> None:
    groups = Counter()
    for seed in range(40):
        state = start(seed, players=players)
        heads = [snake.body[0] for snake in state.snakes]
        assert [snake.body for snake in state.snakes] == [(head,) * 3 for head in heads]
        assert {snake.health for snake in state.snakes} == {100}
        assert len(set(heads)) == players
        first = CORNERS if heads[0] in CORNERS else SIDES
        groups["corners" if first is CORNERS else "sides"] += 1
        assert set(heads[:4]) <= first
        assert set(heads[4:]) <= (CORNERS | SIDES) - first
    assert min(groups.values()) > 8


def test_each_snake_has_food_two_moves_away_and_one_lies_in_the_middle() -> None:
    for seed in range(60):
        state = start(seed, players=8)
        assert state.food[-1] == (5, 5)
        assert len(set(state.food)) == 9
        for snake, (x, y) in zip(state.snakes, state.food, strict=False):
            head = snake.body[0]
            assert (abs(x - head.x), abs(y - head.y)) == (1, 1)
            assert abs(x - 5) > abs(head.x - 5) or abs(y - 5) > abs(head.y - 5)
            assert (x, y) not in {(0, 0), (0, 10), (10, 0), (10, 10)}


def test_on_small_boards_more_than_four_snakes_have_the_middle_only() -> None:
    assert len(start(1, players=4, size=7).food) == 5
    assert start(1, players=5, size=7).food == ((3, 3),)


def test_the_size_is_odd() -> None:
    with pytest.raises(OptionError, match="size must be an odd number, not 10"):
        GAME.resolve_options({"size": 10})


FAR = [(1, 1), (0, 1)], [(8, 8), (8, 9)]


def test_food_appears_below_the_minimum_without_a_throw(kit: Any) -> None:
    stage = kit.Stage(*FAR, options={"minimum_food": 2, "food_spawn_chance": 15, "size": 11})
    events = stage.move("right", "down", draws=[0, 0])
    assert [event["kind"] for event in events] == ["food", "food"]
    assert len(set(stage.food)) == 2


@pytest.mark.parametrize(("thrown", "more"), [(1, True), (15, True), (16, False), (100, False)])
def test_food_appears_with_its_chance(kit: Any, thrown: int, more: bool) -> None:
    options = {"minimum_food": 1, "food_spawn_chance": 15, "size": 11}
    stage = kit.Stage(*FAR, food=[(5, 5)], options=options)
    stage.move("right", "down", draws=[thrown, 7] if more else [thrown])
    assert len(stage.food) == 1 + more


def test_food_appears_on_no_snake_no_food_and_next_to_no_head(kit: Any) -> None:
    stage = kit.Stage([(5, 5), (5, 4), (5, 3)], [(0, 0), (0, 1)], [(9, 9)], food=[(7, 7)], out=[2], size=11)
    taken = {(5, 5), (5, 4), (5, 3), (4, 5), (6, 5), (5, 6), (0, 0), (0, 1), (1, 0), (7, 7)}
    everything = {(x, y) for x in range(11) for y in range(11)}
    assert {stage.flip(tile) for tile in free_tiles(stage.state)} == everything - taken


def test_all_draws_of_a_turn_are_made_when_the_last_snake_has_chosen() -> None:
    state = start(3)
    chance = Seeded(3)
    for player in range(3):
        state.push(player, state.fallback_action(player))
    state.push(3, state.fallback_action(3), chance)
    assert chance.take()[0].label == "food_chance"
