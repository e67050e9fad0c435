"""The active marine's actions that need no target: overwatch, guard, command, unjam."""

from __future__ import annotations

from arena.game import IllegalAction
from arena_derelict.entities import Unit
from arena_derelict.flow import pay, proceed, rest
from arena_derelict.moving import active_unit, need
from arena_derelict.position import Position

MARK_COST = 2


def _active_marine(game: Position) -> Unit:
    unit = active_unit(game)
    if unit.kind != "marine":
        raise IllegalAction("not_a_marine")
    return unit


def _retire(game: Position, unit: Unit) -> None:
    unit.deactivated = True
    rest(game)
    proceed(game)


def overwatch(game: Position) -> None:
    """Put the active marine on overwatch."""
    unit = _active_marine(game)
    if unit.weapons.weapon is None:
        raise IllegalAction("no_suitable_weapon")
    if unit.jam:
        raise IllegalAction("weapon_jammed")
    need(game, MARK_COST)
    unit.drop_marks()
    unit.overwatch = True
    _retire(game, unit)


def guard(game: Position) -> None:
    """Put the active marine on guard."""
    unit = _active_marine(game)
    need(game, MARK_COST)
    unit.drop_marks()
    unit.guard = True
    _retire(game, unit)


def may_command(game: Position) -> bool:
    """Return whether a command point could be spent on the active marine."""
    return game.command_points > 0


def command(game: Position) -> None:
    """Convert a command point into an action point. Guard, overwatch and the last action do not change."""
    _active_marine(game)
    if not may_command(game):
        raise IllegalAction("no_command_points")
    game.command_points -= 1
    game.ap += 1
    game.event("command_points", points=game.command_points)
    proceed(game)


def unjam(game: Position) -> None:
    """Clear the jam of the active marine's weapon."""
    unit = active_unit(game)
    if not unit.jam:
        raise IllegalAction("not_jammed")
    need(game, 1)
    pay(game, 1)
    unit.jam = False
    proceed(game)
