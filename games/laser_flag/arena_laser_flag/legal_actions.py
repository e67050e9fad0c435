"""The complete list of legal actions, and random ones of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.movement_range import movement_range
from arena_laser_flag.orders import has_shot_left, is_legal_target
from arena_laser_flag.visibility import known_units

Document = dict[str, Any]


def legal_actions(game: Position) -> list[Document]:
    """Return the active player's actions: ``end_turn``, then each unit's moves, shots at units, and shots at bases."""
    actions: list[Document] = [{"type": "end_turn"}]
    for unit, tiles, shots in _orders(game):
        name = unit.id
        actions += [{"type": "move", "unit": name, "x": x, "y": y} for x, y in game.board.tiles(tiles)]
        actions += shots
    return actions


def random_action(game: Position, rng: Random) -> Document:
    """Return the action that ``rng.choice(legal_actions(game))`` would return."""
    orders = list(_orders(game))
    number = rng.randrange(1 + sum([tiles.bit_count() + len(shots) for _, tiles, shots in orders])) - 1
    if number < 0:
        return {"type": "end_turn"}
    for unit, tiles, shots in orders:
        moves = tiles.bit_count()
        if number < moves:
            x, y = game.board.tile_number(tiles, number)
            return {"type": "move", "unit": unit.id, "x": x, "y": y}
        number -= moves
        if number < len(shots):
            break
        number -= len(shots)
    return shots[number]


def _orders(game: Position) -> Iterator[tuple[Unit, int, list[Document]]]:
    """Yield the active player's units with AP, each with the tiles where it can move, and its shots."""
    player = game.active_player
    board = game.board
    known = known_units(game, player)
    occupied = board.set_of([unit.place for unit in known])
    enemies = [unit for unit in known if unit.player != player and is_legal_target(game.rules, unit)]
    margin = game.rules.diagonal_margin
    for unit in game.players[player].units:
        if not unit.ap:
            continue
        tiles = 0
        if not unit.shots_fired or unit.numbers.move_after_fire:
            others = occupied & ~board.bit(unit.x, unit.y)
            tiles = movement_range(board, unit.x, unit.y, unit.numbers, margin, others)
        yield unit, tiles, _shots(game, unit, enemies) if unit.laser == "charged" and has_shot_left(unit) else []


def _shots(game: Position, unit: Unit, enemies: list[Unit]) -> list[Document]:
    board = game.board
    seen = board.seen_from(unit.x, unit.y)
    shots: list[Document] = [
        {"type": "fire", "unit": unit.id, "target": enemy.id} for enemy in enemies if seen & board.bit(enemy.x, enemy.y)
    ]
    if game.rules.base_shooting:
        shots += [
            {"type": "fire_at_base", "unit": unit.id, "x": base.x, "y": base.y}
            for base in board.bases
            if base.owner == 1 - unit.player and seen & board.bit(base.x, base.y)
        ]
    return shots
