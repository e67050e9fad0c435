"""How much space snakes have: the tiles that each of them reaches before all others. Tiles have numbers, row by row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache


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


def territories(
    heads: Sequence[int], lengths: Sequence[int], blocked: Collection[int], near: Sequence[Sequence[int]]
) -> list[int]:
    """Return for each snake how many tiles it reaches before all others. Of two at once, the longer one is first.

    Args:
        heads: The tile of each head.
        lengths: The lengths of the snakes.
        blocked: The tiles that nobody can enter.
        near: The neighbours of each tile.
    """
    counts = [0] * len(heads)
    owner = [-1] * len(near)
    for tile in blocked:
        owner[tile] = -2
    order = sorted(range(len(heads)), key=lengths.__getitem__, reverse=True)
    for snake in order:
        owner[heads[snake]] = snake
    queue = [heads[snake] for snake in order]
    for tile in queue:
        snake = owner[tile]
        for other in near[tile]:
            if owner[other] == -1:
                owner[other] = snake
                counts[snake] += 1
                queue.append(other)
    return counts
