"""The positions of all objects at one moment, indexed for the rules."""

from __future__ import annotations

from collections.abc import Iterable

from arena_derelict.board import Board, Cell, Sight
from arena_derelict.entities import Door, Unit
from arena_derelict.sight import is_open


class Pieces:
    """A snapshot of units, doors and flames, valid until the state changes.

    Attributes:
        units: Unit by cell number.
        doors: Door by cell number.
        marines: All marines in id order.
        blips: All blips in id order.
        aliens: The number of aliens, without blips.
        standing: Mask of the cells with units.
        closed: Mask of the closed doors.
        flames: Mask of the burning cells.
        obstructed: Mask of the cells with units, closed doors or flames.
    """

    __slots__ = (
        "_seen",
        "aliens",
        "blips",
        "board",
        "closed",
        "doors",
        "flames",
        "marines",
        "obstructed",
        "standing",
        "units",
    )

    def __init__(
        self, board: Board, units: Iterable[Unit], doors: Iterable[Door], flames: Iterable[tuple[int, int]]
    ) -> None:
        self.board = board
        self._seen: list[Sight] | None = None
        width = board.width
        self.units: dict[int, Unit] = {}
        self.marines: list[Unit] = []
        self.blips: list[Unit] = []
        self.aliens = standing = closed = burning = 0
        for unit in units:
            cell = unit.y * width + unit.x
            self.units[cell] = unit
            standing |= 1 << cell
            kind = unit.kind
            if kind == "marine":
                self.marines.append(unit)
            elif kind == "blip":
                self.blips.append(unit)
            else:
                self.aliens += 1
        self.doors: dict[int, Door] = {}
        for door in doors:
            cell = door.y * width + door.x
            self.doors[cell] = door
            if not door.open:
                closed |= 1 << cell
        for x, y in flames:
            burning |= 1 << (y * width + x)
        self.standing = standing
        self.closed = closed
        self.flames = burning
        self.obstructed = standing | closed | burning

    def unit_at(self, x: int, y: int) -> Unit | None:
        """Return the unit in a cell, or None. A cell off the map has no unit."""
        board = self.board
        if 0 <= x < board.width and 0 <= y < board.height:
            return self.units.get(y * board.width + x)
        return None

    def door_at(self, x: int, y: int) -> Door | None:
        """Return the door in a cell, or None. A cell off the map has no door."""
        board = self.board
        if 0 <= x < board.width and 0 <= y < board.height:
            return self.doors.get(y * board.width + x)
        return None

    def is_free(self, x: int, y: int) -> bool:
        """Return whether a cell of the map has neither a unit nor a closed door."""
        return not (self.standing | self.closed) >> (y * self.board.width + x) & 1

    def burns(self, x: int, y: int) -> bool:
        """Return whether a cell of the map burns."""
        return bool(self.flames >> (y * self.board.width + x) & 1)

    def obstructed_without(self, unit: Unit) -> int:
        """Return the mask of obstructed cells as if this unit were not on the board."""
        own = 1 << (unit.y * self.board.width + unit.x)
        return (self.standing & ~own) | self.closed | self.flames

    def is_seen(self, marine: Unit, x: int, y: int, obstructed: int | None = None) -> bool:
        """Return whether a cell is visible to a marine. A wall cell where no unit can be is never visible.

        Args:
            marine: The marine.
            x: Column.
            y: Row.
            obstructed: Mask of obstructed cells. The default is the current mask.
        """
        width = self.board.width
        line = self.board.sight(marine.y * width + marine.x, marine.facing).get(y * width + x)
        return line is not None and is_open(line, self.obstructed if obstructed is None else obstructed)

    def is_seen_by_any(self, x: int, y: int, obstructed: int | None = None) -> bool:
        """Return whether a cell is visible to any marine."""
        cell = y * self.board.width + x
        if obstructed is None:
            obstructed = self.obstructed
        for sight in self._sights():
            line = sight.get(cell)
            if line is not None and is_open(line, obstructed):
                return True
        return False

    def _sights(self) -> list[Sight]:
        """Return what each marine could see if only walls were in the way."""
        if self._seen is None:
            board = self.board
            self._seen = [board.sight(marine.y * board.width + marine.x, marine.facing) for marine in self.marines]
        return self._seen

    def seen_blip(self) -> Unit | None:
        """Return the first blip, in id order, whose cell is visible to a marine."""
        return next((blip for blip in self.blips if self.is_seen_by_any(blip.x, blip.y)), None)

    def visible_cells(self, marine: Unit) -> int:
        """Return the mask of the cells visible to a marine."""
        return self.board.seen(marine.y * self.board.width + marine.x, marine.facing, self.obstructed)

    def entry_cell(self, unit: Unit) -> Cell | None:
        """Return the free entry cell that is nearest to a lurking unit, or None if no entry cell is free."""
        best: tuple[int, int, int] | None = None
        for x, y in self.board.entry_cells:
            if (x, y) != (unit.x, unit.y) and self.is_free(x, y):
                key = (max(abs(x - unit.x), abs(y - unit.y)), y, x)
                if best is None or key < best:
                    best = key
        return None if best is None else (best[2], best[1])
