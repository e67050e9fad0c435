"""Moves, turns, and doors."""

from __future__ import annotations

from typing import Any

from arena.game import IllegalAction, Integers, Tile
from arena_derelict.entities import Door, Unit
from arena_derelict.flow import destroy, pay, proceed
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.rulesets import FACING_INDEX, FLAME_KILLS
from arena_derelict.steps import OFFSETS, judge

_FREE_TURN_AFTER = {
    "after_move": ("move",),
    "after_move_or_turn": ("move", "turn", "free_turn"),
    "after_move_or_paid_turn": ("move", "turn"),
}
_IN_FRONT = ("forward", "forward_right", "forward_left")


def active_unit(game: Position) -> Unit:
    """Return the active unit.

    Raises:
        IllegalAction: No unit is active.
    """
    if game.active is None:
        raise IllegalAction("no_active_unit")
    return game.active


def need(game: Position, cost: int) -> None:
    """Refuse an action that costs more action points than the unit has."""
    if cost > game.ap:
        raise IllegalAction("not_enough_AP")


def after_effect(game: Position, unit: Unit) -> list[tuple[Any, ...]]:
    """Return the steps that follow an action: the check for blips in sight, and overwatch fire in the aliens' turn."""
    if game.side == "alien":
        return [("overwatch", unit.id), ("check",)]
    return [("check",)]


# -- moving ------------------------------------------------------------------------------------------------------------


def move(game: Position, cell: Tile) -> None:
    """Move the active unit. Moving from one burning cell to another can destroy the unit."""
    unit = active_unit(game)
    pieces = game.pieces
    step = judge(game, pieces, unit, cell.x, cell.y)
    if isinstance(step, str):
        raise IllegalAction(step.replace(" ", "_"))
    unit.drop_marks()
    pay(game, step.cost, "move")
    if not (pieces.burns(step.x, step.y) and _is_burnt(game, unit)):
        unit.x = step.x
        unit.y = step.y
    proceed(game, *after_effect(game, unit))


def _is_burnt(game: Position, unit: Unit) -> bool:
    """Roll a die for a unit that moves from fire to fire. Destroy the unit and return True if it burns."""
    die = game.chance.draw(Integers(1, 6), "flame_move", public=True)
    burnt = bool(die >= FLAME_KILLS)
    game.event("roll", label="flame_move", unit=unit.id, dice=[die], needed=FLAME_KILLS, result=burnt)
    if burnt:
        destroy(game, unit, "flames")
    return burnt


# -- turning -----------------------------------------------------------------------------------------------------------


def rotation_cost(game: Position, unit: Unit) -> int:
    """Return the cost of a turn by 90 degrees for the active unit."""
    if unit.kind == "alien":
        return 0 if game.last_action in _FREE_TURN_AFTER[game.options.alien_free_turn] else 1
    return 1 if unit.kind == "marine" else 0


def rotate(game: Position, quarters: int) -> None:
    """Turn the active unit."""
    unit = active_unit(game)
    cost = rotation_cost(game, unit)
    need(game, cost)
    unit.drop_marks()
    pay(game, cost, "turn" if cost else "free_turn")
    unit.rotate(quarters)
    proceed(game, *after_effect(game, unit))


# -- doors -------------------------------------------------------------------------------------------------------------


def is_blocked(pieces: Pieces, door: Door) -> bool:
    """Return whether a unit stands in an open door, so that the door cannot be closed."""
    return door.open and pieces.unit_at(door.x, door.y) is not None


def doors_in_reach(pieces: Pieces, unit: Unit) -> list[Door]:
    """List the doors in the three cells in front of a unit."""
    found = []
    for (dx, dy), name in OFFSETS[FACING_INDEX[unit.facing]].items():
        if name in _IN_FRONT:
            door = pieces.door_at(unit.x + dx, unit.y + dy)
            if door is not None:
                found.append(door)
    return found


def toggle_door(game: Position, cell: Tile) -> None:
    """Open a closed door, or close an open door."""
    unit = active_unit(game)
    pieces = game.pieces
    door = pieces.door_at(cell.x, cell.y)
    if door is None:
        raise IllegalAction("no_door_there")
    if door not in doors_in_reach(pieces, unit):
        raise IllegalAction("out_of_reach")
    if is_blocked(pieces, door):
        raise IllegalAction("door_blocked")
    need(game, 1)
    unit.drop_marks()
    pay(game, 1)
    door.open = not door.open
    game.event("door", door=door.id, x=door.x, y=door.y, open=door.open, unit=unit.id)
    proceed(game, *after_effect(game, unit))
