"""Lines of sight as bit masks.

Cells are numbered ``y * width + x``. A set of cells is an integer with one bit for each cell. A line is clear if all
its cells are clear and, at each diagonal step, at least one of the two cells beside the step.
"""

from __future__ import annotations

from collections.abc import Iterator

Corner = tuple[tuple[int, int], tuple[int, int]]
Line = tuple[int, tuple[int, ...]]
"""A mask of cells that must all be clear, and masks of two cells each. One cell of each pair must be clear."""

CLEAR: Line = (0, ())


def is_open(line: Line, obstructed: int) -> bool:
    """Return whether a line is clear, for a mask of obstructed cells."""
    inner, corners = line
    if inner & obstructed:
        return False
    for corner in corners:  # noqa: SIM110 - `all` with a generator takes twice as long
        if corner & obstructed == corner:
            return False
    return True


class Lines:
    """The lines of sight on boards of one width. One line is computed for each offset between two cells.

    Args:
        width: Cells in a row.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._lines: dict[tuple[int, int], Line] = {}

    def between(self, x0: int, y0: int, x1: int, y1: int) -> Line:
        """Return the line between two cells of the board. The line is the same in both directions."""
        if (y1, x1) < (y0, x0):
            x0, y0, x1, y1 = x1, y1, x0, y0
        line = self._lines.get((x1 - x0, y1 - y0))
        if line is None:
            line = self._lines[x1 - x0, y1 - y0] = self._from_offset(x1 - x0, y1 - y0)
        shift = y0 * self.width + min(x0, x1)
        inner, corners = line
        return inner << shift, tuple([corner << shift for corner in corners])

    def _from_offset(self, dx: int, dy: int) -> Line:
        """Compute the line from (0, 0) to (dx, dy), where dy >= 0.

        Bit 0 of each mask is the top left cell of the smallest rectangle that contains the line.
        """
        left = min(0, dx)
        inner = 0
        pairs: set[int] = set()
        for start, end in (((0, 0), (dx, dy)), ((dx, dy), (0, 0))):
            for cell, corner in walk(start, end):
                if cell != end:
                    inner |= self._bit(cell, left)
                if corner is not None:
                    pairs.add(self._bit(corner[0], left) | self._bit(corner[1], left))
        return inner, tuple(sorted(pair for pair in pairs if not pair & inner))

    def _bit(self, cell: tuple[int, int], left: int) -> int:
        return 1 << (cell[1] * self.width + cell[0] - left)


def walk(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[tuple[int, int], Corner | None]]:
    """Walk a line in one direction.

    Yields:
        Each cell after the start. For a diagonal step, also the two cells on both sides of the step.
    """
    (x, y), (x1, y1) = start, end
    dx, dy = abs(x1 - x), abs(y1 - y)
    step_x = (x1 > x) - (x1 < x)
    step_y = (y1 > y) - (y1 < y)
    error = dx - dy
    while (x, y) != end:
        old_x, old_y = x, y
        doubled = 2 * error
        if doubled > -dy:
            error -= dy
            x += step_x
        if doubled < dx:
            error += dx
            y += step_y
        diagonal = x != old_x and y != old_y
        yield (x, y), (((x, old_y), (old_x, y)) if diagonal else None)
