"""The kit's extra methods agree with the rules."""

from typing import Any

import pytest
from typed_module import typed_module

from arena_player.result import Result
from arena_player.schema import parse_schema
from arena_player.world import World
from arena_saloon import GAME


@pytest.fixture(scope="module")
def typed() -> Any:
    return typed_module(GAME)


@pytest.fixture
def world_of(typed: Any) -> Any:
    """Return a function that makes the objects of a bot for a state."""

    def make(state: Any) -> Any:
        world = World(parse_schema(GAME.schema()), lambda document: Result(), typed.AI.game_classes, typed.Tile)
        world.apply(state.view())
        return world

    return make


def place(tile: Any) -> tuple[int, int]:
    return tile.x, tile.y


def test_tiles(kit: Any, world_of: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 4, 4)], bottles=[kit.bottle(5, 4, "East")], hazards=[[3, 3], [4, 4]])
    game = world_of(stage.state).game
    assert game.tile(0, 3).is_balcony
    assert game.tile(11, 3).is_balcony
    assert not game.tile(1, 1).is_balcony
    assert [place(tile) for tile in game.tiles if tile.has_hazard] == [(3, 3), (4, 4)]
    assert not game.tile(4, 4).is_passable()
    assert game.tile(5, 4).is_passable()
    assert not game.tile(10, 1).is_passable()
    assert not game.tile(0, 1).is_passable()
    assert game.tile(4, 4).direction_to(game.tile(4, 5)) == "South"
    assert game.tile(4, 4).direction_to(game.tile(5, 5)) == ""
    assert game.tile(0, 0).towards("North") is None


def test_lines_of_fire_are_those_of_the_rules(kit: Any, world_of: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Sharpshooter", 2, 3, focus=4), kit.cowboy(1, "Brawler", 4, 3)],
        [kit.piano(10, 1), kit.furnishing(5, 3), kit.furnishing(7, 3)],
        [kit.bottle(6, 3, "East")],
    )
    shooter = world_of(stage.state).objects["c1"]
    for direction, tile in (("East", (3, 3)), ("North", (2, 2)), ("West", (1, 3))):
        mark = stage.state.push(0, {"type": "act", "cowboy": "c1", "x": tile[0], "y": tile[1]})
        shot = stage.state.events(mark)[0]
        stage.state.pop(mark)
        assert [list(place(one)) for one in shooter.line(direction)] == shot["tiles"]
        assert [thing.id for thing in shooter.targets(direction)] == [id_ for id_ in shot["hits"] if id_[0] != "b"]


def test_call_in_tiles_of_the_future(kit: Any, world_of: Any) -> None:
    stage = kit.Stage([], options={"width": 8, "height": 6}, turn=3, player=1, furnishings=[kit.piano(3, 3)])
    guns = [world_of(stage.state).objects[id_] for id_ in ("g0", "g1")]
    for _ in range(60):
        turn, player = stage.state.current_turn, stage.state.current_player
        expected = tuple(stage.state.players[player].young_gun.call_in_tile)
        assert place(guns[player].call_in_tile_on(turn)) == expected
        stage.end()


@pytest.mark.parametrize("direction", ["North", "South", "East", "West"])
def test_walks_punches_and_flights(kit: Any, world_of: Any, direction: str) -> None:
    stage = kit.Stage(
        [kit.drunk(0, "Brawler", 4, 4, direction), kit.cowboy(1, "Brawler", 5, 4), kit.drunk(0, "Bartender", 8, 5, "")],
        [kit.piano(10, 1), kit.furnishing(4, 3)],
        [kit.bottle(8, 3, direction), kit.bottle(10, 6, "North")],
        players=({"siesta": 5}, {}),
    )
    world = world_of(stage.state)
    drunk = world.objects["c1"]
    walk = drunk.next_walk
    assert world.objects["c3"].is_napping
    assert world.objects["c3"].next_walk is None
    assert [thing.id for thing in drunk.punched] == ["f2", "c2"]
    assert world.objects["c3"].punched == []
    flights = {bottle.id: bottle.flight(4) for bottle in world.game.bottles}
    stage.end()
    assert stage.place("c1") == place(walk)
    for turn in range(4):
        for id_, flight in flights.items():
            bottle = stage[id_]
            if bottle is not None:
                assert (bottle.x, bottle.y) == place(flight[turn])
            else:
                assert turn >= len(flight) - 1
        stage.end()


def test_players_and_pianos(kit: Any, world_of: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Brawler", 9, 1), kit.cowboy(1, "Brawler", 5, 4), kit.cowboy(0, "Bartender", 1, 1)],
        [kit.piano(10, 1), kit.furnishing(9, 2)],
    )
    world = world_of(stage.state)
    player = world.objects["p0"]
    assert player.opponent is world.objects["p1"]
    assert [cowboy.id for cowboy in player.cowboys] == ["c1", "c3"]
    assert [cowboy.id for cowboy in player.gang] == ["c1", "c3"]
    assert player.in_danger_of_crush is world.objects["c3"]
    assert player.opponent.in_danger_of_crush is None
    assert (player.count("Brawler"), player.count("Sharpshooter")) == (1, 0)
    assert [piano.id for piano in world.game.pianos] == ["f1"]
    assert [piano.id for piano in world.objects["c1"].pianos] == ["f1"]
    assert [place(tile) for tile in world.objects["f1"].places] == [(10, 2), (9, 1)]
    path = world.objects["c3"].path_to(world.objects["f1"].tile)
    assert (len(path), place(path[-1])) == (13, (10, 1)), "around the cowboy and the furnishing that block the way"
    stage.do("play", cowboy="c1", furnishing="f1")
    world = world_of(stage.state)
    assert world.objects["c1"].pianos == []
    assert not world.objects["c1"].is_idle
    assert world.objects["c1"].is_ready
    stage.do("call_in", young_gun="g0", job="Sharpshooter")
    player = world_of(stage.state).objects["p0"]
    assert [cowboy.id for cowboy in player.cowboys] == ["c1"], "the crushed stays in `game.cowboys` only"
    assert [cowboy.id for cowboy in player.gang] == ["c1", "c50"]
    assert (player.count("Bartender"), player.count("Sharpshooter")) == (0, 0)
