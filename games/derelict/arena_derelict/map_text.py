"""A mission as text, one character for each cell."""

from __future__ import annotations

from typing import Any

from arena_derelict.board import cell_of

LEGEND = (
    ("#", "wall"),
    (".", "corridor"),
    ("+", "closed door"),
    ("'", "open door"),
    ("^", "marine facing North"),
    (">", "marine facing East"),
    ("v", "marine facing South"),
    ("<", "marine facing West"),
    ("m", "marine on a drop cell"),
    ("a", "alien"),
    ("1", "blip of one"),
    ("2", "blip of two"),
    ("3", "blip of three"),
    ("S", "start cell"),
    ("L", "lurk cell"),
    ("E", "entry cell"),
    ("X", "objective"),
)
_MARKERS = (("lurk_cells", "L"), ("entry_cells", "E"), ("objectives", "X"), ("start_cells", "S"))
_FACINGS = {"North": "^", "East": ">", "South": "v", "West": "<"}
_ALIENS = {"alien": "a", "blip": "1", "blip_2": "2", "blip_3": "3"}


def draw_mission(document: dict[str, Any]) -> str:
    """Draw a mission that has no errors. A unit hides everything else in its cell, and a door hides markers.

    Args:
        document: The mission.
    """
    rows = [list(row) for row in document["rows"]]

    def put(cell: tuple[int, int], letter: str) -> None:
        rows[cell[1]][cell[0]] = letter

    for key, letter in _MARKERS:
        for cell in document.get(key, []):
            put(cell_of(cell), letter)
    for door in document.get("doors", []):
        is_open = isinstance(door, dict) and door.get("open", False)
        put(cell_of(door), "'" if is_open else "+")
    drops = {cell_of(cell) for cell in document.get("drop_cells", [])}
    for marine in document["marines"]:
        cell = cell_of(marine)
        put(cell, "m" if cell in drops else _FACINGS[marine["facing"]])
    for alien in document.get("aliens", []):
        put(cell_of(alien), _ALIENS[alien["type"]])
    return "\n".join("".join(row) for row in rows)
