"""The allowed values of the rules: tables for the checks and for the map editor."""

from __future__ import annotations

from collections.abc import Mapping

from arena.game.validation import Defect, Flag, ListOf, OrElse, TableOf, Validator, Whole, Word
from arena_laser_flag.rulesets import defaults

TURN_LIMIT = OrElse(None, Whole(1, 500))
TARGET_SCORE = ListOf(OrElse(None, Whole(1, 999)), "a list of two targets, each null or from 1 to 999", (2, 2))
_MODIFIER = Whole(-20, 20)
_SHOTS = OrElse(None, Whole(0, 9))

CLASS_RULES: Mapping[str, Validator] = {
    "speed": Whole(1, 20),
    "to_hit": _MODIFIER,
    "cover": _MODIFIER,
    "elevated_defense": _MODIFIER,
    "elevated_attack": _MODIFIER,
    "max_overwatch": Whole(0, 9),
    "overwatch_penalty": _MODIFIER,
    "shots": _SHOTS,
    "shots_unmoved": _SHOTS,
    "move_after_fire": Flag(),
    "free_climb": Flag(),
}

RULES: Mapping[str, Validator] = {
    "max_ap": Whole(1, 9),
    "base_access": Word(("any", "team")),
    "target_rule": Word(("any", "active", "active_or_on_base")),
    "hit_points": Whole(0, 99),
    "checkmate": Flag(),
    "base_shooting": Flag(),
    "base_points": Whole(0, 99),
    "base_modifier": Whole(-9, 9),
    "diagonal_margin": OrElse(None, Whole(0, 20)),
    "overwatch_style": Word(("carried", "stance")),
    "overwatch_triggers": ListOf(Word(("move", "fire")), "a list, without repeats, of move and fire", unique=True),
    "snap_penalty": Whole(-9, 9),
    "regular_penalty": Whole(-9, 9),
    "opening_overwatch": Flag(),
    "fog_of_war": Flag(),
    "hard_turn_limit": Whole(1, 1000),
}


def check_rules(changes: object, ruleset: str, *, with_limits: bool = False) -> list[Defect]:
    """Return the defects of rule modifications.

    Args:
        changes: The modifications.
        ruleset: The ruleset that they modify. Modifications for classes that it does not have are defects.
        with_limits: Whether ``turn_limit`` and ``target_score`` are allowed, as in game options. The rules of a map
            cannot contain these keys.
    """
    classes = TableOf(dict.fromkeys(defaults(ruleset)["classes"], TableOf(CLASS_RULES)))
    limits: dict[str, Validator] = {"turn_limit": TURN_LIMIT, "target_score": TARGET_SCORE} if with_limits else {}
    return list(TableOf({**RULES, **limits, "classes": classes}).defects(changes, "rules"))
