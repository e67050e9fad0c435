"""Reading a mission file piece by piece, noting every defect of form on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from arena_derelict.map_problem import Problem
from arena_derelict.rulesets import FACINGS

FORMAT = "derelict_mission"
VERSION = 1
LARGEST = 64
REQUIRED = ("format", "version", "name", "rows", "marines")
CELL_LISTS = ("drop_cells", "lurk_cells", "entry_cells", "objectives")
MARKS = ("guard", "overwatch", "jam")
_ENTRY_KEYS = {
    "doors": ("x", "y", "open"),
    "marines": ("type", "x", "y", "facing", *MARKS),
    "aliens": ("type", "x", "y", "facing"),
    "start_cells": ("x", "y", "facing"),
}
KEYS = frozenset(
    (
        *REQUIRED,
        *CELL_LISTS,
        *_ENTRY_KEYS,
        *("title", "description", "ruleset", "sections", "turn_limit", "limit_winner", "flamer_fuel"),
        *("reinforcements", "rendering"),
    )
)
LIMIT_WINNERS = ("marine", "alien", "draw")


@dataclass(frozen=True, slots=True)
class Entry:
    """One readable entry of a list: where it is in the file, its cell, and its other values."""

    where: str
    cell: tuple[int, int]
    values: dict[str, Any]


@dataclass(slots=True)
class Reading:
    """What could be read of a mission, and what could not.

    Attributes:
        rows: The map; empty where it is unusable.
        entries: The readable entries of each list.
        problems: The defects found.
        document: The whole mission.
    """

    document: dict[str, Any]
    rows: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def note(self, code: str, where: str, sentence: str, cell: tuple[int, int] | None = None) -> None:
        """Note an error."""
        self.problems.append(Problem(code, where, sentence, cell))

    def is_on_map(self, cell: tuple[int, int]) -> bool:
        """Tell whether a cell is on the map."""
        return 0 <= cell[1] < len(self.rows) and 0 <= cell[0] < len(self.rows[0])

    def is_wall(self, cell: tuple[int, int]) -> bool:
        """Tell whether a cell on the map is a wall; off the map that is another error."""
        return self.is_on_map(cell) and self.rows[cell[1]][cell[0]] == "#"

    def has(self, key: str) -> bool:
        """Tell whether one of the lists has any entry, readable or not."""
        return bool(self.document.get(key))

    def cells(self, key: str) -> list[tuple[int, int]]:
        """List the cells of one of the lists."""
        return [entry.cell for entry in self.entries.get(key, [])]


def read(document: Any) -> Reading:
    """Read a mission document of any shape."""
    if not isinstance(document, dict):
        reading = Reading({})
        reading.note("bad_format", "mission", "a mission is a JSON object")
        return reading
    reading = Reading(document)
    _read_head(reading)
    _read_rows(reading)
    _read_sections(reading)
    for key in (*_ENTRY_KEYS, *CELL_LISTS):
        reading.entries[key] = _read_list(reading, key)
    _read_values(reading)
    return reading


def _read_head(reading: Reading) -> None:
    document = reading.document
    for key in document:
        if key not in KEYS:
            reading.note("unknown_key", str(key), f"a mission has no key {key!r}")
    for key in REQUIRED:
        if key not in document and key not in ("format", "version"):
            code = {"rows": "bad_rows", "marines": "no_marines"}.get(key, "bad_format")
            reading.note(code, key, f"the key {key} is missing")
    if document.get("format") != FORMAT:
        reading.note("bad_format", "format", f"the format must be {FORMAT!r}")
    if not _is_int(document.get("version")) or document["version"] != VERSION:
        reading.note("bad_version", "version", f"the version must be {VERSION}")
    name = document.get("name", "a")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9_]+", name):
        reading.note("bad_format", "name", "the name must be lower-case letters, digits and underscores")
    for key in ("title", "description"):
        if not isinstance(document.get(key, ""), str):
            reading.note("bad_format", key, f"the {key} must be text")
    if document.get("ruleset", "core") not in ("core", "full"):
        reading.note("bad_format", "ruleset", "the ruleset must be core or full")


def _read_rows(reading: Reading) -> None:
    rows = reading.document.get("rows")
    if rows is None and "rows" not in reading.document:
        return
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows) or not rows[0]:
        reading.note("bad_rows", "rows", "the rows must be a list of strings, and not empty")
        return
    before = len(reading.problems)
    if len(rows) > LARGEST or max(map(len, rows)) > LARGEST:
        reading.note("bad_rows", "rows", f"a map is at most {LARGEST} x {LARGEST}")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            reading.note("bad_rows", f"rows[{number}]", f"this row has {len(row)} cells, the first has {len(rows[0])}")
        for x, letter in enumerate(row):
            if letter not in "#.":
                reading.note("bad_rows", f"rows[{number}]", f"{letter!r} is neither # nor a dot", (x, number))
    if len(reading.problems) == before:
        reading.rows = rows


def _read_sections(reading: Reading) -> None:
    sections = reading.document.get("sections")
    if "sections" not in reading.document or sections == []:
        return
    if not isinstance(sections, list) or not all(isinstance(row, str) for row in sections):
        reading.note("bad_sections", "sections", "the sections must be a list of strings")
        return
    rows = reading.rows
    if rows and [len(row) for row in sections] != [len(row) for row in rows]:
        reading.note("bad_sections", "sections", "the sections must have the size of the rows")
        return
    for y, row in enumerate(sections):
        for x, letter in enumerate(row):
            if letter != "." and not (letter.isascii() and letter.isalnum()):
                reading.note("bad_sections", f"sections[{y}]", f"{letter!r} is no letter, digit or dot", (x, y))
            elif letter != "." and rows and rows[y][x] == "#":
                reading.note("bad_sections", f"sections[{y}]", f"the section {letter} has a wall in it", (x, y))


def _read_list(reading: Reading, key: str) -> list[Entry]:
    values = reading.document.get(key, [])
    if not isinstance(values, list):
        reading.note("bad_format", key, f"{key} must be a list")
        return []
    found = []
    for number, value in enumerate(values):
        where = f"{key}[{number}]"
        entry = _read_entry(value, where)
        if entry is None:
            reading.note("bad_format", where, "a cell is [x, y] or an object with whole numbers x and y")
            continue
        found.append(entry)
        for name in entry.values:
            if key in _ENTRY_KEYS and name not in _ENTRY_KEYS[key]:
                reading.note("unknown_key", f"{where}.{name}", f"an entry of {key} has no key {name!r}", entry.cell)
        if reading.rows and not reading.is_on_map(entry.cell):
            reading.note("off_map", where, f"the cell {list(entry.cell)} is not on the map", entry.cell)
        _read_entry_values(reading, key, entry)
    return found


def _read_entry(value: Any, where: str) -> Entry | None:
    if isinstance(value, dict):
        x, y, values = value.get("x"), value.get("y"), value
    elif isinstance(value, list) and len(value) == 2:
        (x, y), values = value, {}
    else:
        return None
    if type(x) is not int or type(y) is not int:
        return None
    return Entry(where, (x, y), values)


def _read_entry_values(reading: Reading, key: str, entry: Entry) -> None:
    if key in ("marines", "aliens", "start_cells") and entry.values.get("facing") not in FACINGS:
        reading.note("bad_facing", entry.where, "the facing must be one of " + ", ".join(FACINGS), entry.cell)
    marks = {"doors": ("open",), "marines": MARKS}.get(key, ())
    for mark in marks:
        if type(entry.values.get(mark, False)) is not bool:
            reading.note("bad_format", f"{entry.where}.{mark}", f"{mark} must be true or false", entry.cell)


def _read_values(reading: Reading) -> None:
    document = reading.document
    for key, code in (("turn_limit", "bad_turn_limit"), ("flamer_fuel", "bad_fuel")):
        if key in document and not _is_count(document[key]):
            reading.note(code, key, f"the {key} must be a whole number, at least 0")
    if "limit_winner" in document and document["limit_winner"] not in LIMIT_WINNERS:
        reading.note("bad_limit_winner", "limit_winner", "the limit_winner must be marine, alien or draw")
    if "reinforcements" not in document:
        return
    numbers = document["reinforcements"]
    if not isinstance(numbers, dict):
        reading.note("bad_reinforcements", "reinforcements", "reinforcements must be an object with first and later")
        return
    for name, value in numbers.items():
        if name not in ("first", "later"):
            reading.note("bad_reinforcements", f"reinforcements.{name}", "only first and later are known")
        elif not _is_count(value):
            reading.note("bad_reinforcements", f"reinforcements.{name}", "it must be a whole number, at least 0")


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
