"""Compare `self.game.fork()` and the objects of a bot with the real rules of Saloon."""

import random
from typing import Any

import pytest

from arena_player import PlayerError, Result
from arena_player.fork import fork
from arena_player.schema import parse_schema
from arena_player.world import World

registry = pytest.importorskip("arena.game.registry")
chance = pytest.importorskip("arena.game.chance")


@pytest.fixture(name="saloon")
def _saloon() -> Any:
    if "saloon" not in registry.names():
        pytest.skip("Saloon is not installed")
    return registry.load("saloon")


def triples(flat: list[Any]) -> list[str]:
    return sorted(map(repr, zip(flat[::3], flat[1::3], flat[2::3], strict=True)))


def test_the_graph_and_its_fork_follow_the_rules(saloon: Any) -> None:
    rng = random.Random(3)
    dice = chance.Seeded(5)
    state = saloon.start({"width": 12, "height": 8, "max_turns": 40}, dice)
    world = World(parse_schema(saloon.schema()), lambda _: Result())
    world.options = {"width": 12, "height": 8, "max_turns": 40}
    world.apply(state.view(0))
    for _ in range(250):
        if not state.to_move():
            break
        player = state.to_move()[0]
        mark = state.push(player, rng.choice(state.legal_actions(player)), dice)
        world.apply(state.delta(mark, 0))
        assert triples(world.view()) == triples(state.view(0))
        for cowboy in world.game.cowboys:
            assert cowboy.tile is world.game.tile(cowboy.x, cowboy.y)
            assert cowboy.tile is None or cowboy.tile.cowboy is cowboy
    copy = world.game.fork()
    assert copy.digest() == state.digest()
    assert copy.to_move() == state.to_move()
    before = world.view()
    if copy.to_move():
        copy.push(copy.to_move()[0], {"type": "end_turn"}, dice)
    assert world.view() == before


def test_rules_that_are_not_there(schemas: Any) -> None:
    import json

    schema = parse_schema(json.loads((schemas / "race.json").read_text()))
    with pytest.raises(PlayerError, match="needs the rules of race, which are not installed"):
        fork(schema, {}, [], 0)


def test_rules_of_another_version(saloon: Any) -> None:
    schema = parse_schema({**saloon.schema(), "version": "0.1"})
    with pytest.raises(PlayerError, match=r"the match uses version 0\.1"):
        fork(schema, {}, [], 0)
