"""The kit's extra methods agree with the rules."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from typed_module import typed_module

from arena.game import Sampled
from arena_derelict import GAME, Game
from arena_player.result import Result
from arena_player.schema import parse_schema
from arena_player.world import World

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def typed() -> Any:
    return typed_module(GAME)


class Seat:
    """A bot's view of a state, and the actions that it sends."""

    def __init__(self, typed: Any, state: Game, player: int) -> None:
        self.sent: list[dict[str, Any]] = []
        self.world = World(parse_schema(GAME.schema()), self.act, typed.AI.game_classes, typed.Tile)
        self.world.player = player
        self.world.options = state.options_for(player)
        self.world.apply(state.view(player))
        self.game = self.world.game
        self.ai = typed.AI()
        self.ai.game = self.game
        self.ai.legal_actions = self.world.legal_actions = state.legal_actions(player)

    def act(self, document: dict[str, Any]) -> Result[Any]:
        self.sent.append(document)
        return Result()


@pytest.fixture
def seat_of(typed: Any) -> Callable[[Game, int], Seat]:
    return lambda state, player: Seat(typed, state, player)


def positions(mission: str, count: int) -> list[Game]:
    """Positions of a random game."""
    rng = Random(mission)
    game: Any = GAME.start({"mission": mission}, Sampled(rng))
    found = []
    while game.decision is not None and len(found) < count:
        if rng.random() < 0.05:
            found.append(game.clone())
        listed = game.legal_actions()
        moves = [one for one in listed if one["type"] in ("move", "door", "overwatch")]
        game.push(game.decision.player, rng.choice(moves if moves and rng.random() < 0.7 else listed), Sampled(rng))
    return found


def place(thing: Any) -> tuple[int, int]:
    return thing.x, thing.y


@pytest.mark.parametrize("mission", ["crossways", "pump_station"])
def test_sight_is_that_of_the_rules(seat_of: Make, mission: str) -> None:
    for state in positions(mission, 5):
        pieces = state.pieces
        game = seat_of(state, 0).game
        assert {place(tile) for tile in game.corridors} == {
            place(tile) for tile in game.tiles if state.board.is_corridor(tile.x, tile.y)
        }
        for marine in game.marines:
            seen = pieces.visible_cells(state.entity(marine.id))
            corridor = {cell for cell in state.board.cells(seen) if state.board.is_corridor(*cell)}
            assert {place(tile) for tile in marine.visible_tiles} == corridor - (
                set() if marine.tile.is_corridor else {place(marine)}
            )
            for unit in game.units:
                assert marine.sees(unit) == pieces.is_seen(state.entity(marine.id), unit.x, unit.y)
        watched = game.watch_map()
        assert set(watched) <= set(game.corridors)
        assert bool(watched) == any(marine.overwatch for marine in game.marines)


def test_fire_hides_also_behind_a_unit_that_is_ignored(
    seat_of: Make, stage: Make, corridor: list[str], new_unit: Make
) -> None:
    play = stage("core", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 4, 1, "West")])
    for flames, clear in (([], True), ([[4, 1]], False)):
        game = seat_of(GAME.load(play.game.to_document() | {"flames": flames}, play.options), 0).game
        first, second = game.tile(1, 1), game.tile(7, 1)
        assert not game.line_of_sight(first, second)
        assert game.line_of_sight(first, second, ignoring=game.aliens) == clear


def test_choices_are_the_list(seat_of: Make) -> None:
    for state in positions("pump_station", 12):
        assert state.decision is not None
        seat = seat_of(state, state.decision.player)
        listed = state.legal_actions()
        assert len(seat.game.choices) == len(listed)
        for choice, entry in zip(seat.game.choices, listed, strict=True):
            assert choice.take()
            assert seat.sent[-1] == {key: entry[key] for key in ("type", "x", "y") if key in entry}
            assert (choice.type, choice.cost) == (entry["type"], entry["cost"])
            assert (choice.unit.id if choice.unit else "") == entry.get("unit", "")
            assert choice.tile is None or place(choice.tile) == (entry["x"], entry["y"])
        assert {choice.type for choice in seat.game.choices_of("move", "pass")} <= {"move", "pass"}
        other = seat_of(state, 1 - state.decision.player)
        assert other.game.choices == []
        assert other.ai.decision == ""
        assert seat.ai.decision == state.decision.kind
        assert seat.ai.plays_marines == (state.decision.player == 0)


def test_orders_activate_the_unit_first(seat_of: Make, stage: Make, hall: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 3, 2, "North"), new_unit("marine", 1, 1, "North")]
    play = stage("core", hall, marines, [new_unit("alien", 1, 3, "North")])
    seat = seat_of(play.game, 0)
    first, second = seat.game.marines
    first.move(seat.game.tile(3, 1))
    first.turn_to("East")
    second.go_on_overwatch()
    assert seat.sent == [
        {"type": "activate", "x": 3, "y": 2},
        {"type": "move", "x": 3, "y": 1},
        {"type": "turn_right"},
        {"type": "activate", "x": 1, "y": 1},
        {"type": "overwatch"},
    ]
    play.do("activate", 3, 2)
    seat = seat_of(play.game, 0)
    first = seat.game.marines[0]
    assert first.is_active
    (alien,) = seat.game.aliens
    for order, sent in (
        (lambda: first.turn_left(), {"type": "turn_left"}),
        (lambda: first.turn_right(), {"type": "turn_right"}),
        (lambda: first.turn_to("West"), {"type": "turn_left"}),
        (lambda: first.shoot(alien), {"type": "shoot", "x": 1, "y": 3}),
        (lambda: first.assault(alien), {"type": "assault", "x": 1, "y": 3}),
        (lambda: first.go_on_guard(), {"type": "guard"}),
        (lambda: first.clear_jam(), {"type": "unjam"}),
        (lambda: first.use_command(), {"type": "command"}),
        (lambda: first.use_door(alien.tile), {"type": "door", "x": 1, "y": 3}),
        (lambda: first.reveal(), {"type": "reveal"}),
    ):
        assert order()
        assert seat.sent[-1] == sent
    assert len(seat.sent) == 10
    assert first.turn_to(first.facing)
    assert len(seat.sent) == 10
    seat.game.pass_()
    assert seat.sent[-1] == {"type": "pass"}


def test_tiles_and_units(seat_of: Make, stage: Make, new_unit: Make) -> None:
    rows = ["######", "#....#", "#.##.#", "#....#", "######"]
    sections = ["......", ".AAAA.", ".B..C.", ".DDD..", "......"]
    doors = [{"x": 4, "y": 2, "open": False}]
    marines = [new_unit("marine_flame", 1, 1, "East"), new_unit("marine_claws", 1, 3, "North")]
    play = stage("full", rows, marines, [new_unit("blip_2", 4, 3, "West")], doors=doors, sections=sections, dice=[1])
    game = seat_of(play.game, 0).game
    flamer, claws = game.marines
    (blip,) = game.blips
    assert flamer.has_flamer
    assert not flamer.can_shoot
    assert not claws.has_flamer
    assert (flamer.is_mine, blip.is_mine, blip.is_blip, blip.is_alien, blip.count) == (True, False, True, False, None)
    assert place(flamer.ahead) == (2, 1)
    assert (game.tile(1, 1).section, game.tile(4, 3).section, game.tile(0, 0).section) == ("A", "", "")
    assert game.tile(2, 1).is_passable()
    assert not game.tile(1, 1).is_passable()
    assert not game.tile(4, 2).is_passable()
    assert not game.tile(2, 2).is_passable()
    assert game.tile(1, 1).sees(game.tile(4, 1))
    assert not game.tile(1, 1).sees(game.tile(4, 3))
    assert game.tile(1, 1).distance_to(blip) == flamer.distance_to(blip) == 3
    assert game.tile(1, 1).direction_to(game.tile(4, 2)) == "East"
    assert {place(tile) for tile in game.tile(1, 1).around} == {(2, 1), (1, 2)}
    # The way in the south has 4 steps. The way through the door costs one more, for opening it.
    steps = game.threat_map()
    assert (steps[game.tile(4, 3)], steps[game.tile(4, 2)], steps[game.tile(4, 1)]) == (0, 1, 3)
    assert steps[game.tile(1, 1)] == 4
    assert game.distances([game.tile(1, 1)])[game.tile(1, 3)] == 2
    assert not game.tile(2, 1).burns


def test_forks_agree_with_the_match(seat_of: Make) -> None:
    for state in positions("pump_station", 6):
        for player in (0, 1):
            world = seat_of(state, player).game.fork(Random(1))
            assert world.view(player) == state.view(player)
            assert world.legal_actions() == state.legal_actions()
