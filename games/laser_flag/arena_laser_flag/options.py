"""The options of a game: ruleset, map, rule modifications."""

from __future__ import annotations

from typing import Any

from arena.game import Option, OptionError
from arena.game.validation import Defect
from arena_laser_flag.map_check import find_faults, ruleset_of
from arena_laser_flag.map_files import load_map, refuse_faults
from arena_laser_flag.rule_check import check_rules
from arena_laser_flag.rulesets import RULESETS, Document, defaults, effective_rules

DEFAULT_MAP = "crossroads"

OPTIONS = (
    Option(
        "ruleset",
        "choice",
        None,
        "The rules to play by. The default is the map's ruleset.",
        None,
        None,
        RULESETS,
        True,
    ),
    Option(
        "map", "json", None, f"The map: a name, a path, or the content of a map file; {DEFAULT_MAP} if none is given."
    ),
    Option("rules", "json", None, 'Rule modifications, for example {"fog_of_war": true}; they override the map\'s.'),
)

_PLAYABLE = frozenset(("mode_mismatch", "not_connected", "team_empty"))
"""Codes of the defects that are allowed in a map given as JSON. Test boards have such defects."""


def resolve(given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the options; ``rules`` becomes the complete effective rules.

    Raises:
        OptionError: The map cannot be loaded, or the map or the rules have defects. The message names their places.
    """
    map_file = _map(given.get("map"))
    ruleset = given.get("ruleset") or ruleset_of(map_file)
    changes = given.get("rules") or {}
    _refuse("The rules in the options", ruleset, check_rules(changes, ruleset, with_limits=True))
    if ruleset != ruleset_of(map_file):
        _check_against(map_file, ruleset)
    return {"ruleset": ruleset, "map": map_file, "rules": effective_rules(ruleset, map_file, changes)}


def _map(value: Any) -> Document:
    if value is None or isinstance(value, str):
        return load_map(value or DEFAULT_MAP)
    faults = [fault for fault in find_faults(value) if fault.code not in _PLAYABLE]
    return refuse_faults(value, "The map in the options", faults)


def _refuse(what: str, ruleset: str, defects: list[Defect]) -> None:
    if defects:
        lines = [f"{what} do not fit the ruleset {ruleset}:", *(f"  {defect}" for defect in defects)]
        raise OptionError("\n".join(lines))


def _check_against(map_file: Document, ruleset: str) -> None:
    """Refuse a map of another ruleset if it cannot be played under this ruleset."""
    _refuse("The map's rules", ruleset, check_rules(map_file.get("rules", {}), ruleset))
    lacking = {unit["class"] for unit in map_file["units"]} - set(defaults(ruleset)["classes"])
    if lacking:
        raise OptionError(f"The ruleset {ruleset} lacks the map's classes {', '.join(sorted(lacking))}.")
