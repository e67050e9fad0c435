"""The kit's extra methods agree with the rules."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from typed_module import typed_module

from arena.game import Seeded
from arena_laser_flag import GAME
from arena_laser_flag.map_files import load_map
from arena_laser_flag.moving import range_of
from arena_laser_flag.orders import has_shot_left, is_legal_target
from arena_laser_flag.reaction import watchers_of
from arena_laser_flag.state import Game
from arena_laser_flag.to_hit import chance_of, parts_against, parts_against_base
from arena_laser_flag.visibility import known_units
from arena_player.result import Result
from arena_player.schema import parse_schema
from arena_player.world import World

SOURCES = ("crossroads", "dockyard", "quarry", "generate:seed=7,width=17,walls=30,cover=30,units=scout+sniper+grunt")
RULES: tuple[dict[str, Any], ...] = (
    {},
    {"fog_of_war": True, "target_rule": "active_or_on_base"},
    {"diagonal_margin": 9, "target_rule": "active", "base_shooting": True},
)


@pytest.fixture(scope="module")
def typed() -> Any:
    return typed_module(GAME)


@pytest.fixture
def look(typed: Any) -> Callable[[Game, int], Any]:
    """Return a function that sends a state to a bot and returns the bot's game."""

    def show(state: Game, player: int) -> Any:
        world = World(parse_schema(GAME.schema()), lambda document: Result(), typed.AI.game_classes, typed.Tile)
        world.player = player
        world.options = state.options_for(player)
        world.apply(state.view(player))
        return world.game

    return show


def positions(source: str, rules: dict[str, Any], count: int = 6) -> list[Game]:
    """Return positions of a random game, with a few actions between."""
    rng, chance = Random(source), Seeded(source)
    game = GAME.start({"map": load_map(source), "rules": rules})
    assert isinstance(game, Game)
    found = [game.clone()]
    while game.outcome() is None and len(found) < count:
        for _ in range(6):
            if game.outcome() is None:
                game.push(game.active_player, rng.choice(game.legal_actions()), chance)
        found.append(game.clone())
    return found


def place(thing: Any) -> tuple[int, int]:
    return thing.x, thing.y


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kit_agrees_with_the_rules(look: Callable[[Game, int], Any], source: str, rules: dict[str, Any]) -> None:
    for state in positions(source, rules):
        for player in (0, 1):
            compare(state, player, look(state, player))


def compare(state: Game, player: int, game: Any) -> None:
    board = state.board
    known = known_units(state, player)
    assert [unit.id for unit in game.units] == [unit.id for unit in known]
    assert [unit.id for unit in game.enemies] == [unit.id for unit in known if unit.player != player]
    for unit, own in zip(game.units, known, strict=True):
        assert unit.is_mine == (own.player == player)
        assert [place(tile) for tile in unit.reachable] == list(board.tiles(range_of(state, own, known)))
        assert [place(tile) for tile in unit.tile.seen] == list(board.tiles(board.seen_from(*own.place)))
        assert (unit.tile.is_cover, unit.tile.shelter) == (own.elevated, list(own.cover))
        assert unit.can_fire == (own.ap > 0 and own.laser == "charged" and has_shot_left(own))
        targets = [one for one in known if one.player != own.player and board.sees(own.place, one.place)]
        targets = [one for one in targets if is_legal_target(state.rules, one)]
        assert [one.id for one in unit.visible_enemies] == [one.id for one in targets]
        for other, target in zip(game.units, known, strict=True):
            for mode in (None, "snap", "regular"):
                shot = unit.to_hit(other, reaction=mode)
                assert shot.parts == parts_against(state, own, target, mode)
                assert (shot.needed, shot.chance) == (sum(shot.parts.values()), chance_of(shot.needed))
        for base in game.bases:
            assert unit.to_hit(base).parts == parts_against_base(state, own)
    enemy = [unit.id for unit in known if unit.player != player]
    for tile in game.tiles:
        assert tile.kind == board.kind(tile.x, tile.y)
        if tile.is_walkable:
            watchers = [one for one in watchers_of(state, 1 - player, tile.x, tile.y) if one.id in enemy]
            assert {one.id: shots for one, shots in tile.watchers.items()} == {
                one.id: one.overwatch for one in watchers
            }


def test_what_may_be_done_is_what_the_rules_accept(look: Callable[[Game, int], Any]) -> None:
    for state in positions("relay", {}):
        if state.outcome() is not None:
            continue
        player = state.active_player
        game = look(state, player)
        listed = state.legal_actions()
        moves = {(one["unit"], one["x"], one["y"]) for one in listed if one["type"] == "move"}
        shots = {(one["unit"], one["target"]) for one in listed if one["type"] == "fire"}
        mine = [unit for unit in game.units if unit.is_mine]
        assert moves == {(unit.id, tile.x, tile.y) for unit in mine if unit.can_move for tile in unit.reachable}
        assert shots == {(unit.id, one.id) for unit in mine if unit.can_fire for one in unit.visible_enemies}


def test_a_shot_at_another_tile_is_computed_from_there(look: Callable[[Game, int], Any], make_game: Any) -> None:
    state = make_game(units=[(0, "grunt", 5, 0), (1, "sniper", 5, 5)], cover=[(2, 2)], walls=[(4, 5)])
    game = look(state, 0)
    shooter, target = game.units
    assert shooter.to_hit(target).needed == 7
    assert shooter.to_hit(target, at=game.tile(2, 2)).parts == {"to_hit": 7, "elevated_attack": -3, "cover": 2}
    assert game.rules["max_ap"] == 3
    assert repr(shooter.to_hit(target)) == "<Shot needs 7, 58 %>"
