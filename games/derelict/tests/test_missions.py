"""Mission files: each error code alone, all errors at once, warnings, and loading of missions."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.game import OptionError
from arena_derelict import GAME, load_map, validate
from arena_derelict.map_check import errors_in
from arena_derelict.map_files import MISSIONS

Mission = dict[str, Any]


def good() -> Mission:
    return {
        "format": "derelict_mission",
        "version": 1,
        "name": "good_1",
        "title": "Good",
        "ruleset": "full",
        "rows": ["########", "#......#", "#......#", "########", "########", "########"],
        "sections": ["........", ".AAABBB.", ".AAABBB.", "........", "........", "........"],
        "doors": [{"x": 3, "y": 1, "open": False}],
        "marines": [
            {"type": "marine_flame", "x": 1, "y": 1, "facing": "South"},
            {"type": "marine", "x": 1, "y": 5, "facing": "South", "jam": True},
        ],
        "aliens": [{"type": "blip_2", "x": 6, "y": 1, "facing": "West"}],
        "drop_cells": [[1, 5]],
        "start_cells": [{"x": 2, "y": 2, "facing": "East"}],
        "lurk_cells": [[6, 5], {"x": 7, "y": 5, "note": "free"}],
        "entry_cells": [[6, 2]],
        "objectives": [[5, 2]],
        "turn_limit": 5,
        "limit_winner": "draw",
        "flamer_fuel": 3,
        "reinforcements": {"first": 2, "later": 1},
        "rendering": ["anything"],
    }


def put(*path: Any) -> Callable[[Mission], None]:
    """Return a change of a mission: set the value (the last argument) at a path, or remove the key if it is ``...``."""
    *keys, last, value = path

    def change(mission: Mission) -> None:
        target: Any = mission
        for key in keys:
            target = target[key]
        if value is ...:
            del target[last]
        elif last == "append":
            target.append(value)
        else:
            target[last] = value

    return change


MARINE = {"type": "marine", "x": 2, "y": 1, "facing": "North"}
ALIEN = {"type": "alien", "x": 5, "y": 1, "facing": "North"}

ERRORS: list[tuple[str, str, list[Callable[[Mission], None]]]] = [
    ("bad_format", "format", [put("format", "mission")]),
    ("bad_format", "format", [put("format", ...)]),
    ("bad_format", "name", [put("name", "Good One")]),
    ("bad_format", "name", [put("name", ...)]),
    ("bad_format", "title", [put("title", 3)]),
    ("bad_format", "ruleset", [put("ruleset", "half")]),
    ("bad_format", "ruleset", [put("ruleset", ["full"])]),
    ("bad_format", "doors", [put("doors", {})]),
    ("bad_format", "doors[0].open", [put("doors", 0, "open", 1)]),
    ("bad_format", "entry_cells[0]", [put("entry_cells", 0, [1])]),
    ("bad_format", "entry_cells[0]", [put("entry_cells", 0, [1, True])]),
    ("bad_format", "marines[1].jam", [put("marines", 1, "jam", "yes")]),
    ("bad_version", "version", [put("version", 2)]),
    ("bad_version", "version", [put("version", True)]),
    ("bad_version", "version", [put("version", ...)]),
    ("unknown_key", "dors", [put("dors", [])]),
    ("unknown_key", "marines[0].gard", [put("marines", 0, "gard", True)]),
    ("bad_rows", "rows[1]", [put("rows", 1, "#.....!#"), put("doors", [])]),
    ("bad_rows", "rows[5]", [put("rows", 5, "#######")]),
    ("bad_rows", "rows", [put("rows", [])]),
    ("bad_rows", "rows", [put("rows", [""])]),
    ("bad_rows", "rows", [put("rows", ...)]),
    ("bad_rows", "rows", [put("rows", ["." * 65] * 6), put("sections", ...)]),
    ("bad_rows", "rows", [put("rows", ["." * 8] * 65), put("sections", ...)]),
    ("bad_sections", "sections", [put("sections", ["AA"])]),
    ("bad_sections", "sections", [put("sections", "AA")]),
    ("bad_sections", "sections[0]", [put("sections", 0, "A.......")]),
    ("bad_sections", "sections[1]", [put("sections", 1, ".AAA+BB.")]),
    ("off_map", "entry_cells[0]", [put("entry_cells", 0, [8, 1])]),
    ("off_map", "marines[1]", [put("marines", 1, "y", -1)]),
    ("off_map", "doors[0]", [put("doors", 0, "y", 6)]),
    ("bad_facing", "marines[0]", [put("marines", 0, "facing", "north")]),
    ("bad_facing", "aliens[0]", [put("aliens", 0, "facing", ...)]),
    ("bad_facing", "start_cells[0]", [put("start_cells", 0, [2, 2])]),
    ("unknown_unit_type", "marines[1]", [put("marines", 1, "type", "marine_nurse")]),
    ("unknown_unit_type", "marines[1]", [put("marines", 1, "type", "alien")]),
    ("unknown_unit_type", "aliens[0]", [put("aliens", 0, "type", "blip_4")]),
    ("unknown_unit_type", "aliens[0]", [put("aliens", 0, "type", ["blip"])]),
    ("no_marines", "marines", [put("marines", []), put("objectives", [])]),
    ("no_marines", "marines", [put("marines", ...), put("objectives", [])]),
    ("unit_on_wall", "marines[0]", [put("marines", 0, "y", 4)]),
    ("unit_on_wall", "aliens[0]", [put("aliens", 0, "y", 3)]),
    ("unit_on_wall", "aliens[0]", [put("aliens", 0, {**ALIEN, "x": 2, "y": 4})]),
    ("cell_conflict", "aliens[0]", [put("aliens", 0, {**ALIEN, "x": 1, "y": 1})]),
    ("cell_conflict", "marines[2]", [put("marines", "append", {**MARINE, "x": 3})]),
    ("cell_conflict", "doors[1]", [put("doors", "append", {"x": 3, "y": 1, "open": True})]),
    ("door_on_wall", "doors[0]", [put("doors", 0, "y", 0)]),
    ("start_on_wall", "start_cells[0]", [put("start_cells", 0, "y", 3)]),
    ("start_blocked", "start_cells[0]", [put("marines", "append", {**MARINE, "x": 2, "y": 2})]),
    ("start_blocked", "start_cells[0]", [put("doors", 0, {"x": 2, "y": 2, "open": False})]),
    ("entry_on_wall", "entry_cells[0]", [put("entry_cells", 0, [6, 3])]),
    ("objective_on_wall", "objectives[0]", [put("objectives", 0, [5, 3])]),
    ("drop_without_start", "start_cells", [put("start_cells", [])]),
    ("lurk_without_entry", "entry_cells", [put("entry_cells", [])]),
    ("objective_without_flamer", "objectives", [put("marines", 0, "type", "marine")]),
    ("no_alien_source", "aliens", [put("aliens", []), put("reinforcements", {"first": 0, "later": 0})]),
    ("no_alien_source", "aliens", [put("aliens", []), put("lurk_cells", [])]),
    ("too_many_aliens", "aliens", [put("aliens", [{**ALIEN, "x": x, "y": y} for x, y in
        [(x, y) for y in (4, 3) for x in range(8)] + [(x, 0) for x in range(8)]][:23]),
        put("rows", ["." * 8] * 6), put("sections", ...)]),
    ("bad_turn_limit", "turn_limit", [put("turn_limit", -1)]),
    ("bad_turn_limit", "turn_limit", [put("turn_limit", 1.0)]),
    ("bad_turn_limit", "turn_limit", [put("turn_limit", True)]),
    ("bad_limit_winner", "limit_winner", [put("limit_winner", "marines")]),
    ("bad_reinforcements", "reinforcements.first", [put("reinforcements", "first", -1)]),
    ("bad_reinforcements", "reinforcements.third", [put("reinforcements", "third", 1)]),
    ("bad_reinforcements", "reinforcements", [put("reinforcements", [2, 1])]),
    ("bad_fuel", "flamer_fuel", [put("flamer_fuel", None)]),
]  # fmt: skip


def changed(changes: list[Callable[[Mission], None]]) -> Mission:
    mission = copy.deepcopy(good())
    for change in changes:
        change(mission)
    return mission


def test_the_good_mission_is_good() -> None:
    assert validate(good()) == []
    GAME.resolve_options({"mission": good()})


@pytest.mark.parametrize(("code", "where", "changes"), ERRORS, ids=[f"{code}-{where}" for code, where, _ in ERRORS])
def test_error(code: str, where: str, changes: list[Callable[[Mission], None]]) -> None:
    mission = changed(changes)
    problems = errors_in(mission)
    assert {problem.code for problem in problems} == {code}
    assert where in [problem.where for problem in problems]
    with pytest.raises(OptionError, match=code):
        GAME.resolve_options({"mission": mission})


@pytest.mark.parametrize("document", [None, 3, "x", [], [good()]])
def test_a_mission_is_an_object(document: Any) -> None:
    assert [problem.code for problem in errors_in(document)] == ["bad_format"]


def test_an_error_names_its_cell() -> None:
    (problem,) = errors_in(changed([put("entry_cells", 0, [6, 3])]))
    assert problem.to_document() == {
        "code": "entry_on_wall",
        "where": "entry_cells[0]",
        "message": "The cell is in a wall.",
        "cell": [6, 3],
        "error": True,
    }


def test_what_core_does_not_have() -> None:
    problems = errors_in(good(), {"ruleset": "core"})
    assert {problem.code for problem in problems} == {"type_not_in_ruleset"}
    assert {problem.where for problem in problems} == {
        "marines[0]", "drop_cells", "start_cells", "lurk_cells", "entry_cells", "objectives",
    }  # fmt: skip


def test_the_ruleset_in_play_decides() -> None:
    mission = {**load_map("pump_station"), "ruleset": "core"}
    assert errors_in(mission)
    assert not errors_in(mission, {"ruleset": "full"})


def test_options_decide_about_aliens() -> None:
    assert [one.code for one in errors_in(load_map("crossways"), {"alien_cap": 1})] == ["too_many_aliens"]
    without = {"reinforcements_first": 0, "reinforcements_later": 0}
    assert [one.code for one in errors_in(load_map("pump_station"), without)] == ["no_alien_source"]


def test_all_errors_at_once() -> None:
    changes = [change for code, _, some in ERRORS if code not in ("bad_rows", "no_marines") for change in some[:1]]
    mission = copy.deepcopy(good())
    for change in changes:
        try:
            change(mission)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    codes = {problem.code for problem in errors_in(mission)}
    assert len(codes) >= 15


WARNINGS = [
    ("lurk_exposed", "lurk_cells[0]", [put("lurk_cells", 0, [4, 3])]),
    ("visible_blip", "aliens[0]", [put("marines", 0, "facing", "East"), put("doors", 0, "open", True)]),
    ("unreachable_objective", "objectives[0]", [put("rows", 4, "####.###"), put("objectives", 0, [4, 4]),
        put("rows", 3, "########"), put("rows", 2, "#.....##"), put("rows", 1, "###....#"),
        put("rows", 2, "#..#####"), put("entry_cells", 0, [6, 1]), put("marines", 0, "y", 2),
        put("doors", []), put("sections", ...)]),
    ("fewer_starts_than_drops", "start_cells", [put("drop_cells", "append", [2, 5])]),
    ("no_turn_limit", "turn_limit", [put("turn_limit", 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "where", "changes"), WARNINGS, ids=[code for code, _, _ in WARNINGS])
def test_warning(code: str, where: str, changes: list[Callable[[Mission], None]]) -> None:
    mission = changed(changes)
    assert [(one.code, one.where, one.is_error) for one in validate(mission)] == [(code, where, False)]
    GAME.resolve_options({"mission": mission})


@pytest.mark.parametrize("name", MISSIONS)
def test_supplied_missions_have_no_fault(name: str) -> None:
    mission = load_map(name)
    assert mission["name"] == name
    assert validate(mission) == []


@pytest.mark.parametrize("door", [{"x": 3, "y": 1}, [3, 1]])
def test_a_door_is_closed_unless_it_says_otherwise(door: Any) -> None:
    mission = changed([put("doors", [door])])
    assert validate(mission) == []
    game = GAME.start({"mission": mission})
    assert game.to_document()["doors"] == [{"id": "d1", "x": 3, "y": 1, "open": False}]


def test_a_mission_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(good()), encoding="utf-8")
    assert load_map(str(path)) == good()
    assert GAME.resolve_options({"mission": load_map(str(path))}).turn_limit == 5
    with pytest.raises(OptionError, match="There is no supplied map"):
        GAME.resolve_options({"mission": str(path)})
    path.write_text(json.dumps({**good(), "turn_limit": -3, "name": "?"}), encoding="utf-8")
    with pytest.raises(OptionError, match=r"(?s)bad_format.*bad_turn_limit"):
        GAME.resolve_options({"mission": load_map(str(path))})
    path.write_text("{", encoding="utf-8")
    with pytest.raises(OptionError, match="is not JSON"):
        load_map(str(path))
    with pytest.raises(OptionError, match="There is no mission"):
        load_map(str(tmp_path / "none.json"))
    with pytest.raises(OptionError, match="There is no mission"):
        load_map(str(tmp_path))
    path.write_text(json.dumps({**load_map("pump_station"), "ruleset": "core"}), encoding="utf-8")
    assert GAME.resolve_options({"mission": load_map(str(path)), "ruleset": "full"}).ruleset == "full"
    with pytest.raises(OptionError, match="type_not_in_ruleset"):
        GAME.resolve_options({"mission": load_map(str(path))})


def test_precedence_of_options() -> None:
    full = GAME.resolve_options({"mission": {**good(), "turn_limit": 7}})
    assert (full.turn_limit, full.limit_winner, full.flamer_fuel) == (7, "draw", 3)
    assert (full.reinforcements_first, full.reinforcements_later) == (2, 1)
    given = GAME.resolve_options({"mission": good(), "turn_limit": 9, "flamer_fuel": 1, "reinforcements_later": 5})
    assert (given.turn_limit, given.flamer_fuel, given.reinforcements_later) == (9, 1, 5)
    bare = {key: good()[key] for key in ("format", "version", "name", "rows", "marines", "aliens", "drop_cells")}
    bare["start_cells"] = good()["start_cells"]
    assert GAME.resolve_options({"mission": bare}).ruleset == "full"
    assert GAME.resolve_options({"mission": bare}).limit_winner == "marine"
    assert GAME.resolve_options({"mission": {**bare, "objectives": [[5, 2]]}}).limit_winner == "alien"
    assert GAME.resolve_options({}).mission["name"] == "crossways"
    assert GAME.resolve_options({}).ruleset == "core"
