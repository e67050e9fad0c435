"""Laser Flag in the map editor: the palette, the fields, the check of a map, and empty maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from arena.game import Option
from arena.game.editor import MapEditor, Problem
from arena.game.options import parse
from arena_laser_flag.editor_fields import class_groups, map_groups, rule_group
from arena_laser_flag.map_check import FORMAT, GREATEST_SIDE, LEAST_SIDE, VERSION, Fault, find_faults, ruleset_of
from arena_laser_flag.map_files import SETTINGS, generated
from arena_laser_flag.map_text import draw_map
from arena_laser_flag.rulesets import RULESETS, Document, effective_rules, mode_of

MESSAGES = {
    "not_an_object": "A map is a JSON object.",
    "format_wrong": f"The format must be {FORMAT}.",
    "version_unsupported": f"The version must be {VERSION}.",
    "name_missing": "The map needs a name.",
    "ruleset_unknown": "The ruleset must be alpha or classic.",
    "rules_invalid": "The rule modifications must be an object.",
    "tiles_missing": "The tiles must be a list of rows.",
    "tiles_ragged": "All rows of tiles must be equally long.",
    "size_out_of_range": f"Width and height must each be {LEAST_SIDE} to {GREATEST_SIDE}.",
    "tile_unknown": "A tile is one of . # o _",
    "base_malformed": "A base has x, y and an owner, and nothing else.",
    "base_owner_invalid": "A base belongs to player 0, player 1 or nobody.",
    "base_off_map": "The base is not on the map.",
    "base_on_wall": "The base is in a wall or outside the room.",
    "base_duplicate": "There is another base on this tile.",
    "units_missing": "The map needs a list of units.",
    "unit_malformed": "A unit has player, class, x and y, and nothing else.",
    "unit_player_invalid": "A unit belongs to player 0 or player 1.",
    "unit_class_unknown": "The ruleset has no such class.",
    "unit_off_map": "The unit is not on the map.",
    "unit_on_wall": "The unit stands in a wall or outside the room.",
    "unit_overlap": "Another unit stands on this tile.",
    "team_empty": "Each player needs at least one unit.",
    "team_too_large": "A player may have at most 30 units.",
    "target_score_invalid": "Each target score is empty or 1 to 999.",
    "turn_limit_invalid": "The turn limit is empty or 1 to 500.",
    "teams_invalid": "Teams are two objects with a name and up to three colours.",
    "mode_mismatch": "The mode does not fit the bases and the rule base_access.",
    "not_connected": "This tile cannot be reached on foot.",
}
_BLANK_SETTINGS = (
    Option("name", "str", "New map", "The map's name."),
    Option("ruleset", "choice", RULESETS[0], "The map's ruleset.", choices=RULESETS),
    Option("width", "int", LEAST_SIDE, "Columns.", LEAST_SIDE, GREATEST_SIDE),
    Option("height", "int", LEAST_SIDE, "Rows.", LEAST_SIDE, GREATEST_SIDE),
)
_TEAMS = [{"value": 0, "title": "Player 1"}, {"value": 1, "title": "Player 2"}]
_BOLT = "M13.4 4.5L7.2 13h4.6l-1.2 6.5 6.2-8.5h-4.6z"
_ICONS = {
    "basic": "M12 5.5a3 3 0 1 0 0 6a3 3 0 1 0 0-6zM6 18.8c.5-3.4 2.7-5.2 6-5.2s5.5 1.8 6 5.2z",
    "grunt": "M12 4.5l6.2 2v5.3c0 4-2.8 6.2-6.2 7.7-3.4-1.5-6.2-3.7-6.2-7.7V6.5z",
    "sniper": "M12 4.5v4M12 15.5v4M4.5 12h4M15.5 12h4M12 7.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z",
    "scout": "M6.5 6.5l5 5.5-5 5.5M12.5 6.5l5 5.5-5 5.5",
}


def describe() -> Document:
    """Return the palette, the layers and the fields of the editor."""
    return {
        "noun": "map",
        "size": {"least": LEAST_SIDE, "greatest": GREATEST_SIDE},
        "variant": ["ruleset"],
        "title": ["name"],
        "grid": {
            "key": "tiles",
            "fill": ".",
            "tiles": [
                {"char": ".", "title": "Floor", "look": {"surface": "floor"}},
                {"char": "#", "title": "Wall", "look": {"surface": "wall"}},
                {"char": "o", "title": "Cover", "look": {"surface": "block"}},
                {"char": "_", "title": "Outside", "look": {"surface": "void"}},
            ],
        },
        "layers": [_bases(), _units()],
        "fields": [*map_groups(), rule_group(), *class_groups()],
    }


def _bases() -> Document:
    owners = [{"value": None, "title": "Shared"}, *_TEAMS]
    return {
        "key": "bases",
        "title": "Bases",
        "symmetric": True,
        "team": "owner",
        "fields": [{"name": "owner", "title": "Owner", "choices": owners, "default": None}],
        "brushes": [{"title": "Base", "values": {}, "look": {"shape": "plate", "icon": _BOLT}}],
    }


def _units() -> Document:
    brushes = [
        {
            "title": name.capitalize(),
            "values": {"class": name},
            "look": {"shape": "disc", "icon": icon},
            **({"only": ["alpha"]} if name == "basic" else {}),
        }
        for name, icon in _ICONS.items()
    ]
    return {
        "key": "units",
        "title": "Units",
        "symmetric": True,
        "team": "player",
        "fields": [
            {"name": "player", "title": "Team", "choices": _TEAMS, "default": 0},
            {"name": "class", "title": "Class", "choices": [{"value": name, "title": name} for name in _ICONS]},
        ],
        "brushes": brushes,
    }


def check(document: Any) -> list[Problem]:
    """Return the defects of a map, with messages and places. See `find_faults`."""
    return [Problem(fault.code, _message(fault, document), fault.place, fault.tile) for fault in find_faults(document)]


def _message(fault: Fault, document: Document) -> str:
    if fault.message:
        return f"It {fault.message}"
    text = MESSAGES[fault.code]
    return f"{text} It is {_mode(document)}." if fault.code == "mode_mismatch" else text


def _mode(document: Document) -> str:
    rules = effective_rules(ruleset_of(document), document, {})
    return mode_of(document.get("bases", []), rules["base_access"])


def facts(document: Document) -> list[str]:
    """Describe a map: its mode and size, each player's number of units, and the number of bases."""
    teams = Counter(unit["player"] for unit in document["units"])
    bases = len(document.get("bases", []))
    mode = _mode(document).replace("_", " ")
    return [
        f"{mode.capitalize()}, {len(document['tiles'][0])} x {len(document['tiles'])}",
        f"{teams[0]} against {teams[1]} units",
        f"{bases} base{'' if bases == 1 else 's'}",
    ]


def blank(settings: Mapping[str, str]) -> Document:
    """Make an empty map with one unit for each player.

    Raises:
        OptionError: A setting is unknown or its value is impossible.
    """
    values = parse(_BLANK_SETTINGS, settings)
    width, height = values["width"], values["height"]
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": values["name"] or "New map",
        "ruleset": values["ruleset"],
        "turn_limit": 20,
        "tiles": ["." * width] * height,
        "bases": [],
        "units": [
            {"player": 0, "class": "grunt", "x": width // 2, "y": 0},
            {"player": 1, "class": "grunt", "x": width - 1 - width // 2, "y": height - 1},
        ],
    }


EDITOR = MapEditor(
    describe=describe,
    check=check,
    blank=blank,
    draw=draw_map,
    legend=(
        (".", "floor"),
        ("o", "cover"),
        ("#", "wall"),
        ("_", "outside"),
        ("*", "shared base"),
        ("@", "shared base on cover"),
        ("A", "base of player 1"),
        ("B", "base of player 2"),
        ("P", "basic of player 1"),
        ("G", "grunt of player 1"),
        ("N", "sniper of player 1"),
        ("S", "scout of player 1"),
        ("p", "basic of player 2"),
        ("g", "grunt of player 2"),
        ("n", "sniper of player 2"),
        ("s", "scout of player 2"),
    ),
    facts=facts,
    generate=generated,
    settings=tuple(
        (setting.name, setting.doc.rstrip(".") if setting.type == "str" else setting.describe()) for setting in SETTINGS
    ),
)
