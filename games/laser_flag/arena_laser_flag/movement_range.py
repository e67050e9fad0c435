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
    open_range = _flood(board, x, y, unit_class.speed, unit_class.free_climb, margin, 0)
    blocked = occupied & open_range  # a unit outside of the open range is in nobody's way
    if not blocked:
        return open_range
    return _flood(board, x, y, unit_class.speed, unit_class.free_climb, margin, blocked)


@lru_cache(maxsize=10_000)
def _flood(board: Board, x: int, y: int, speed: int, free_climb: bool, margin: int | None, blocked: int) -> int:
    free = board.walkable & ~blocked
    cover = board.cover
    stride = board.stride
    diagonals = _diagonals(board, x, y, speed, margin)
    start = board.bit(x, y)
    passed = frontier = start
    climbed = 0
    for _ in range(speed):
        low = frontier & ~cover
        steps = _steps(low, stride, diagonals) & free
        if free_climb:
            high = frontier & cover
            reached = steps | (_steps(high, stride, diagonals) & free if high else 0)
        else:
            climbed |= steps & cover
            reached = steps & ~cover
            high = frontier & cover
            if high:
                reached |= _steps(high, stride, diagonals) & free
        frontier = reached & ~passed
        if not frontier:
            break
        passed |= frontier
    return (passed | climbed) & ~start


def _diagonals(board: Board, x: int, y: int, speed: int, margin: int | None) -> tuple[tuple[int, int, int], ...]:
    """Return the diagonal steps, each as (shift in bits, tiles where it can start, tiles where it can end)."""
    if margin is None:
        ends = board.walkable
    elif speed < margin:
        return ()
    else:
        ends = board.disc(x, y, speed - margin)
    return tuple((shift, starts, ends) for shift, starts in board.diagonals)


def _steps(tiles: int, stride: int, diagonals: tuple[tuple[int, int, int], ...]) -> int:
    """Return all tiles that are one step away from the given tiles, walkable or not."""
    steps = tiles << 1 | tiles >> 1 | tiles << stride | tiles >> stride
    for shift, starts, ends in diagonals:
        able = tiles & starts
        steps |= (able << shift if shift > 0 else able >> -shift) & ends
    return steps
