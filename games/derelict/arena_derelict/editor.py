"""The description of Derelict for the mission editor: palette, fields, validation and blank missions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from arena.game import Document, Option, OptionError
from arena.game.editor import MapEditor
from arena.game.options import parse
from arena_derelict.editor_fields import groups
from arena_derelict.map_check import errors_in, validate
from arena_derelict.map_reader import FORMAT, LARGEST, VERSION
from arena_derelict.map_text import LEGEND, draw_mission
from arena_derelict.rulesets import FACINGS, MARINES, RULESETS

_MARINES = {
    "marine": ("Marine", "M7 15v-3a5 5 0 0 1 10 0v3M6 15.5h12"),
    "marine_sarge": ("Sergeant", "M7 10.5l5-4 5 4M7 14l5-4 5 4M7 17.5l5-4 5 4"),
    "marine_flame": (
        "Flamer",
        "M12 4.8c.6 3.4 4.6 5.2 4.6 9a4.6 4.6 0 0 1-9.2 0c0-1.8 1-3 2-4 .3 1.4 1 2 1.8 2.2C11.8 9.8 11 7.4 12 4.8z",
    ),
    "marine_cannon": ("Cannon", "M5 9.5h14M5 12h14M5 14.5h14M8.5 7.5v9"),
    "marine_hammer": ("Hammer", "M8 6.5h8v4H8zM12 10.5v8"),
    "marine_claws": ("Claws", "M7.5 6v8l2 3M12 5v9l0 4M16.5 6v8l-2 3"),
    "marine_chain": ("Chainfist", "M6 12h4M14 12h4M10 9.5h4v5h-4zM8 7l8 10"),
    "marine_axe": ("Axe", "M9 19V6M9 6.5c4-2 7 0 7 3.5s-3 4-7 3"),
}
_BLANK_SETTINGS = (
    Option("name", "str", "new_mission", "The mission's name."),
    Option("title", "str", "New mission", "The mission's title."),
    Option("ruleset", "choice", "core", "The mission's ruleset.", choices=tuple(RULESETS)),
    Option("width", "int", 17, "Cells in a row.", 5, LARGEST),
    Option("height", "int", 11, "Rows.", 5, LARGEST),
)
_CLAW = "M7 6c-.5 5 1.5 9 5 12 3.5-3 5.5-7 5-12M12 7v7"
_TURNED = [{"value": facing, "title": facing} for facing in FACINGS]


def describe() -> Document:
    """Return the palette, the layers and the fields of the editor."""
    return {
        "noun": "mission",
        "size": {"least": 1, "greatest": LARGEST},
        "variant": ["ruleset"],
        "variant_default": "full",
        "title": ["title"],
        "grid": {
            "key": "rows",
            "fill": "#",
            "tiles": [
                {"char": ".", "title": "Corridor", "look": {"surface": "floor"}},
                {"char": "#", "title": "Wall", "look": {"surface": "wall"}},
            ],
        },
        "overlay": {
            "key": "sections",
            "title": "Section",
            "none": ".",
            "letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "on": ".",
        },
        "layers": [*_markers(), _doors(), _marines(), _aliens()],
        "fields": groups(),
    }


def _doors() -> Document:
    return {
        "key": "doors",
        "title": "Doors",
        "symmetric": True,
        "fields": [
            {
                "name": "open",
                "title": "Door",
                "choices": [{"value": False, "title": "Closed"}, {"value": True, "title": "Open"}],
                "default": False,
            }
        ],
        "brushes": [
            {"title": "Closed door", "values": {"open": False}, "look": {"shape": "bar", "color": "door"}},
            {"title": "Open door", "values": {"open": True}, "look": {"shape": "gap", "color": "door"}},
        ],
    }


def _markers() -> list[Document]:
    rows = (
        ("start_cells", "Start cells", "Start cell", "S", "team0"),
        ("drop_cells", "Drop cells", "Drop cell", "D", "team0"),
        ("lurk_cells", "Lurk cells", "Lurk cell", "L", "team1"),
        ("entry_cells", "Entry cells", "Entry cell", "E", "team1"),
        ("objectives", "Objectives", "Objective", "X", "goal"),
    )
    markers = []
    for key, many, one, letter, color in rows:
        turned = key == "start_cells"
        markers.append(
            {
                "key": key,
                "title": many,
                "symmetric": True,
                "pair": not turned,
                "only": ["full"],
                "facing": "facing" if turned else None,
                "fields": [{"name": "facing", "title": "Facing", "choices": _TURNED, "default": "East"}]
                if turned
                else [],
                "brushes": [
                    {"title": one, "values": {}, "look": {"shape": "plate", "letter": letter, "color": color}},
                ],
            }
        )
    return markers


def _marines() -> Document:
    brushes = [
        {
            "title": title,
            "values": {"type": kind},
            "look": {"shape": "disc", "icon": icon, "color": "team0"},
            **({"only": ["full"]} if kind != "marine" else {}),
        }
        for kind, (title, icon) in _MARINES.items()
    ]
    marks = [
        {
            "name": name,
            "title": name.capitalize(),
            "choices": [{"value": None, "title": "No"}, {"value": True, "title": "Yes"}],
            "default": None,
            "optional": True,
        }
        for name in ("overwatch", "guard", "jam")
    ]
    return {
        "key": "marines",
        "title": "Marines",
        "symmetric": False,
        "group": "units",
        "facing": "facing",
        "fields": [
            {"name": "facing", "title": "Facing", "choices": _TURNED, "default": "East"},
            {
                "name": "type",
                "title": "Type",
                "choices": [{"value": name, "title": _MARINES[name][0]} for name in MARINES],
            },
            *marks,
        ],
        "brushes": brushes,
    }


def _aliens() -> Document:
    types = [("alien", "Alien"), ("blip", "Blip of 1"), ("blip_2", "Blip of 2"), ("blip_3", "Blip of 3")]
    looks: dict[str, Document] = {"alien": {"shape": "disc", "icon": _CLAW, "color": "team1"}}
    for count, kind in enumerate(("blip", "blip_2", "blip_3"), 1):
        looks[kind] = {"shape": "diamond", "letter": str(count), "color": "team1"}
    return {
        "key": "aliens",
        "title": "Aliens and blips",
        "symmetric": False,
        "group": "units",
        "facing": "facing",
        "fields": [
            {"name": "facing", "title": "Facing", "choices": _TURNED, "default": "West"},
            {"name": "type", "title": "Type", "choices": [{"value": kind, "title": title} for kind, title in types]},
        ],
        "brushes": [{"title": title, "values": {"type": kind}, "look": looks[kind]} for kind, title in types],
    }


def facts(document: Document) -> list[str]:
    """Describe a mission in a few words."""
    aliens = Counter("alien" if alien["type"] == "alien" else "blip" for alien in document.get("aliens", []))
    parts = [(len(document["marines"]), "marine"), (aliens["alien"], "alien"), (aliens["blip"], "blip")]
    goal = "burn the objective" if document.get("objectives") else "survive or kill"
    return [
        f"{document.get('ruleset', 'full').capitalize()}, {len(document['rows'][0])} x {len(document['rows'])}: {goal}",
        ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in parts if number),
    ]


def blank(settings: Mapping[str, str]) -> Document:
    """Make a new mission: a corridor with a marine at one end and an alien at the other end.

    Raises:
        OptionError: A setting is unknown or its value is impossible.
    """
    values = parse(_BLANK_SETTINGS, settings)
    width, height = values["width"], values["height"]
    middle = height // 2
    rows = ["#" * width] * height
    rows[middle] = f"#{'.' * (width - 2)}#"
    document = {
        "format": FORMAT,
        "version": VERSION,
        "name": values["name"],
        "title": values["title"],
        "ruleset": values["ruleset"],
        "turn_limit": 8,
        "limit_winner": "marine",
        "rows": rows,
        "doors": [],
        "marines": [{"type": "marine", "x": 1, "y": middle, "facing": "East"}],
        "aliens": [{"type": "alien", "x": width - 2, "y": middle, "facing": "West"}],
    }
    for problem in errors_in(document):
        raise OptionError(str(problem))
    return document


EDITOR = MapEditor(describe=describe, check=validate, blank=blank, draw=draw_mission, legend=LEGEND, facts=facts)
