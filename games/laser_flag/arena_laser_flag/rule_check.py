"""Which values the rules may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena_laser_flag.rulesets import defaults

Check = Callable[[Any], bool]

UNKNOWN_KEY = "rules_unknown_key"
BAD_VALUE = "rules_bad_value"


def is_number(value: Any, low: int, high: int) -> bool:
    """Tell whether a value is a whole number from `low` to `high`; true and false are none."""
    return type(value) is int and low <= value <= high


def is_turn_limit(value: Any) -> bool:
    """Tell whether a value is null or 1 to 500 turns for each player."""
    return value is None or is_number(value, 1, 500)


def is_target_score(value: Any) -> bool:
    """Tell whether a value is a list of two targets, each null or 1 to 999."""
    return isinstance(value, list) and len(value) == 2 and all(one is None or is_number(one, 1, 999) for one in value)


def _flag(value: Any) -> bool:
    return type(value) is bool


def _word(*words: str) -> Check:
    return lambda value: type(value) is str and value in words


def _number(low: int, high: int, *, nullable: bool = False) -> Check:
    return lambda value: (nullable and value is None) or is_number(value, low, high)


def _triggers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(type(word) is str and word in ("move", "fire") for word in value)
        and len(set(value)) == len(value)
    )


_MODIFIER = _number(-20, 20)
_SHOTS = _number(0, 9, nullable=True)

_CLASS_CHECKS: dict[str, Check] = {
    "speed": _number(1, 20),
    "to_hit": _MODIFIER,
    "cover": _MODIFIER,
    "elevated_defense": _MODIFIER,
    "elevated_attack": _MODIFIER,
    "max_overwatch": _number(0, 9),
    "overwatch_penalty": _MODIFIER,
    "shots": _SHOTS,
    "shots_unmoved": _SHOTS,
    "move_after_fire": _flag,
    "free_climb": _flag,
}

_RULE_CHECKS: dict[str, Check] = {
    "max_ap": _number(1, 9),
    "base_access": _word("any", "team"),
    "target_rule": _word("any", "active", "active_or_on_base"),
    "hit_points": _number(0, 99),
    "checkmate": _flag,
    "base_shooting": _flag,
    "base_points": _number(0, 99),
    "base_modifier": _number(-9, 9),
    "diagonal_margin": _number(0, 20, nullable=True),
    "overwatch_style": _word("carried", "stance"),
    "overwatch_triggers": _triggers,
    "snap_penalty": _number(-9, 9),
    "regular_penalty": _number(-9, 9),
    "opening_overwatch": _flag,
    "fog_of_war": _flag,
    "hard_turn_limit": _number(1, 1000),
}

_LIMIT_CHECKS: dict[str, Check] = {"turn_limit": is_turn_limit, "target_score": is_target_score}


def check_rules(changes: Mapping[str, Any], ruleset: str, *, with_limits: bool = False) -> dict[str, set[str]]:
    """Check modifications of a ruleset.

    Args:
        changes: The modifications.
        ruleset: Whose classes may be changed.
        with_limits: ``turn_limit`` and ``target_score`` are allowed (in game options, but not inside a map's rules).

    Returns:
        Code to the names of the rules at fault.
    """
    checks = _RULE_CHECKS | _LIMIT_CHECKS if with_limits else _RULE_CHECKS
    faults: dict[str, set[str]] = {}
    for name, value in changes.items():
        if name == "classes":
            _check_classes(value, ruleset, faults)
        else:
            _check(name, value, checks, faults, name)
    return faults


def _check_classes(changes: Any, ruleset: str, faults: dict[str, set[str]]) -> None:
    if not isinstance(changes, dict):
        faults.setdefault(BAD_VALUE, set()).add("classes")
        return
    known = defaults(ruleset)["classes"]
    for name, attributes in changes.items():
        if name not in known or not isinstance(attributes, dict):
            faults.setdefault(BAD_VALUE, set()).add(f"classes.{name}")
            continue
        for attribute, value in attributes.items():
            _check(attribute, value, _CLASS_CHECKS, faults, f"classes.{name}.{attribute}")


def _check(name: str, value: Any, checks: dict[str, Check], faults: dict[str, set[str]], place: str) -> None:
    if name not in checks:
        faults.setdefault(UNKNOWN_KEY, set()).add(place)
    elif not checks[name](value):
        faults.setdefault(BAD_VALUE, set()).add(place)
