"""The points that one wall hides from one point (the origin), computed exactly in integers.

Points are the corners and the centres of tiles. In doubled coordinates a corner is (2i, 2j), a centre is
(2i + 1, 2j + 1), and a wall is a closed square of side 2. The wall hides a point if the segment from the origin to
the point touches the square. In each row, the hidden points are one interval.

A shadow is the set of the points that one wall hides, as a big integer with a bit for each point. A shadow depends
only on the wall's position relative to the origin. The OR of shadows contains the points that any of the walls hides.
"""

from __future__ import annotations

from functools import cache

REACH = 21
"""The greatest distance along one axis between two points of the largest map, in tiles."""
SPAN = 64
"""Bits for one row of points. The number is more than twice `REACH`, so that the bits of two rows do not overlap."""
ROWS = 2 * REACH + 1
CENTRES = SPAN * (ROWS + REACH + 2)
"""The first bit of the centres. Bits of corners stay below it when a shadow is shifted across the map."""
ORIGIN = SPAN * REACH + REACH
"""The bit of the corner (0, 0). The centre of the tile (0, 0) has the bit `CENTRES` + `ORIGIN`."""

CORNER = 0
CENTRE = 1


@cache
def shadow(origin: int, across: int, down: int) -> int:
    """Return the points that a wall hides from the origin.

    Args:
        origin: `CORNER` for the north-west corner of tile (0, 0), `CENTRE` for its centre.
        across: The wall's x, relative to that tile.
        down: The wall's y, relative to that tile.
    """
    left = 2 * across - origin
    top = 2 * down - origin
    square = (left, left + 2, top, top + 2)
    return _lattice(square, -origin) | _lattice(square, 1 - origin) << CENTRES


def _lattice(square: tuple[int, int, int, int], shift: int) -> int:
    """Return the points (2i + shift, 2j + shift) that a square hides from (0, 0)."""
    bits = 0
    for row in range(-REACH, REACH + 1):
        interval = _interval(square, 2 * row + shift)
        if interval is None:
            continue
        low, high = interval
        first = -REACH if low is None else max(-REACH, (low - shift + 1) // 2)
        last = REACH if high is None else min(REACH, (high - shift) // 2)
        if first <= last:
            bits |= ((1 << (last - first + 1)) - 1) << ((row + REACH) * SPAN + first + REACH)
    return bits


def _interval(square: tuple[int, int, int, int], y: int) -> tuple[int | None, int | None] | None:
    """Return the range of integers x for which the segment from (0, 0) to (x, y) touches the square.

    Args:
        square: Left, right, top and bottom.
        y: The row.

    Returns:
        The least and the greatest x, where None means no bound; None instead of the pair if there is no such x.
    """
    left, right, top, bottom = square
    if left <= 0 <= right and top <= 0 <= bottom:
        return None, None
    if y < 0:
        y, top, bottom = -y, -bottom, -top
    if y == 0:
        if not top <= 0 <= bottom:
            return None
        return (left, None) if left > 0 else (None, right)
    near = max(top, 0)
    far = min(bottom, y)
    if near > far or far == 0:
        return None
    # The segment touches the square if x * h / y is in [left, right] for some row h in [near, far].
    low = -(-left * y // far) if left > 0 else (-(-left * y // near) if near else None)
    high = right * y // far if right < 0 else (right * y // near if near else None)
    return low, high
