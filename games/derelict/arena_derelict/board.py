"""The static map of a mission: cells, sections, markers, and lines of sight."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from arena_derelict.rulesets import FACING_INDEX, VECTORS
from arena_derelict.sight import CLEAR, Line, Lines, is_open

Cell = tuple[int, int]
Sight = dict[int, Line]
"""The lines of sight from one cell in one facing. Maps each cell that no wall hides to its line."""

_REMEMBERED = 4096


def cell_of(value: Any) -> Cell:
    """Read a cell in the form of mission files: ``[x, y]`` or an object with x and y."""
    return (value["x"], value["y"]) if isinstance(value, dict) else (value[0], value[1])


class Board:
    """The static map.

    Args:
        mission: A mission document without errors.

    Attributes:
        width: Cells in a row.
        height: Rows.
        walls: Mask of all walls.
        corridor: Whether each cell is a corridor cell, by cell number.
        section: Maps the number of a corridor cell to its section.
        sections: Maps a section to the numbers of its cells in row-major order.
        lurk_cells: The cells where reinforcements appear.
        entry_cells: The cells where lurking units enter.
        objectives: The cells that the marines must burn.
        start_cells: Maps each cell where a marine can be deployed to the facing that the marine gets there.
        drop_cells: The cells where marines wait for their deployment.
    """

    def __init__(self, mission: dict[str, Any]) -> None:
        rows = mission["rows"]
        self.width = len(rows[0])
        self.height = len(rows)
        letters = "".join(rows)
        self.corridor = [letter == "." for letter in letters]
        self.walls = sum(1 << cell for cell, letter in enumerate(letters) if letter == "#")
        self.lurk_cells = _cells(mission, "lurk_cells")
        self.entry_cells = _cells(mission, "entry_cells")
        self.objectives = _cells(mission, "objectives")
        self.drop_cells = _cells(mission, "drop_cells")
        self.start_cells: dict[Cell, str] = {}
        for start in mission.get("start_cells", []):
            self.start_cells.setdefault(cell_of(start), start["facing"])
        self.section: dict[int, str] = {}
        self.sections: dict[str, tuple[int, ...]] = {}
        self._name_sections(mission.get("sections"))
        self._lines = Lines(self.width)
        units = [cell_of(unit) for key in ("marines", "aliens") for unit in mission.get(key, [])]
        places = {self.number(*cell) for cell in (*units, *self.lurk_cells, *self.start_cells)}
        self._places = sorted(places | {cell for cell, is_corridor in enumerate(self.corridor) if is_corridor})
        self._sights: dict[tuple[int, int], tuple[Sight, int]] = {}
        self._seen: dict[tuple[int, int, int], int] = {}
        self._flamer_fields: dict[tuple[int, int, int], tuple[tuple[int, str, Line], ...]] = {}

    def _name_sections(self, rows: list[str] | None) -> None:
        names = "".join(rows) if rows else "." * len(self.corridor)
        found: dict[str, list[int]] = {}
        for cell, is_corridor in enumerate(self.corridor):
            if is_corridor:
                name = names[cell] if names[cell] != "." else f"{cell % self.width},{cell // self.width}"
                self.section[cell] = name
                found.setdefault(name, []).append(cell)
        self.sections = {name: tuple(cells) for name, cells in found.items()}

    def number(self, x: int, y: int) -> int:
        """Return the number of a cell on the map."""
        return y * self.width + x

    def is_corridor(self, x: int, y: int) -> bool:
        """Return whether a cell is a corridor cell. All cells off the map are walls."""
        return 0 <= x < self.width and 0 <= y < self.height and self.corridor[y * self.width + x]

    def neighbours(self, x: int, y: int) -> list[Cell]:
        """List the corridor cells among the eight neighbours of a cell, column by column."""
        return [
            (x + dx, y + dy)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if (dx or dy) and self.is_corridor(x + dx, y + dy)
        ]

    def sight(self, cell: int, facing: str) -> Sight:
        """Return the cells that a marine could see from a cell if only walls were in the way.

        Only cells where a unit can be are included: corridor cells, and wall cells where units wait or appear.
        """
        return self._sight(cell, FACING_INDEX[facing])[0]

    def _sight(self, cell: int, facing: int) -> tuple[Sight, int]:
        found = self._sights.get((cell, facing))
        if found is None:
            found = self._sights[cell, facing] = self._look(cell, facing)
        return found

    def _look(self, cell: int, facing: int) -> tuple[Sight, int]:
        """Return the lines from a cell into the field of view, and a mask of the cells that can obstruct them."""
        width = self.width
        x0, y0 = cell % width, cell // width
        fx, fy = VECTORS[facing]
        sight: Sight = {cell: CLEAR}
        relevant = 0
        for other in self._places:
            dx, dy = other % width - x0, other // width - y0
            forward = dx * fx + dy * fy
            if forward <= 0 or not -forward <= dx * fy - dy * fx <= forward:
                continue
            inner, corners = self._lines.between(x0, y0, x0 + dx, y0 + dy)
            line = self._without_walls(inner, corners)
            if line is not None:
                sight[other] = line
                relevant |= line[0]
                for corner in line[1]:
                    relevant |= corner
        return sight, relevant

    def _without_walls(self, inner: int, corners: tuple[int, ...]) -> Line | None:
        """Return the cells on which a line depends, apart from walls. Return None if walls obstruct the line."""
        walls = self.walls
        if inner & walls:
            return None
        left = []
        for corner in corners:
            wall = corner & walls
            if wall == corner:
                return None
            if wall:
                inner |= corner & ~wall
            else:
                left.append(corner)
        return inner, tuple(corner for corner in left if not corner & inner)

    def seen(self, cell: int, facing: str, obstructed: int) -> int:
        """Return the mask of all cells visible to a marine.

        Args:
            cell: The marine's cell.
            facing: The marine's facing.
            obstructed: Mask of the cells with units, closed doors and flames.
        """
        index = FACING_INDEX[facing]
        sight, relevant = self._sight(cell, index)
        key = (cell, index, obstructed & relevant)
        mask = self._seen.get(key)
        if mask is None:
            mask = 0
            for other, line in sight.items():
                if is_open(line, obstructed):
                    mask |= 1 << other
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[key] = mask
        return mask

    def flamer_field(self, cell: int, facing: str, reach: int) -> tuple[tuple[int, str, Line], ...]:
        """List the corridor cells in a flamer's view and range, nearest first, each as (number, section, line)."""
        index = FACING_INDEX[facing]
        field = self._flamer_fields.get((cell, index, reach))
        if field is None:
            width = self.width
            x0, y0 = cell % width, cell // width
            listed = []
            for other, line in self._sight(cell, index)[0].items():
                x, y = other % width, other // width
                distance = max(abs(x - x0), abs(y - y0))
                if distance <= reach and self.corridor[other]:
                    listed.append((distance, y, x, other, line))
            listed.sort(key=lambda entry: entry[:3])
            field = tuple((other, self.section[other], line) for *_, other, line in listed)
            self._flamer_fields[cell, index, reach] = field
        return field

    def cells(self, mask: int) -> list[Cell]:
        """List the cells of a mask, row by row."""
        found = []
        while mask:
            lowest = mask & -mask
            cell = lowest.bit_length() - 1
            found.append((cell % self.width, cell // self.width))
            mask ^= lowest
        return found


def _cells(mission: dict[str, Any], key: str) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(cell_of(value) for value in mission.get(key, [])))


def board_of(mission: dict[str, Any]) -> Board:
    """Return the board of a mission. Calls with the same mission share one board and its computed tables."""
    return _board_of(json.dumps(mission))


@lru_cache(maxsize=16)
def _board_of(text: str) -> Board:
    return Board(json.loads(text))
