"""How far a unit gets with one action point."""

from __future__ import annotations

from arena_laser_flag.board import Board
from arena_laser_flag.effective_rules import UnitClass


def movement_range(board: Board, x: int, y: int, unit_class: UnitClass, margin: int | None, occupied: int) -> int:
    """Return the tiles that a unit can reach with one AP.

    A breadth-first search, one step of all tiles at once. Tiles reached by a climb belong to the range, but the
    search does not go on from them, unless they are also reached along cover.

    Args:
        board: The map.
        x: Where the unit stands.
        y: Where the unit stands.
        unit_class: Its speed, and whether climbing ends its movement.
        margin: The rule ``diagonal_margin``.
        occupied: The tiles of all other units.

    Returns:
        The range as a set of tiles, without the unit's own.
    """
    free = board.walkable & ~occupied
    cover = board.cover
    stride = board.stride
    diagonals = _diagonals(board, x, y, unit_class.speed, margin)
    start = board.bit(x, y)
    passed = frontier = start
    climbed = 0
    for _ in range(unit_class.speed):
        low = frontier & ~cover
        steps = _steps(low, stride, diagonals) & free
        if unit_class.free_climb:
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
    """For each diagonal step: by how many bits it goes up, from which tiles it may start, on which it may end."""
    if margin is None:
        ends = board.walkable
    elif speed < margin:
        return ()
    else:
        ends = board.disc(x, y, speed - margin)
    return tuple((shift, starts, ends) for shift, starts in board.diagonals)


def _steps(tiles: int, stride: int, diagonals: tuple[tuple[int, int, int], ...]) -> int:
    """Return all tiles one step away, walkable or not."""
    steps = tiles << 1 | tiles >> 1 | tiles << stride | tiles >> stride
    for shift, starts, ends in diagonals:
        able = tiles & starts
        steps |= (able << shift if shift > 0 else able >> -shift) & ends
    return steps
