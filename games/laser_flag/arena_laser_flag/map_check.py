"""The validator of map files. It returns the defects with their places, so that editors can show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arena.game.validation import NON_EMPTY, Anything, Defect, ListOf, TableOf, Text, Validator, Whole, Word
from arena_laser_flag.board import COVER, FLOOR, VOID, WALL
from arena_laser_flag.rule_check import TARGET_SCORE, TURN_LIMIT, check_rules
from arena_laser_flag.rulesets import RULESETS, Document, defaults, effective_rules, mode_of

FORMAT = "laser_flag_map"
VERSION = 1
LEAST_SIDE, GREATEST_SIDE = 11, 21
LARGEST_TEAM = 30

_HEAD: Mapping[str, Validator] = {
    "format": Word((FORMAT,)),
    "version": Whole(VERSION, VERSION),
    "name": NON_EMPTY,
    "ruleset": Word(RULESETS),
}
_LIMITS: Mapping[str, Validator] = {
    "target_score": TARGET_SCORE,
    "turn_limit": TURN_LIMIT,
    "teams": ListOf(TableOf({"name": Text(), "colors": ListOf(Text(), lengths=(0, 3))}), lengths=(2, 2)),
}
_OTHERS = ("author", "description", "rules", "mode", "tiles", "bases", "units")
_CODES = {
    "format": "format_wrong",
    "version": "version_unsupported",
    "name": "name_missing",
    "ruleset": "ruleset_unknown",
    "target_score": "target_score_invalid",
    "turn_limit": "turn_limit_invalid",
    "teams": "teams_invalid",
}
_MAP = TableOf({**_HEAD, **dict.fromkeys((*_LIMITS, *_OTHERS), Anything())}, ("format", "version", "name"))
_BASE = TableOf({"x": Whole(), "y": Whole(), "owner": Anything()}, ("x", "y"))
_UNIT = TableOf({"x": Whole(), "y": Whole(), "player": Anything(), "class": Anything()}, ("x", "y", "player", "class"))
_PLAYER = Whole(0, 1)


class Fault(NamedTuple):
    """One defect of a map file.

    Attributes:
        code: The specification's code for the defect.
        place: A key, an index or a tile; empty for the file as a whole.
        x: The tile's column, if the defect is on a tile.
        y: The tile's row, if the defect is on a tile.
        message: What is wrong, if the code alone does not say it.
    """

    code: str
    place: str = ""
    x: int | None = None
    y: int | None = None
    message: str = ""

    @property
    def tile(self) -> tuple[int, int] | None:
        """The tile of the defect, or None."""
        return None if self.x is None or self.y is None else (self.x, self.y)


def find_faults(document: Any) -> list[Fault]:
    """Return the defects of a map file, with their places.

    If the tiles are unusable, bases, units and limits are not checked. If any part has a defect, the map's mode and the
    connections between its tiles are not checked.
    """
    if not isinstance(document, dict):
        return [Fault("not_an_object")]
    faults = list(_check_head(document))
    tile_faults = list(_check_tiles(document.get("tiles")))
    faults += tile_faults
    if any(fault.code in ("tiles_missing", "tiles_ragged", "tile_unknown") for fault in tile_faults):
        return faults
    rows: list[str] = document["tiles"]
    faults += _check_bases(document.get("bases", []), rows)
    faults += _check_units(document, rows)
    limits = TableOf(_LIMITS, others=Anything())
    faults += [_fault_at_key(defect) for defect in limits.defects(document)]
    return faults or list(_check_whole(document, rows))


def ruleset_of(document: Document) -> str:
    """Return the ruleset that a map file names, or ``alpha`` if it names no existing ruleset."""
    ruleset = document.get("ruleset", RULESETS[0])
    return ruleset if ruleset in RULESETS else RULESETS[0]


def _check_head(document: Document) -> Iterator[Fault]:
    yield from map(_fault_at_key, _MAP.defects(document))
    rules = document.get("rules", {})
    if not isinstance(rules, dict):
        yield Fault("rules_invalid", "rules")
        return
    for defect in check_rules(rules, ruleset_of(document)):
        is_class = defect.path.startswith("rules.classes.") and defect.path.count(".") == 2
        code = "rules_unknown_key" if defect.kind == "unknown" and not is_class else "rules_bad_value"
        yield Fault(code, defect.path, message=defect.message)


def _fault_at_key(defect: Defect) -> Fault:
    key = defect.path.partition(".")[0].partition("[")[0]
    if key in _CODES:
        return Fault(_CODES[key], defect.path)
    return Fault("unknown_key", defect.path, message=defect.message)


def _check_tiles(rows: Any) -> Iterator[Fault]:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        yield Fault("tiles_missing", "tiles")
        return
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        yield Fault("tiles_ragged", "tiles")
        return
    if not all(LEAST_SIDE <= side <= GREATEST_SIDE for side in (width, len(rows))):
        yield Fault("size_out_of_range", "tiles")
    for y, row in enumerate(rows):
        for x, kind in enumerate(row):
            if kind not in (FLOOR, WALL, COVER, VOID):
                yield Fault("tile_unknown", f"tile ({x}, {y})", x, y)


def _walkable(rows: list[str], x: int, y: int) -> bool:
    return rows[y][x] in (FLOOR, COVER)


def _has(rows: list[str], x: int, y: int) -> bool:
    return 0 <= y < len(rows) and 0 <= x < len(rows[0])


def _check_bases(bases: Any, rows: list[str]) -> Iterator[Fault]:
    if not isinstance(bases, list):
        yield Fault("base_malformed", "bases")
        return
    taken: set[tuple[int, int]] = set()
    for index, base in enumerate(bases):
        place = f"bases[{index}]"
        if not _BASE.accepts(base):
            yield Fault("base_malformed", place)
            continue
        x, y = base["x"], base["y"]
        owner = base.get("owner")
        if owner is not None and not _PLAYER.accepts(owner):
            yield Fault("base_owner_invalid", place, x, y)
        if not _has(rows, x, y):
            yield Fault("base_off_map", place, x, y)
        elif not _walkable(rows, x, y):
            yield Fault("base_on_wall", place, x, y)
        if (x, y) in taken:
            yield Fault("base_duplicate", place, x, y)
        taken.add((x, y))


def _check_units(document: Document, rows: list[str]) -> Iterator[Fault]:
    units = document.get("units")
    if not isinstance(units, list):
        yield Fault("units_missing", "units")
        return
    known = defaults(ruleset_of(document))["classes"]
    taken: set[tuple[int, int]] = set()
    sizes = [0, 0]
    for index, unit in enumerate(units):
        place = f"units[{index}]"
        if not _UNIT.accepts(unit):
            yield Fault("unit_malformed", place)
            continue
        x, y = unit["x"], unit["y"]
        if _PLAYER.accepts(unit["player"]):
            sizes[unit["player"]] += 1
        else:
            yield Fault("unit_player_invalid", place, x, y)
        if not isinstance(unit["class"], str) or unit["class"] not in known:
            yield Fault("unit_class_unknown", place, x, y)
        if not _has(rows, x, y):
            yield Fault("unit_off_map", place, x, y)
        elif not _walkable(rows, x, y):
            yield Fault("unit_on_wall", place, x, y)
        if (x, y) in taken:
            yield Fault("unit_overlap", place, x, y)
        taken.add((x, y))
    if 0 in sizes:
        yield Fault("team_empty", "units")
    if max(sizes) > LARGEST_TEAM:
        yield Fault("team_too_large", "units")


def _check_whole(document: Document, rows: list[str]) -> Iterator[Fault]:
    """Check the map as a whole, after all its parts have passed."""
    rules = effective_rules(ruleset_of(document), document, {})
    mode = mode_of(document.get("bases", []), rules["base_access"])
    if "mode" in document and document["mode"] != mode:
        yield Fault("mode_mismatch", f"mode, which is {mode}")
    walkable = {(x, y) for y, row in enumerate(rows) for x in range(len(row)) if _walkable(rows, x, y)}
    cut_off = walkable - flood(walkable, min(walkable, key=lambda tile: (tile[1], tile[0])))
    for x, y in sorted(cut_off, key=lambda tile: (tile[1], tile[0])):
        yield Fault("not_connected", f"tile ({x}, {y})", x, y)


def flood(tiles: set[tuple[int, int]], start: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the tiles of a set that can be reached from one tile by orthogonal steps."""
    reached = {start}
    front = [start]
    while front:
        x, y = front.pop()
        for tile in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
            if tile in tiles and tile not in reached:
                reached.add(tile)
                front.append(tile)
    return reached
