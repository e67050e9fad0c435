"""The checks that all actions of units share."""

from __future__ import annotations

from arena.game import IllegalAction
from arena_laser_flag.effective_rules import Rules
from arena_laser_flag.entities import Unit


def check_order(unit: Unit, player: int) -> None:
    """Refuse orders to the other player's units, and to units without AP.

    Raises:
        IllegalAction: ``not_your_unit``, ``no_ap``.
    """
    if unit.player != player:
        raise IllegalAction("not_your_unit", f"{unit.id} is not yours")
    if unit.ap == 0:
        raise IllegalAction("no_ap", f"{unit.id} has no AP left in this turn")


def check_weapon(unit: Unit) -> None:
    """Refuse shots when the unit cannot shoot at all.

    Raises:
        IllegalAction: ``laser_deactivated``, ``laser_charging``, ``already_fired``.
    """
    if unit.laser != "charged":
        raise IllegalAction(f"laser_{unit.laser}", f"the laser of {unit.id} is {unit.laser}")
    if not has_shot_left(unit):
        raise IllegalAction("already_fired", f"{unit.id} has fired all its shots of this turn")


def has_shot_left(unit: Unit) -> bool:
    """Return whether the unit has shots left in its own turn."""
    allowance = unit.numbers.allowance(unit.moved)
    return allowance is None or unit.shots_fired < allowance


def is_legal_target(rules: Rules, unit: Unit) -> bool:
    """Return whether the rule ``target_rule`` allows shots at a unit."""
    rule = rules.target_rule
    if rule == "any" or unit.laser != "deactivated":
        return True
    return rule == "active_or_on_base" and unit.game.board.base_at(unit.x, unit.y) is not None
