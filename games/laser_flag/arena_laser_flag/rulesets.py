"""The two rulesets as data, and the computation of a game's effective rules.

Every difference between the rulesets is a value here. The engine has one algorithm for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

Document = dict[str, Any]

RULESETS = ("alpha", "classic")

_COMMON: Document = {
    "max_ap": 3,
    "target_rule": "any",
    "hit_points": 1,
    "base_points": 5,
    "base_modifier": -2,
    "regular_penalty": 0,
    "opening_overwatch": True,
    "fog_of_war": False,
    "turn_limit": None,
    "target_score": [None, None],
    "hard_turn_limit": 100,
}

_CLASS: Document = {
    "speed": 5,
    "to_hit": 7,
    "cover": 2,
    "elevated_defense": -2,
    "elevated_attack": -2,
    "max_overwatch": 2,
    "overwatch_penalty": 2,
    "shots": 1,
    "shots_unmoved": 1,
    "move_after_fire": False,
    "free_climb": False,
}

_CLASSIC_CLASS: Document = {**_CLASS, "elevated_attack": -1, "overwatch_penalty": 0}

_DEFAULTS: Document = {
    "alpha": {
        **_COMMON,
        "base_access": "any",
        "checkmate": True,
        "base_shooting": False,
        "diagonal_margin": 1,
        "overwatch_style": "carried",
        "overwatch_triggers": ["move", "fire"],
        "snap_penalty": 0,
        "classes": {
            "basic": _CLASS,
            "grunt": {
                **_CLASS,
                "cover": 3,
                "elevated_defense": -3,
                "elevated_attack": -3,
                "max_overwatch": 3,
                "overwatch_penalty": 3,
            },
            "sniper": {**_CLASS, "speed": 4, "to_hit": 6, "shots": None, "shots_unmoved": None},
            "scout": {**_CLASS, "speed": 6, "to_hit": 8, "free_climb": True},
        },
    },
    "classic": {
        **_COMMON,
        "base_access": "team",
        "checkmate": False,
        "base_shooting": True,
        "diagonal_margin": None,
        "overwatch_style": "stance",
        "overwatch_triggers": ["move"],
        "snap_penalty": 1,
        "classes": {
            "grunt": {**_CLASSIC_CLASS, "cover": 3},
            "sniper": {**_CLASSIC_CLASS, "speed": 4, "to_hit": 6, "shots_unmoved": 2},
            "scout": {**_CLASSIC_CLASS, "speed": 6, "to_hit": 8, "move_after_fire": True},
        },
    },
}


def defaults(ruleset: str) -> Document:
    """Return a fresh copy of a ruleset's rules.

    Args:
        ruleset: ``alpha`` or ``classic``.
    """
    copy: Document = deepcopy(_DEFAULTS[ruleset])
    return copy


def merge(rules: Document, changes: Mapping[str, Any]) -> Document:
    """Return rules with changes applied. Dictionaries are merged key by key; other values are replaced."""
    merged = dict(rules)
    for name, value in changes.items():
        old = merged.get(name)
        merged[name] = merge(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else deepcopy(value)
    return merged


def effective_rules(ruleset: str, map_file: Mapping[str, Any], changes: Mapping[str, Any]) -> Document:
    """Compute the rules of one game.

    Args:
        ruleset: The ruleset with the defaults.
        map_file: The map. Its ``rules``, ``turn_limit`` and ``target_score`` override the defaults.
        changes: The ``rules`` in the game's options; they override everything.
    """
    rules = merge(defaults(ruleset), map_file.get("rules", {}))
    limits = {name: map_file[name] for name in ("turn_limit", "target_score") if name in map_file}
    return merge(merge(rules, limits), changes)


def mode_of(bases: list[Document], base_access: str) -> str:
    """Derive a map's mode from the bases that each player could use.

    Args:
        bases: The bases of the map file.
        base_access: ``any`` or ``team``.
    """
    usable = [any(base_access == "any" or base.get("owner") in (None, player) for base in bases) for player in (0, 1)]
    if all(usable):
        return "capture_the_flag"
    return "assault" if any(usable) else "elimination"
