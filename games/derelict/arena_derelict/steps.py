"""Steps of a unit: possible cells, costs, and reasons for refusals."""

from __future__ import annotations

from typing import NamedTuple

from arena_derelict.entities import Unit
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.rulesets import FACING_INDEX, VECTORS

_NAMES = {
    (1, 0): "forward",
    (1, 1): "forward_right",
    (1, -1): "forward_left",
    (-1, 0): "backward",
    (-1, 1): "backward_right",
    (-1, -1): "backward_left",
    (0, 1): "right",
    (0, -1): "left",
}
"""Names of the steps by (forward, right), in the order of the list of choices."""


class Step(NamedTuple):
    """A step that a unit can take.

    Attributes:
        x: Column of the cell.
        y: Row of the cell.
        cost: The cost in action points.
        name: The name of the step in the list of choices.
    """

    x: int
    y: int
    cost: int
    name: str


def _offsets(facing: int) -> dict[tuple[int, int], str]:
    fx, fy = VECTORS[facing]
    return {(forward * fx - right * fy, forward * fy + right * fx): name for (forward, right), name in _NAMES.items()}


OFFSETS: tuple[dict[tuple[int, int], str], ...] = tuple(_offsets(facing) for facing in range(4))
"""For each facing: the offsets of the eight neighbours, with the names of the steps."""
_BACKWARD = ("backward", "backward_left", "backward_right")
_COSTS = {
    "marine": {name: 2 if name in _BACKWARD else 1 for name in _NAMES.values() if name not in ("left", "right")},
    "alien": {name: 2 if name in _BACKWARD else 1 for name in _NAMES.values()},
    "blip": dict.fromkeys(_NAMES.values(), 1),
}
_WAYS = {
    (kind, facing): [(dx, dy, costs[name], name) for (dx, dy), name in OFFSETS[index].items() if name in costs]
    for kind, costs in _COSTS.items()
    for facing, index in FACING_INDEX.items()
}
"""For each kind of unit and facing: the steps that are possible in an open place, each as (dx, dy, cost, name)."""


def judge(game: Position, pieces: Pieces, unit: Unit, x: int, y: int) -> Step | str:
    """Return the step to a cell, or the reason why it is refused."""
    ordinary = _judge_ordinary(game, pieces, unit, x, y)
    if isinstance(ordinary, Step):
        return ordinary
    return entry_step(game, pieces, unit, (x, y)) or ordinary


def _judge_ordinary(game: Position, pieces: Pieces, unit: Unit, x: int, y: int) -> Step | str:
    name = OFFSETS[FACING_INDEX[unit.facing]].get((x - unit.x, y - unit.y))
    cost = _COSTS[unit.kind].get(name) if name is not None else None
    if name is None or cost is None:
        return "not a neighbouring step"
    if not pieces.board.is_corridor(x, y):
        return "wall"
    obstacle = _obstacle(pieces, unit, x, y)
    if obstacle is not None:
        return obstacle
    if cost > game.ap:
        return "not enough AP"
    return Step(x, y, cost, name)


def _obstacle(pieces: Pieces, unit: Unit, x: int, y: int) -> str | None:
    """Return why a unit cannot step on a corridor cell next to it; None if it can."""
    bit = 1 << (y * pieces.board.width + x)
    if pieces.obstructed & bit:
        if pieces.closed & bit:
            return "closed door"
        if pieces.standing & bit:
            return "occupied"
        if not pieces.burns(unit.x, unit.y):
            return "fire"
    if unit.kind == "blip":
        for marine in pieces.marines:
            if -1 <= marine.x - x <= 1 and -1 <= marine.y - y <= 1:
                return "next to a marine"
        if pieces.is_seen_by_any(x, y, pieces.obstructed_without(unit)):
            return "in sight of a marine"
    return None


def entry_step(game: Position, pieces: Pieces, unit: Unit, wanted: tuple[int, int] | None = None) -> Step | None:
    """Return the move of a unit from a lurk cell to an entry cell, or None if it has no such move.

    Args:
        game: The game.
        pieces: The positions of all objects.
        unit: The active unit.
        wanted: Return the move only if it leads to this cell.
    """
    if unit.kind == "marine" or game.ap < 1 or (unit.x, unit.y) not in pieces.board.lurk_cells:
        return None
    cell = pieces.entry_cell(unit)
    if cell is None or (wanted is not None and cell != wanted):
        return None
    x, y = cell
    if pieces.burns(x, y) and not pieces.burns(unit.x, unit.y):
        return None
    name = OFFSETS[FACING_INDEX[unit.facing]].get((x - unit.x, y - unit.y), "entry")
    return Step(x, y, 1, name)


def list_steps(game: Position, pieces: Pieces, unit: Unit) -> list[Step]:
    """List all steps that the active unit can take."""
    is_corridor, ap = pieces.board.is_corridor, game.ap
    steps = []
    for dx, dy, cost, name in _WAYS[unit.kind, unit.facing]:
        x, y = unit.x + dx, unit.y + dy
        if cost <= ap and is_corridor(x, y) and _obstacle(pieces, unit, x, y) is None:
            steps.append(Step(x, y, cost, name))
    entry = entry_step(game, pieces, unit)
    if entry is not None and all(step[:2] != entry[:2] for step in steps):
        steps.append(entry)
    return steps
