"""Read a mission document piece by piece, and report every error in its format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.game import Document
from arena.game.editor import Problem
from arena.game.validation import Anything, Defect, Flag, TableOf, Text, Whole, Word
from arena_derelict.rulesets import FACINGS, RULESETS

FORMAT = "derelict_mission"
VERSION = 1
LARGEST = 64
CELL_LISTS = ("drop_cells", "lurk_cells", "entry_cells", "objectives")
MARKS = ("guard", "overwatch", "jam")
LIMIT_WINNERS = ("marine", "alien", "draw")

_COUNT = Whole(0)
_CELL = {"x": Whole(), "y": Whole()}
_FACED = {**_CELL, "facing": Word(FACINGS)}
_ENTRIES = {
    "doors": TableOf({**_CELL, "open": Flag()}),
    "marines": TableOf({**_FACED, "type": Anything(), **dict.fromkeys(MARKS, Flag())}, ("facing",)),
    "aliens": TableOf({**_FACED, "type": Anything()}, ("facing",)),
    "start_cells": TableOf(_FACED, ("facing",)),
}
_MISSION = TableOf(
    {
        "format": Word((FORMAT,)),
        "version": Whole(VERSION, VERSION),
        "name": Text(r"[a-z0-9_]+", "lower-case letters, digits and underscores"),
        "title": Text(),
        "description": Text(),
        "ruleset": Word(tuple(RULESETS)),
        "turn_limit": _COUNT,
        "flamer_fuel": _COUNT,
        "limit_winner": Word(LIMIT_WINNERS),
        "reinforcements": TableOf({"first": _COUNT, "later": _COUNT}),
        **dict.fromkeys((*_ENTRIES, *CELL_LISTS, "rows", "sections", "rendering"), Anything()),
    },
    ("format", "version", "name", "rows", "marines"),
)
_CODES = {
    "version": "bad_version",
    "rows": "bad_rows",
    "marines": "no_marines",
    "turn_limit": "bad_turn_limit",
    "flamer_fuel": "bad_fuel",
    "limit_winner": "bad_limit_winner",
    "reinforcements": "bad_reinforcements",
}
"""Maps a key to the code of its errors; other keys have ``bad_format``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list: its place in the file, its cell, and all its values. The cell is well-formed."""

    where: str
    cell: tuple[int, int]
    values: dict[str, Any]


@dataclass(slots=True)
class Reading:
    """The valid parts of a mission, and the errors.

    Attributes:
        rows: The map; empty if it is unusable.
        entries: For each list, the entries with a well-formed cell.
        problems: The errors found.
        document: The whole mission.
    """

    document: Document
    rows: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def note(self, code: str, where: str, message: str, cell: tuple[int, int] | None = None) -> None:
        """Add an error."""
        self.problems.append(Problem(code, message, where, cell))

    def is_on_map(self, cell: tuple[int, int]) -> bool:
        """Return whether a cell is on the map."""
        return 0 <= cell[1] < len(self.rows) and 0 <= cell[0] < len(self.rows[0])

    def is_wall(self, cell: tuple[int, int]) -> bool:
        """Return whether a cell is a wall. Return False for a cell off the map, which is reported as another error."""
        return self.is_on_map(cell) and self.rows[cell[1]][cell[0]] == "#"

    def has(self, key: str) -> bool:
        """Return whether the list under a key has any entry, valid or not."""
        return bool(self.document.get(key))

    def cells(self, key: str) -> list[tuple[int, int]]:
        """Return the cells of all entries in the list under a key. Malformed cells are left out."""
        return [entry.cell for entry in self.entries.get(key, [])]


def read(document: Any) -> Reading:
    """Read a mission document. Any JSON value is accepted."""
    if not isinstance(document, dict):
        reading = Reading({})
        reading.note("bad_format", "mission", "A mission is a JSON object.")
        return reading
    reading = Reading(document)
    for defect in _MISSION.defects(document):
        reading.note(_code(defect), defect.path, f"It {defect.message}")
    _read_rows(reading)
    _read_sections(reading)
    for key in (*_ENTRIES, *CELL_LISTS):
        reading.entries[key] = _read_list(reading, key)
    return reading


def _code(defect: Defect) -> str:
    key, _, inner = defect.path.partition(".")
    return "unknown_key" if defect.kind == "unknown" and not inner else _CODES.get(key, "bad_format")


def _read_rows(reading: Reading) -> None:
    rows = reading.document.get("rows")
    if rows is None and "rows" not in reading.document:
        return
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows) or not rows[0]:
        reading.note("bad_rows", "rows", "The rows must be a list of strings, and not empty.")
        return
    before = len(reading.problems)
    if len(rows) > LARGEST or max(map(len, rows)) > LARGEST:
        reading.note("bad_rows", "rows", f"A map has at most {LARGEST} x {LARGEST} cells.")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            reading.note("bad_rows", f"rows[{number}]", f"This row has {len(row)} cells, the first has {len(rows[0])}.")
        for x, letter in enumerate(row):
            if letter not in "#.":
                reading.note("bad_rows", f"rows[{number}]", f"A cell must be # or a dot, not {letter!r}.", (x, number))
    if len(reading.problems) == before:
        reading.rows = rows


def _read_sections(reading: Reading) -> None:
    sections = reading.document.get("sections")
    if "sections" not in reading.document or sections == []:
        return
    if not isinstance(sections, list) or not all(isinstance(row, str) for row in sections):
        reading.note("bad_sections", "sections", "The sections must be a list of strings.")
        return
    rows = reading.rows
    if rows and [len(row) for row in sections] != [len(row) for row in rows]:
        reading.note("bad_sections", "sections", "The sections must have the size of the rows.")
        return
    for y, row in enumerate(sections):
        for x, letter in enumerate(row):
            if letter != "." and not (letter.isascii() and letter.isalnum()):
                reading.note(
                    "bad_sections",
                    f"sections[{y}]",
                    f"A section must be a letter, a digit or a dot, not {letter!r}.",
                    (x, y),
                )
            elif letter != "." and rows and rows[y][x] == "#":
                reading.note("bad_sections", f"sections[{y}]", f"The section {letter} has a wall in it.", (x, y))


def _read_list(reading: Reading, key: str) -> list[Entry]:
    values = reading.document.get(key, [])
    if not isinstance(values, list):
        reading.note("bad_format", key, f"It must be a list, not {values!r:.80}.")
        return []
    found = []
    for number, value in enumerate(values):
        where = f"{key}[{number}]"
        entry = _read_entry(value, where)
        if entry is None:
            reading.note("bad_format", where, "A cell is [x, y] or an object with whole numbers x and y.")
            continue
        found.append(entry)
        if reading.rows and not reading.is_on_map(entry.cell):
            reading.note("off_map", where, f"The cell {list(entry.cell)} is not on the map.", entry.cell)
        if key in _ENTRIES:
            _note_defects(reading, key, entry)
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


def _note_defects(reading: Reading, key: str, entry: Entry) -> None:
    for defect in _ENTRIES[key].defects(entry.values, entry.where):
        if defect.path == f"{entry.where}.facing":
            reading.note("bad_facing", entry.where, f"The facing must be one of {', '.join(FACINGS)}.", entry.cell)
        else:
            code = "unknown_key" if defect.kind == "unknown" else "bad_format"
            reading.note(code, defect.path, f"It {defect.message}", entry.cell)
