"""Lines of sight on one map, computed for each tile when first needed."""

from __future__ import annotations

from arena_laser_flag.shadows import CENTRE, CENTRES, CORNER, ORIGIN, SPAN, shadow

Point = tuple[int, int]
Segment = tuple[Point, Point]

_POINTS = ((CENTRE, 0, 0), (CORNER, 0, 0), (CORNER, 1, 0), (CORNER, 0, 1), (CORNER, 1, 1))
"""The five points of a tile, in the order of the specification.

Each point is (kind, dx, dy): the centre or the north-west corner of the tile at the offset (dx, dy).
"""


class Sight:
    """The lines of sight of one map.

    The five points of a tile are its centre and its corners. A tile sees another tile if one of the 25 segments
    between their points touches no wall. Sets of tiles are big integers with the bit ``y * stride + x`` for the tile
    (x, y).

    Args:
        width: The map's width.
        height: The map's height.
        stride: Bits for one row of tiles.
        walls: All tiles that block sight, as (x, y).
        walkable: All tiles that are not in `walls`, as a set.
    """

    __slots__ = ("_hidden", "_seen", "_size", "_stride", "_walkable", "_walls")

    def __init__(self, width: int, height: int, stride: int, walls: tuple[Point, ...], walkable: int) -> None:
        self._size = (width, height)
        self._stride = stride
        self._walls = walls
        self._walkable = walkable
        self._seen: dict[Point, int] = {}
        self._hidden: dict[tuple[int, int, int], int] = {}

    def seen_from(self, x: int, y: int) -> int:
        """Return the walkable tiles that are visible from a walkable tile, including the tile itself."""
        seen = self._seen.get((x, y))
        if seen is None:
            seen = self._seen[x, y] = self._look(x, y)
        return seen

    def line(self, start: Point, end: Point) -> Segment | None:
        """Return the first clear segment between two walkable tiles, or None if there is none.

        The first point of the start is tried with all points of the end, then the second point, and so on. The result
        has doubled coordinates: the tile (x, y) is the square from (2x, 2y) to (2x + 2, 2y + 2).
        """
        for kind, right, down in _POINTS:
            hidden = self._hidden_from(kind, start[0] + right, start[1] + down)
            for other, across, below in _POINTS:
                x, y = end[0] + across, end[1] + below
                if not hidden >> (_bit(x, y) + (CENTRES if other == CENTRE else 0)) & 1:
                    return (
                        (2 * (start[0] + right) + kind, 2 * (start[1] + down) + kind),
                        (2 * x + other, 2 * y + other),
                    )
        return None

    def _look(self, x: int, y: int) -> int:
        hidden = -1
        for kind, right, down in _POINTS:
            hidden &= self._hidden_from(kind, x + right, y + down)
        corners = ~hidden
        centres = corners >> CENTRES
        points = centres | corners | corners >> 1 | corners >> SPAN | corners >> (SPAN + 1)
        return (self._pack(points) & self._walkable) | 1 << (y * self._stride + x)

    def _hidden_from(self, kind: int, x: int, y: int) -> int:
        """Return all points that the walls hide from one point."""
        hidden = self._hidden.get((kind, x, y))
        if hidden is None:
            hidden = 0
            for across, down in self._walls:
                hidden |= shadow(kind, across - x, down - y)
            hidden = self._hidden[kind, x, y] = hidden << (y * SPAN + x)
        return hidden

    def _pack(self, points: int) -> int:
        """Convert rows of `SPAN` bits into rows of `stride` bits."""
        width, height = self._size
        row_mask = (1 << width) - 1
        points >>= ORIGIN
        packed = 0
        for y in range(height):
            packed |= (points >> y * SPAN & row_mask) << y * self._stride
        return packed


def _bit(x: int, y: int) -> int:
    return ORIGIN + y * SPAN + x
