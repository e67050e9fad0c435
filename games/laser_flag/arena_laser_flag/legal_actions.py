"""The complete list of legal actions."""

from __future__ import annotations

from typing import Any

from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.movement_range import movement_range
from arena_laser_flag.orders import has_shot_left, is_legal_target
from arena_laser_flag.visibility import known_units

Document = dict[str, Any]


def legal_actions(game: Position) -> list[Document]:
    """Return the active player's actions: ``end_turn``, then each unit's moves, shots at units, and shots at bases."""
    player = game.active_player
    board = game.board
    known = known_units(game, player)
    occupied = board.set_of([unit.place for unit in known])
    enemies = [unit for unit in known if unit.player != player and is_legal_target(game.rules, unit)]
    actions: list[Document] = [{"type": "end_turn"}]
    for unit in game.players[player].units:
        if not unit.ap:
            continue
        if not unit.shots_fired or unit.numbers.move_after_fire:
            actions += _moves(game, unit, occupied)
        if unit.laser == "charged" and has_shot_left(unit):
            actions += _shots(game, unit, enemies)
    return actions


def _moves(game: Position, unit: Unit, occupied: int) -> list[Document]:
    board = game.board
    others = occupied & ~board.bit(unit.x, unit.y)
    tiles = movement_range(board, unit.x, unit.y, unit.numbers, game.rules.diagonal_margin, others)
    name = unit.id
    return [{"type": "move", "unit": name, "x": x, "y": y} for x, y in board.tiles(tiles)]


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
