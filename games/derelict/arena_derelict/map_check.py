"""Find all errors of a mission at once, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.game.editor import Problem
from arena_derelict.map_reader import CELL_LISTS, Entry, Reading, read
from arena_derelict.rulesets import CORE_MARINES, MARINES, RULESETS

ALIEN_TYPES = ("alien", "blip", "blip_2", "blip_3")


def validate(document: Any) -> list[Problem]:
    """Return all errors of a mission. If there are none, return all warnings."""
    from arena_derelict.map_warnings import warnings_about

    return errors_in(document) or warnings_about(document)


def errors_in(document: Any, options: Mapping[str, Any] | None = None) -> list[Problem]:
    """Return all errors of a mission.

    Args:
        document: The mission, or any other JSON value.
        options: The options given explicitly, since some errors depend on them.
    """
    reading = read(document)
    if reading.document:
        play = _InPlay(reading, options or {})
        _check_units(reading, play)
        _check_conflicts(reading)
        _check_markers(reading, play)
        _check_aliens(reading, play)
    return reading.problems


class _InPlay:
    """The options that some checks need.

    Order of priority: given values, the mission's, the ruleset's. An unknown ruleset counts as ``full``.
    """

    def __init__(self, reading: Reading, options: Mapping[str, Any]) -> None:
        document = reading.document
        self.ruleset: str = options.get("ruleset") or document.get("ruleset") or "full"
        if self.ruleset not in tuple(RULESETS):
            self.ruleset = "full"
        defaults = RULESETS[self.ruleset]
        given = document.get("reinforcements")
        numbers = given if isinstance(given, dict) else {}
        self.reinforcements = [
            options.get(f"reinforcements_{name}", numbers.get(name, defaults[f"reinforcements_{name}"]))
            for name in ("first", "later")
        ]
        self.alien_cap: int = options.get("alien_cap", defaults["alien_cap"])


def _check_units(reading: Reading, play: _InPlay) -> None:
    if not reading.entries["marines"] and "marines" in reading.document:
        reading.note("no_marines", "marines", "There is no marine.")
    for key, types, shelter in (("marines", tuple(MARINES), "drop_cells"), ("aliens", ALIEN_TYPES, "lurk_cells")):
        sheltered = set(reading.cells(shelter))
        for entry in reading.entries[key]:
            kind = entry.values.get("type")
            if kind not in types:
                reading.note(
                    "unknown_unit_type",
                    entry.where,
                    f"The type must be one of {', '.join(types)}, not {kind!r:.80}.",
                    entry.cell,
                )
            elif key == "marines" and play.ruleset == "core" and kind not in CORE_MARINES:
                reading.note("type_not_in_ruleset", entry.where, f"The ruleset core has no {kind}.", entry.cell)
            if reading.is_wall(entry.cell) and entry.cell not in sheltered:
                message = f"The unit stands in a wall that is not one of the {shelter}."
                reading.note("unit_on_wall", entry.where, message, entry.cell)


def _closed_doors(reading: Reading) -> set[tuple[int, int]]:
    return {entry.cell for entry in reading.entries["doors"] if not entry.values.get("open", False)}


def _units(reading: Reading) -> list[Entry]:
    return [*reading.entries["marines"], *reading.entries["aliens"]]


def _check_conflicts(reading: Reading) -> None:
    doors: dict[tuple[int, int], str] = {}
    for entry in reading.entries["doors"]:
        if reading.is_wall(entry.cell):
            reading.note("door_on_wall", entry.where, "The door is in a wall.", entry.cell)
        if entry.cell in doors:
            reading.note("cell_conflict", entry.where, f"The door {doors[entry.cell]} is in this cell.", entry.cell)
        doors.setdefault(entry.cell, entry.where)
    closed = _closed_doors(reading)
    units: dict[tuple[int, int], str] = {}
    for entry in _units(reading):
        if entry.cell in units:
            reading.note("cell_conflict", entry.where, f"The unit {units[entry.cell]} stands in this cell.", entry.cell)
        units.setdefault(entry.cell, entry.where)
        if entry.cell in closed:
            reading.note("cell_conflict", entry.where, "The unit stands in a closed door.", entry.cell)


def _check_markers(reading: Reading, play: _InPlay) -> None:
    blocked = _closed_doors(reading) | {entry.cell for entry in _units(reading)}
    for entry in reading.entries["start_cells"]:
        if reading.is_wall(entry.cell):
            reading.note("start_on_wall", entry.where, "The start cell is in a wall.", entry.cell)
        if entry.cell in blocked:
            reading.note("start_blocked", entry.where, "A closed door or a unit is on the start cell.", entry.cell)
    for key, code in (("entry_cells", "entry_on_wall"), ("objectives", "objective_on_wall")):
        for entry in reading.entries[key]:
            if reading.is_wall(entry.cell):
                reading.note(code, entry.where, "The cell is in a wall.", entry.cell)
    drops = set(reading.cells("drop_cells"))
    if not reading.has("start_cells") and any(entry.cell in drops for entry in reading.entries["marines"]):
        reading.note("drop_without_start", "start_cells", "Marines wait on drop cells, but there is no start cell.")
    if reading.has("lurk_cells") and not reading.has("entry_cells"):
        reading.note("lurk_without_entry", "entry_cells", "There are lurk cells, but no entry cell.")
    flamers = any(entry.values.get("type") == "marine_flame" for entry in reading.entries["marines"])
    if reading.entries["objectives"] and not flamers:
        reading.note("objective_without_flamer", "objectives", "There is an objective, but no marine_flame.")
    if play.ruleset == "core":
        for key in (*CELL_LISTS, "start_cells"):
            if reading.entries[key]:
                reading.note("type_not_in_ruleset", key, f"The ruleset core has no {key}.")


def _check_aliens(reading: Reading, play: _InPlay) -> None:
    aliens = reading.entries["aliens"]
    coming = bool(reading.entries["lurk_cells"]) and any(play.reinforcements)
    if not aliens and not coming:
        reading.note("no_alien_source", "aliens", "There is no alien or blip, and no reinforcements can come.")
    number = sum(entry.values.get("type") == "alien" for entry in aliens)
    if number > play.alien_cap:
        reading.note(
            "too_many_aliens", "aliens", f"There are {number} aliens, but at most {play.alien_cap} are allowed."
        )
