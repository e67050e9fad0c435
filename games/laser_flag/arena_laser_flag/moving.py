"""The action ``move``."""

from __future__ import annotations

from arena.game import IllegalAction, Tile, action
from arena_laser_flag.board import COVER, FLOOR
from arena_laser_flag.ending import end_on_checkmate
from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.movement_range import movement_range
from arena_laser_flag.orders import check_order
from arena_laser_flag.reaction import react
from arena_laser_flag.visibility import known_units


@action
def move(unit: Unit, tile: Tile) -> None:
    """Move to a tile within the range of one AP.

    A deactivated unit starts charging when it ends a move on a base that its team can use. After the move, enemies
    on overwatch that see the tile shoot. With fog, if a hidden unit blocks the move, the moving unit loses the
    AP and stays.

    Args:
        tile: The tile to go to. The tiles on the way have no effect.
    """
    game = unit.game
    player = game.actor
    check_order(unit, player)
    _check_move(game, unit, tile)
    unit.ap -= 1
    unit.moved = True
    if game.rules.fog_of_war and not range_of(game, unit, game.units) & game.board.bit(*tile):
        game.event("bump", seen_by=(player,), unit=unit.id, x=tile.x, y=tile.y)
        return
    _step_on(game, unit, tile)
    if not end_on_checkmate(game, 1 - player) and "move" in game.rules.overwatch_triggers:
        react(game, unit)


def range_of(game: Position, unit: Unit, others: tuple[Unit, ...]) -> int:
    """Return the tiles that a unit reaches with one AP, as a set of the board.

    Args:
        game: The game.
        unit: The unit.
        others: The units that block tiles. The unit itself blocks no tile, even if it is one of them.
    """
    board = game.board
    occupied = board.set_of([other.place for other in others if other is not unit])
    return movement_range(board, unit.x, unit.y, unit.numbers, game.rules.diagonal_margin, occupied)


def _check_move(game: Position, unit: Unit, tile: Tile) -> None:
    board = game.board
    if unit.shots_fired and not unit.numbers.move_after_fire:
        raise IllegalAction("cannot_move_after_firing", f"{unit.id} has fired in this turn and cannot move any more")
    if not board.has(*tile):
        raise IllegalAction("off_map", f"there is no tile ({tile.x}, {tile.y})")
    if board.kind(*tile) not in (FLOOR, COVER):
        raise IllegalAction("blocked_tile", f"({tile.x}, {tile.y}) cannot be walked on")
    if tile == unit.place:
        raise IllegalAction("already_there", f"{unit.id} stands on ({tile.x}, {tile.y}) already")
    known = known_units(game, game.actor)
    for other in known:
        if other.x == tile.x and other.y == tile.y:
            raise IllegalAction("occupied", f"{other.id} stands on ({tile.x}, {tile.y})")
    if not range_of(game, unit, known) & board.bit(*tile):
        raise IllegalAction("out_of_reach", f"({tile.x}, {tile.y}) is out of reach for one AP of {unit.id}")


def _step_on(game: Position, unit: Unit, tile: Tile) -> None:
    board = game.board
    unit.x, unit.y = tile
    unit.elevated = board.is_cover(*tile)
    unit.cover = board.shelter(*tile)  # type: ignore[assignment]
    if unit.laser == "deactivated":
        base = board.base_at(*tile)
        if base is not None and game.rules.usable(base.owner, unit.player):
            unit.laser = "charging"
