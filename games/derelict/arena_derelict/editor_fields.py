"""The side panel of the mission editor: all values of a mission that are not on the board."""

from __future__ import annotations

from typing import Any

from arena_derelict.map_reader import LIMIT_WINNERS
from arena_derelict.rulesets import RULESETS

Document = dict[str, Any]


def groups() -> list[Document]:
    """Return the fields in groups."""
    return [
        {
            "title": "Mission",
            "fields": [
                {
                    "path": ["name"],
                    "title": "Name",
                    "type": "text",
                    "required": True,
                    "doc": "Lower-case letters, digits and underscores.",
                },
                {"path": ["title"], "title": "Title", "type": "text"},
                {"path": ["description"], "title": "Description", "type": "long"},
                {
                    "path": ["ruleset"],
                    "title": "Ruleset",
                    "choices": list(RULESETS),
                    "defaults": dict.fromkeys(RULESETS, "full"),
                },
            ],
        },
        {
            "title": "Options",
            "fields": [
                _number(["turn_limit"], "Turn limit", "The last turn; 0 for no limit.", "turn_limit"),
                {
                    "path": ["limit_winner"],
                    "title": "Winner at the limit",
                    "choices": list(LIMIT_WINNERS),
                    "doc": "The default in the ruleset full is the aliens if the mission has objectives.",
                    "defaults": _defaults("limit_winner"),
                },
                _number(["flamer_fuel"], "Flamer fuel", "Shots of all flamers together.", "flamer_fuel"),
                _number(
                    ["reinforcements", "first"],
                    "Reinforcements, first turn",
                    "Blips at the start of the first alien turn.",
                    "reinforcements_first",
                ),
                _number(
                    ["reinforcements", "later"],
                    "Reinforcements, later",
                    "Blips at the start of each later alien turn.",
                    "reinforcements_later",
                ),
            ],
        },
    ]


def _number(path: list[str], title: str, doc: str, option: str) -> Document:
    return {"path": path, "title": title, "doc": doc, "type": "int", "least": 0, "defaults": _defaults(option)}


def _defaults(option: str) -> Document:
    return {ruleset: values[option] for ruleset, values in RULESETS.items()}
