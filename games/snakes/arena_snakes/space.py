"""How much space snakes have: the tiles that each of them reaches before all others. Tiles have numbers, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from arena_snakes.entities import Snake


@cache
def neighbours(width: int, height: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours of each tile."""
    return tuple(
        tuple(
            width * (y + dy) + x + dx
            for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0))
            if 0 <= x + dx < width and 0 <= y + dy < height
        )
        for y in range(height)
        for x in range(width)
    )


def vacated(width: int, snakes: Iterable[Snake]) -> dict[int, int]:
    """Return for each tile of a snake the number of moves after which the body has left it, if nobody eats."""
    return {width * tile.y + tile.x: moves for snake in snakes for moves, tile in enumerate(reversed(snake.body), 1)}


def territories(
    starts: Sequence[tuple[int, int]], lengths: Sequence[int], free: Mapping[int, int], near: Sequence[Sequence[int]]
) -> list[int]:
    """Return for each snake how many tiles it reaches before all others. Of two at once, the longer one is first.

    Args:
        starts: The tile of each head, and the number of moves after which the head is there: 0 for now.
        lengths: The lengths of the snakes.
        free: The number of moves after which a body has left a tile, if nobody eats; no entry for free tiles.
        near: The neighbours of each tile.
    """
    order = sorted(range(len(starts)), key=lambda snake: (-lengths[snake], starts[snake][1]))
    fronts = {snake: [starts[snake][0]] for snake in order}
    occupied = {tile for tile, _ in starts}
    counts = [0] * len(starts)
    moves = 0
    while any(fronts.values()):
        moves += 1
        for snake in order:
            if starts[snake][1] >= moves:
                continue
            reached = []
            for tile in fronts[snake]:
                for near_tile in near[tile]:
                    if near_tile not in occupied and free.get(near_tile, 0) <= moves:
                        occupied.add(near_tile)
                        reached.append(near_tile)
            counts[snake] += len(reached)
            fronts[snake] = reached
    return counts
