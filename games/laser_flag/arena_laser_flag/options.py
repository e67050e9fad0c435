"""The options of a game: ruleset, map, rule modifications."""

from __future__ import annotations

from typing import Any

from arena.game import Option, OptionError
from arena_laser_flag.map_check import find_faults, ruleset_of
from arena_laser_flag.map_files import load_map
from arena_laser_flag.rule_check import check_rules
from arena_laser_flag.rulesets import RULESETS, Document, defaults, effective_rules

DEFAULT_MAP = "crossroads"

OPTIONS = (
    Option(
        "ruleset",
        "choice",
        None,
        "Whose rules are played; the map decides if none is given.",
        None,
        None,
        RULESETS,
        True,
    ),
    Option("map", "json", None, f"The map: a name, or a whole map file; {DEFAULT_MAP} if none is given."),
    Option("rules", "json", None, 'Rule modifications, for example {"fog_of_war": true}; they override the map\'s.'),
)

_PLAYABLE = frozenset(("mode_mismatch", "not_connected", "team_empty"))
"""Faults that spoil a map, but with which a position can be played (a test board, a map under another ruleset)."""


def resolve(given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the options; ``rules`` becomes the complete effective rules.

    Raises:
        OptionError: A faulty map or rule, with the place.
    """
    map_file = _map(given.get("map"))
    ruleset = given.get("ruleset") or ruleset_of(map_file)
    changes = given.get("rules") or {}
    if not isinstance(changes, dict):
        raise OptionError("the option rules must be an object of rule names and values")
    _check(changes, ruleset, "rules", with_limits=True)
    if ruleset != ruleset_of(map_file):
        _check_against(map_file, ruleset)
    return {"ruleset": ruleset, "map": map_file, "rules": effective_rules(ruleset, map_file, changes)}


def _map(value: Any) -> Document:
    if value is None or isinstance(value, str):
        return load_map(value or DEFAULT_MAP)
    faults = [fault for fault in find_faults(value) if fault.code not in _PLAYABLE]
    if faults:
        shown = ", ".join(f"{fault.code} ({fault.place})" for fault in faults[:5])
        raise OptionError(f"the map in the options is faulty: {shown}")
    map_file: Document = value
    return map_file


def _check(changes: Document, ruleset: str, where: str, *, with_limits: bool = False) -> None:
    for code, places in check_rules(changes, ruleset, with_limits=with_limits).items():
        word = "an unknown rule" if code == "rules_unknown_key" else "an impossible value"
        raise OptionError(f"{where} has {word} for {ruleset}: {', '.join(sorted(places))}")


def _check_against(map_file: Document, ruleset: str) -> None:
    """Refuse a map that cannot be played under another ruleset than its own."""
    _check(map_file.get("rules", {}), ruleset, "the map's rules")
    lacking = {unit["class"] for unit in map_file["units"]} - set(defaults(ruleset)["classes"])
    if lacking:
        raise OptionError(f"the ruleset {ruleset} lacks the map's classes {', '.join(sorted(lacking))}")
