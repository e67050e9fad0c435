"""A map or a position as text, one character for each tile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena_laser_flag.board import COVER
from arena_laser_flag.rulesets import Document

_LETTERS = {"basic": "P", "grunt": "G", "sniper": "N", "scout": "S"}


def draw_map(map_file: Document, units: Iterable[Document] | None = None) -> str:
    """Draw a map with its units.

    Floor is ``.``, cover ``o``, wall ``#``, void ``_``. A shared base is ``*``, on cover ``@``. The bases of players 0
    and 1 are ``A`` and ``B``. Basic, grunt, sniper and scout are ``P G N S`` for player 0, and lower case for player 1.

    Args:
        map_file: The map.
        units: The units of a position, in the form of the JSON state. The default is the map's own units.
    """
    rows: list[list[str]] = [list(row) for row in map_file["tiles"]]
    for base in map_file.get("bases", []):
        x, y = base["x"], base["y"]
        rows[y][x] = _base_letter(base.get("owner"), rows[y][x])
    for unit in map_file["units"] if units is None else units:
        letter = _LETTERS[unit["class"]]
        rows[unit["y"]][unit["x"]] = letter if unit["player"] == 0 else letter.lower()
    return "\n".join("".join(row) for row in rows)


def _base_letter(owner: Any, kind: str) -> str:
    if owner is None:
        return "@" if kind == COVER else "*"
    return "AB"[owner]
