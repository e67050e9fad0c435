"""The side panel of the map editor: all values of a map that are not on the board, with ranges and defaults."""

from __future__ import annotations

from arena.game.validation import ListOf, OrElse, Validator, Whole, Word
from arena_laser_flag.rule_check import CLASS_RULES, RULES
from arena_laser_flag.rulesets import RULESETS, Document, defaults

_RULES = {
    "max_ap": "Action points at the start of a turn.",
    "base_access": "The units that may recharge at an owned base.",
    "target_rule": "The enemies that may be shot.",
    "hit_points": "Score for a hit on a unit.",
    "checkmate": "Checkmate ends the game.",
    "base_shooting": "Bases can be shot at.",
    "base_points": "Score for hitting an enemy base.",
    "base_modifier": "Modifier for shots at a base.",
    "diagonal_margin": "Limit on diagonal steps; none for no limit.",
    "overwatch_style": "How units keep reaction shots.",
    "overwatch_triggers": "Which enemy actions trigger reaction shots.",
    "snap_penalty": "Added to snap reaction shots.",
    "regular_penalty": "Added to regular reaction shots.",
    "opening_overwatch": "Player 2 starts on overwatch.",
    "fog_of_war": "Enemies out of sight are hidden.",
    "hard_turn_limit": "The largest number of turns of each player.",
}
_CLASS = {
    "speed": "Tiles for one action point.",
    "to_hit": "The sum that two dice must reach.",
    "cover": "Added when the target is in cover.",
    "elevated_defense": "Added when the target is raised.",
    "elevated_attack": "Added when the shooter is raised.",
    "max_overwatch": "Limit of reaction shots carried over.",
    "overwatch_penalty": "Added to the unit's own snap shots.",
    "shots": "Shots in a turn after moving; none for no limit.",
    "shots_unmoved": "Shots in a turn without moving; none for no limit.",
    "move_after_fire": "May move after firing.",
    "free_climb": "Climbing onto cover does not end the step.",
}


def map_groups() -> list[Document]:
    """Return the groups of fields of the map itself."""
    return [
        {
            "title": "Map",
            "fields": [
                {"path": ["name"], "title": "Name", "type": "text", "required": True},
                {"path": ["author"], "title": "Author", "type": "text"},
                {"path": ["description"], "title": "Description", "type": "long"},
                {
                    "path": ["ruleset"],
                    "title": "Ruleset",
                    "choices": list(RULESETS),
                    "defaults": dict.fromkeys(RULESETS, RULESETS[0]),
                },
                {
                    "path": ["mode"],
                    "title": "Mode",
                    "choices": ["capture_the_flag", "assault", "elimination"],
                    "doc": "Derived from the bases. If stated, it is checked.",
                    "defaults": {},
                },
            ],
        },
        {
            "title": "Limits",
            "fields": [
                {
                    "path": ["turn_limit"],
                    "title": "Turn limit",
                    "type": "int",
                    "least": 1,
                    "greatest": 500,
                    "doc": "Number of turns of each player.",
                },
                *(
                    {
                        "path": ["target_score", player],
                        "title": f"Target of player {player + 1}",
                        "type": "int",
                        "least": 1,
                        "greatest": 999,
                        "container": [None, None],
                        "doc": "The first player with the target score wins.",
                    }
                    for player in (0, 1)
                ),
            ],
        },
    ]


def rule_group() -> Document:
    """Return the group of fields for the rule modifications."""
    return {"title": "Rule modifications", "folded": True, "fields": [_rule(name) for name in _RULES]}


def class_groups() -> list[Document]:
    """Return a group of fields for each class of units. The fields modify the rules of this class."""
    return [
        {
            "title": f"Rules of the {name}",
            "folded": True,
            "only": [ruleset for ruleset in RULESETS if name in defaults(ruleset)["classes"]],
            "fields": [_class_rule(name, rule) for rule in _CLASS],
        }
        for name in defaults(RULESETS[0])["classes"]
    ]


def _rule(name: str) -> Document:
    values = {ruleset: defaults(ruleset)[name] for ruleset in RULESETS}
    return {"path": ["rules", name], "title": name, "doc": _RULES[name], "defaults": values, **_input(RULES[name])}


def _class_rule(unit_class: str, name: str) -> Document:
    classes = {ruleset: defaults(ruleset)["classes"] for ruleset in RULESETS}
    values = {ruleset: known[unit_class][name] for ruleset, known in classes.items() if unit_class in known}
    path = ["rules", "classes", unit_class, name]
    return {"path": path, "title": name, "doc": _CLASS[name], "defaults": values, **_input(CLASS_RULES[name])}


def _input(validator: Validator) -> Document:
    """Describe the editor's input for a rule: its type and the allowed values."""
    if isinstance(validator, OrElse):
        return {"nullable": True, **_input(validator.validator)}
    if isinstance(validator, Whole):
        return {"type": "int", "least": validator.least, "greatest": validator.greatest}
    if isinstance(validator, Word):
        return {"choices": list(validator.words)}
    if isinstance(validator, ListOf):
        return {"choices": [["move", "fire"], ["fire", "move"], ["move"], ["fire"], []]}
    return {"type": "bool"}
