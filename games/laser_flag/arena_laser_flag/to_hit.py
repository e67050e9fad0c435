"""The number that two dice must reach, and its probability."""

from __future__ import annotations

from arena_laser_flag.entities import Position, Unit

WAYS = (36, 36, 36, 35, 33, 30, 26, 21, 15, 10, 6, 3, 1, 0)
"""The number of rolls of two dice, out of 36, that reach the sum 0, 1, ... 13."""


def chance_of(needed: int) -> float:
    """Return the chance that two dice reach a sum."""
    return WAYS[min(max(needed, 0), 13)] / 36


def in_cover_against(target: Unit, attacker: Unit) -> bool:
    """Return whether the target has cover on a side, such as North, where the attacker is."""
    for direction in target.cover:
        if direction == "North":
            lies_there = attacker.y < target.y
        elif direction == "South":
            lies_there = attacker.y > target.y
        elif direction == "West":
            lies_there = attacker.x < target.x
        else:
            lies_there = attacker.x > target.x
        if lies_there:
            return True
    return False


def parts_against(game: Position, shooter: Unit, target: Unit, mode: str | None = None) -> dict[str, int]:
    """Return the summands of the number that the dice must reach for a shot at a unit, by name.

    Args:
        game: The game.
        shooter: The unit that shoots.
        target: The unit to shoot at.
        mode: The overwatch mode of a reaction shot; None for a shot in the shooter's own turn.
    """
    numbers = shooter.numbers
    parts = {"to_hit": numbers.to_hit}
    if shooter.elevated:
        parts["elevated_attack"] = numbers.elevated_attack
    if target.cover and in_cover_against(target, shooter):
        parts["cover"] = target.numbers.cover
    if target.elevated:
        parts["elevated_defense"] = target.numbers.elevated_defense
    if mode is not None:
        parts["penalty"] = game.rules.penalty(numbers, mode)
    return parts


def parts_against_base(game: Position, shooter: Unit) -> dict[str, int]:
    """Return the summands of the number that the dice must reach for a shot at a base, by name."""
    numbers = shooter.numbers
    parts = {"to_hit": numbers.to_hit}
    if shooter.elevated:
        parts["elevated_attack"] = numbers.elevated_attack
    parts["base_modifier"] = game.rules.base_modifier
    return parts
