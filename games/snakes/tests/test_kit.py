"""The kit's extra methods agree with the rules."""

from typing import Any

import pytest
from typed_module import typed_module

from arena_player.result import Result
from arena_player.schema import parse_schema
from arena_player.world import World
from arena_snakes import GAME


@pytest.fixture(scope="module")
def typed() -> Any:
    return typed_module(GAME)


@pytest.fixture
def game_of(typed: Any) -> Any:
    """Return a function that makes the game objects of a bot that plays the first snake."""

    def make(stage: Any) -> Any:
        world = World(parse_schema(GAME.schema()), lambda document: Result(), typed.AI.game_classes, typed.Tile)
        world.apply(stage.state.view(0))
        return world.game

    return make


def test_snakes(kit: Any, game_of: Any) -> None:
    stage = kit.Stage([(2, 2), (2, 1), (2, 1)], [(8, 8), (8, 9)], [(5, 5), (5, 5), (5, 5)], out=[1])
    mine, dead, coiled = game_of(stage).snakes
    assert (mine.is_mine, coiled.is_mine, mine.is_alive, dead.is_alive) == (True, False, True, False)
    assert (mine.length, tuple(mine.head), tuple(mine.tail)) == (3, stage.flip((2, 2)), stage.flip((2, 1)))
    assert (mine.direction, mine.tail_stays, coiled.direction) == ("up", True, None)
    assert mine.game.living == [mine, coiled]


def test_tiles(kit: Any, game_of: Any) -> None:
    stage = kit.Stage([(2, 2), (2, 1)], [(8, 8), (8, 9)], food=[(4, 4)], out=[1])
    game = game_of(stage)
    tile = game.tile(*stage.flip((2, 2)))
    assert tile.snake is game.snakes[0]
    assert not tile.is_passable()
    assert game.tile(*stage.flip((8, 8))).is_passable()
    assert [stage.flip(tuple(tile)) for tile in game.tiles if tile.has_food] == [(4, 4)]
    assert tile.towards("up") is game.tile(2, tile.y - 1)
    assert tile.direction_to(tile.towards("left")) == "left"
    assert game.tile(0, 0).towards("up") is None
    assert game.tile(0, 0).direction_to(tile) is None


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ([(0, 0), (0, 1), (0, 2)], [(1, 3), (1, 2), (1, 1), (1, 0)]),
        ([(2, 2), (2, 3), (3, 3), (3, 2)], [(6, 6), (6, 7)]),
        ([(2, 2), (2, 3), (3, 3), (3, 2), (3, 2)], [(1, 1), (1, 2), (1, 3)]),
        ([(5, 5)] * 3, [(5, 7), (5, 8)]),
    ],
)
def test_safe_moves_are_those_that_end_in_no_wall_and_no_body(kit: Any, game_of: Any, body: Any, other: Any) -> None:
    stage = kit.Stage(body, other)
    safe = set(game_of(stage).snakes[0].safe_moves)
    lived = set()
    for direction in ("up", "down", "left", "right"):
        tried = kit.Stage(body, other)
        tried.move(direction, "up")
        if tried.snake(0).cause in ("", "head-collision"):
            lived.add(direction)
    assert safe == lived


def test_the_head_of_a_snake_off_the_board_is_the_tile_where_it_left(kit: Any, game_of: Any) -> None:
    stage = kit.Stage([(5, 5), (5, 4), (5, 3)], [(0, 5), (1, 5)], [(8, 8), (8, 7)])
    stage.move("up", "left", "up")
    game = game_of(stage)
    gone = game.snakes[1]
    assert (gone.is_alive, (gone.head.x, gone.head.y), gone.length) == (False, stage.flip((0, 5)), 2)
    assert (gone.direction, gone.safe_moves) == ("left", [])
    assert game.snakes[0].safe_moves == ["up", "left", "right"]


def test_a_tail_stays_in_the_first_two_turns_and_after_a_meal(kit: Any, game_of: Any) -> None:
    stage = kit.Stage([(5, 2)] * 3, [(8, 2)] * 3, food=[(5, 6)])
    stays = []
    for _ in range(6):
        tail = stage.body(0)[-1]
        stays.append(game_of(stage).snakes[0].tail_stays)
        stage.move("up", "up")
        assert (stage.body(0)[-1] == tail) is stays[-1]
    assert stays == [True, True, False, False, True, False]
