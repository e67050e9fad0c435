"""The tiles that a unit can reach with one action point."""

from __future__ import annotations

from functools import lru_cache

from arena_laser_flag.board import Board
from arena_laser_flag.effective_rules import UnitClass


def movement_range(board: Board, x: int, y: int, unit_class: UnitClass, margin: int | None, occupied: int) -> int:
    """Return the tiles that a unit can reach with one AP.

    A climb is a step from the floor onto a cover tile. A climb ends the move, unless the class has ``free_climb``. A
    step from one cover tile onto another is no climb.

    Args:
        board: The map.
        x: The unit's column.
        y: The unit's row.
        unit_class: The unit's class, with its speed and ``free_climb``.
        margin: The rule ``diagonal_margin``.
        occupied: The tiles of all other units.

    Returns:
        The range as a set of tiles, without the unit's own tile.
    """
    open_range, crossed = _flood(board, x, y, unit_class.speed, unit_class.free_climb, margin, 0)
    blocked = occupied & open_range
    if not blocked:
        return open_range
    # A unit on a tile where all moves end is in nobody's way: it only takes the tile itself.
    in_the_way = blocked & crossed
    if in_the_way:
        open_range, _ = _flood(board, x, y, unit_class.speed, unit_class.free_climb, margin, in_the_way)
    return open_range & ~blocked


@lru_cache(maxsize=10_000)
def _flood(
    board: Board, x: int, y: int, speed: int, free_climb: bool, margin: int | None, blocked: int
) -> tuple[int, int]:
    """Return the range, and the tiles from which a move can go on."""
    free = board.walkable & ~blocked
    cover = board.cover
    ends = _diagonal_ends(board, x, y, speed, margin)
    start = board.bit(x, y)
    passed = frontier = start
    climbed = crossed = 0
    for _ in range(speed):
        crossed |= frontier
        high = 0 if free_climb else frontier & cover
        reached = _steps(board, frontier & ~high, ends) & free
        if not free_climb:
            climbed |= reached & cover
            reached &= ~cover
            if high:
                reached |= _steps(board, high, ends) & free
        frontier = reached & ~passed
        if not frontier:
            break
        passed |= frontier
    return (passed | climbed) & ~start, crossed


def _diagonal_ends(board: Board, x: int, y: int, speed: int, margin: int | None) -> int:
    """Return the tiles where a diagonal step can end."""
    if margin is None:
        return board.walkable
    return 0 if speed < margin else board.disc(x, y, speed - margin)


def _steps(board: Board, tiles: int, ends: int) -> int:
    """Return all tiles that are one step away from the given tiles, walkable or not."""
    stride = board.stride
    steps = tiles << 1 | tiles >> 1 | tiles << stride | tiles >> stride
    if ends:
        north_west, north_east, south_west, south_east = board.diagonals
        up = (tiles & north_west) >> 1 | (tiles & north_east) << 1
        down = (tiles & south_west) >> 1 | (tiles & south_east) << 1
        steps |= (up >> stride | down << stride) & ends
    return steps
