"""What the better bots of Derelict see in a position: distances, who sees whom, and the goals of both sides.

Everything is computed at most once for a position, when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

from arena_derelict.board import Board
from arena_derelict.pieces import Pieces
from arena_derelict.rulesets import FACING_INDEX, FACINGS, VECTORS

Cell = tuple[int, int]
FAR = 999
"""The distance between cells without a way between them: longer than any way on a map."""
RANGE = 12
"""How far marines on overwatch shoot; see the option `overwatch_range`."""


class Distances:
    """The number of steps between cells if only walls block, computed once for each goal."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._fields: dict[Cell, list[int]] = {}

    def field(self, goal: Cell) -> list[int]:
        """Return a list with the number of steps from each cell to a goal. The index is the cell number."""
        field = self._fields.get(goal)
        if field is None:
            field = self._fields[goal] = self._flood(goal)
        return field

    def between(self, first: Cell, second: Cell) -> int:
        """Return the number of steps from one cell to another."""
        return self.field(second)[self.board.number(*first)]

    def _flood(self, goal: Cell) -> list[int]:
        board = self.board
        steps = [FAR] * (board.width * board.height)
        steps[board.number(*goal)] = 0
        edge = [goal]
        for cell in edge:
            following = steps[board.number(*cell)] + 1
            for near in board.neighbours(*cell):
                number = board.number(*near)
                if steps[number] > following:
                    steps[number] = following
                    edge.append(near)
        for lurk in board.lurk_cells:
            if not board.is_corridor(*lurk):
                entries = [steps[board.number(*entry)] for entry in board.entry_cells]
                steps[board.number(*lurk)] = 1 + min(entries, default=FAR)
        return steps


@lru_cache(maxsize=4)
def distances_on(board: Board) -> Distances:
    """Return the distances on a map. All bots in this process share them."""
    return Distances(board)


def cell_of(unit: Any) -> Cell:
    """Return the cell of a unit."""
    return unit.x, unit.y


def ahead_of(unit: Any) -> Cell:
    """Return the cell straight ahead of a unit."""
    dx, dy = VECTORS[FACING_INDEX[unit.facing]]
    return unit.x + dx, unit.y + dy


def quarters_to(unit: Any, cell: Cell) -> int:
    """Return the number of clockwise quarter turns after which a unit faces a cell: ahead, or more ahead than aside."""
    dx, dy = cell[0] - unit.x, cell[1] - unit.y
    across = "East" if dx > 0 else "West"
    along = "South" if dy > 0 else "North"
    facing = across if abs(dx) >= abs(dy) else along
    return (FACING_INDEX[facing] - FACING_INDEX[unit.facing]) % 4


class Situation:
    """One position.

    Args:
        options: The options of the game.
        board: The map of the game.
        game: A bot's game object or, in a search, a state of the rules.
        pieces: The pieces of this position.
    """

    def __init__(self, options: Any, board: Board, game: Any, pieces: Pieces) -> None:
        self.options = options
        self.board = board
        self.distances = distances_on(board)
        self.game = game
        self.pieces = pieces
        self.decision = game.decision
        self.active = game.active

    # -- both sides --------------------------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> list[Any]:
        """All aliens and blips."""
        return [unit for unit in self.game.units if unit.kind != "marine"]

    def nearest(self, cell: Cell, units: Iterable[Any]) -> int:
        """Return the number of steps from a cell to the nearest of several units."""
        number = self.board.number(*cell)
        return min((self.distances.field(cell_of(unit))[number] for unit in units), default=FAR)

    def quarters_to_nearest(self, unit: Any, goals: Iterable[Any]) -> int:
        """Return the number of clockwise quarter turns after which a unit faces the nearest goal."""
        by_distance = [(self.distances.between(cell_of(unit), cell_of(goal)), goal.id, cell_of(goal)) for goal in goals]
        return quarters_to(unit, min(by_distance)[2]) if by_distance else 0

    # -- marines -----------------------------------------------------------------------------------------------------

    @cached_property
    def targets(self) -> list[Any]:
        """The aliens that the active marine sees."""
        aliens = [unit for unit in self.contacts if unit.kind == "alien"]
        return [unit for unit in aliens if self.pieces.is_seen(self.active, unit.x, unit.y)]

    @cached_property
    def danger(self) -> int:
        """The number of steps between the active marine and the nearest contact."""
        return self.nearest(cell_of(self.active), self.contacts)

    def goal_distance(self, cell: Cell) -> int:
        """Return the number of steps from a cell to the nearest objective; 0 without objectives."""
        return min((self.distances.between(cell, goal) for goal in self.board.objectives), default=0)

    @cached_property
    def lanes(self) -> list[float]:
        """For each facing, a score: higher if the active marine would see more of the near enemies' paths."""
        cell = self.board.number(*cell_of(self.active))
        obstructed = self.pieces.obstructed_without(self.active)
        return [self._lane(_numbers(self.board.seen(cell, facing, obstructed))) for facing in FACINGS]

    def _lane(self, seen: list[int]) -> float:
        field = self.distances.field(cell_of(self.active))
        score = 0.0
        for contact in self.contacts:
            origin = self.distances.field(cell_of(contact))
            length = field[self.board.number(*cell_of(contact))]
            if length < FAR:
                on_way = sum(field[cell] + origin[cell] <= length and 0 < field[cell] <= RANGE for cell in seen)
                score += min(on_way, 6) / (4.0 + length)
        return score

    @cached_property
    def pressed(self) -> bool:
        """Whether the flamer will reach the objective in time only if all marines hurry."""
        limit = self.options["turn_limit"]
        flamers = [unit for unit in self.pieces.marines if unit.marine_type == "marine_flame"]
        if not limit or not flamers:
            return False
        way = min(self.goal_distance(cell_of(flamer)) for flamer in flamers)
        return bool(way - 6 > 3 * (limit - self.game.turn))

    def leads(self, flamer: Any, cell: Cell) -> bool:
        """Return whether a step would put the flamer in front of the squad, which is dangerous."""
        others = [self.goal_distance(cell_of(marine)) for marine in self.pieces.marines if marine is not flamer]
        ahead = self.goal_distance(cell)
        return bool(others) and ahead > 9 and ahead <= min(others)

    # -- aliens ------------------------------------------------------------------------------------------------------

    def is_watched(self, cell: Cell) -> bool:
        """Return whether a marine on overwatch sees a cell."""
        return bool(self._watched >> self.board.number(*cell) & 1)

    @cached_property
    def _watched(self) -> int:
        mask = 0
        for marine in self.pieces.marines:
            if marine.overwatch:
                mask |= self.pieces.visible_cells(marine)
        return mask

    @cached_property
    def late(self) -> bool:
        """Whether half of the turns are over, and the aliens do not win at the turn limit."""
        limit = self.options["turn_limit"]
        return bool(limit and self.options["limit_winner"] != "alien" and self.game.turn >= limit // 2)

    @cached_property
    def goals(self) -> dict[Cell, float]:
        """The cells from which a marine can be attacked, each with its value."""
        goals: dict[Cell, float] = {}
        for marine in self.pieces.marines:
            for dx, dy in VECTORS:
                cell = (marine.x + dx, marine.y + dy)
                if self._can_stand(cell):
                    goals[cell] = max(goals.get(cell, -9.0), _value_of_attack(marine, cell))
        return goals

    def _can_stand(self, cell: Cell) -> bool:
        """Return whether the active alien could stand on a cell, or stands there."""
        if not self.board.is_corridor(*cell):
            return False
        return self.pieces.is_free(*cell) or self.pieces.unit_at(*cell) is self.active

    def way(self, cell: Cell) -> float:
        """Return the distance from a cell to the best of `goals`, minus that goal's value."""
        number = self.board.number(*cell)
        return min((self.distances.field(goal)[number] - value for goal, value in self.goals.items()), default=FAR)

    @cached_property
    def rushing(self) -> bool:
        """Whether the active alien should risk the marines' fire."""
        if self.is_watched(cell_of(self.active)):
            return True
        ready = sum(self.nearest(cell_of(contact), self.pieces.marines) <= 7 for contact in self.contacts)
        return self.way(cell_of(self.active)) + 1 <= self.game.ap or ready >= 3 or self.late


def _value_of_attack(marine: Any, cell: Cell) -> float:
    flank = 0.8 if cell != ahead_of(marine) else 0.0
    prey = 1.5 if marine.marine_type == "marine_flame" else 0.0
    marked = -0.7 if marine.guard else 0.0
    return flank + prey + marked


def _numbers(mask: int) -> list[int]:
    numbers = []
    while mask:
        lowest = mask & -mask
        numbers.append(lowest.bit_length() - 1)
        mask ^= lowest
    return numbers
