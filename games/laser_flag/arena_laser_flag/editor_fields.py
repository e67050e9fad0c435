"""The side panel of the map editor: all values of a map that are not on the board, with ranges and defaults."""

from __future__ import annotations

from typing import Any

from arena_laser_flag.rulesets import RULESETS, Document, defaults

_RULES: tuple[tuple[str, str, Document], ...] = (
    ("max_ap", "Action points at the start of a turn.", {"type": "int", "least": 1, "greatest": 9}),
    ("base_access", "Whose units recharge at an owned base.", {"choices": ["any", "team"]}),
    (
        "target_rule",
        "Which enemies may be shot.",
        {"choices": ["any", "active", "active_or_on_base"]},
    ),
    ("hit_points", "Score for a hit on a unit.", {"type": "int", "least": 0, "greatest": 99}),
    ("checkmate", "Checkmate ends the game.", {"type": "bool"}),
    ("base_shooting", "Bases can be shot at.", {"type": "bool"}),
    ("base_points", "Score for hitting an enemy base.", {"type": "int", "least": 0, "greatest": 99}),
    ("base_modifier", "Modifier for shots at a base.", {"type": "int", "least": -9, "greatest": 9}),
    (
        "diagonal_margin",
        "Limit on diagonal steps; none for no limit.",
        {"type": "int", "nullable": True, "least": 0, "greatest": 20},
    ),
    ("overwatch_style", "How reaction shots are kept.", {"choices": ["carried", "stance"]}),
    (
        "overwatch_triggers",
        "Which enemy actions trigger reaction shots.",
        {"choices": [["move", "fire"], ["fire", "move"], ["move"], ["fire"], []]},
    ),
    ("snap_penalty", "Added to snap reaction shots.", {"type": "int", "least": -9, "greatest": 9}),
    ("regular_penalty", "Added to regular reaction shots.", {"type": "int", "least": -9, "greatest": 9}),
    ("opening_overwatch", "Player 2 starts on overwatch.", {"type": "bool"}),
    ("fog_of_war", "Enemies out of sight are hidden.", {"type": "bool"}),
    ("hard_turn_limit", "Turns of each player at the very most.", {"type": "int", "least": 1, "greatest": 1000}),
)
_MODIFIER: Document = {"type": "int", "least": -20, "greatest": 20}
_SHOTS: Document = {"type": "int", "nullable": True, "least": 0, "greatest": 9}
_CLASS: tuple[tuple[str, str, Document], ...] = (
    ("speed", "Tiles for one action point.", {"type": "int", "least": 1, "greatest": 20}),
    ("to_hit", "What two dice must reach.", _MODIFIER),
    ("cover", "Added when the target is in cover.", _MODIFIER),
    ("elevated_defense", "Added when the target is raised.", _MODIFIER),
    ("elevated_attack", "Added when the shooter is raised.", _MODIFIER),
    ("max_overwatch", "Most reaction shots carried over.", {"type": "int", "least": 0, "greatest": 9}),
    ("overwatch_penalty", "Added to its own snap shots.", _MODIFIER),
    ("shots", "Shots in a turn after moving; none for no limit.", _SHOTS),
    ("shots_unmoved", "Shots in a turn without moving; none for no limit.", _SHOTS),
    ("move_after_fire", "May move after firing.", {"type": "bool"}),
    ("free_climb", "Climbing onto cover does not end the step.", {"type": "bool"}),
)


def map_groups() -> list[Document]:
    """Return the fields of the map itself."""
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
                    "doc": "Follows from the bases; may be stated to have it checked.",
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
                    "doc": "Turns of each player.",
                },
                *(
                    {
                        "path": ["target_score", player],
                        "title": f"Target of player {player + 1}",
                        "type": "int",
                        "least": 1,
                        "greatest": 999,
                        "container": [None, None],
                        "doc": "Whoever reaches the target score wins.",
                    }
                    for player in (0, 1)
                ),
            ],
        },
    ]


def rule_group() -> Document:
    """Return the rule modifications."""
    return {"title": "Rule modifications", "folded": True, "fields": [_rule(*row) for row in _RULES]}


def class_groups() -> list[Document]:
    """Return the modifications of each class of units."""
    return [
        {
            "title": f"Rules of the {name}",
            "folded": True,
            "only": [ruleset for ruleset in RULESETS if name in defaults(ruleset)["classes"]],
            "fields": [_class_rule(name, *row) for row in _CLASS],
        }
        for name in defaults(RULESETS[0])["classes"]
    ]


def _rule(name: str, doc: str, kind: Document) -> Document:
    values = {ruleset: defaults(ruleset)[name] for ruleset in RULESETS}
    return {"path": ["rules", name], "title": name, "doc": doc, "defaults": values, **kind}


def _class_rule(unit_class: str, name: str, doc: str, kind: Document) -> Document:
    values: dict[str, Any] = {}
    for ruleset in RULESETS:
        classes = defaults(ruleset)["classes"]
        if unit_class in classes:
            values[ruleset] = classes[unit_class][name]
    return {"path": ["rules", "classes", unit_class, name], "title": name, "doc": doc, "defaults": values, **kind}
