"""Map files: each code of the validator, the maps of the package, the generator."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import OptionError
from arena_laser_flag import GAME
from arena_laser_flag.map_check import find_faults
from arena_laser_flag.map_files import load_map, map_names
from arena_laser_flag.map_generator import Plan, Source, generate
from arena_laser_flag.map_text import draw_map

UNITS = [{"player": 0, "class": "grunt", "x": 0, "y": 0}, {"player": 1, "class": "grunt", "x": 10, "y": 10}]
ROWS = ["..........."] * 11


def check_map(document: Any) -> list[str]:
    """Return the sorted, distinct codes of the defects of a map file."""
    return sorted({fault.code for fault in find_faults(document)})


def with_unit(**keys: Any) -> list[dict[str, Any]]:
    return [*UNITS, {"player": 0, "class": "grunt", "x": 5, "y": 5} | keys]


def with_row(row: str, at: int = 3) -> list[str]:
    return [*ROWS[:at], row, *ROWS[at + 1 :]]


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"format": "saloon_map"}, ["format_wrong"]),
    ({"version": 2}, ["version_unsupported"]),
    ({"version": True}, ["version_unsupported"]),
    ({"size": 11}, ["unknown_key"]),
    ({"name": ""}, ["name_missing"]),
    ({"name": 7}, ["name_missing"]),
    ({"ruleset": "beta"}, ["ruleset_unknown"]),
    ({"rules": []}, ["rules_invalid"]),
    ({"rules": {"gravity": 1}}, ["rules_unknown_key"]),
    ({"rules": {"turn_limit": 5}}, ["rules_unknown_key"]),
    ({"rules": {"target_score": [1, 1]}}, ["rules_unknown_key"]),
    ({"rules": {"classes": {"scout": {"wings": 2}}}}, ["rules_unknown_key"]),
    ({"rules": {"classes": {"medic": {}}}}, ["rules_bad_value"]),
    ({"rules": {"classes": []}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"scout": 7}}}, ["rules_bad_value"]),
    ({"ruleset": "classic", "rules": {"classes": {"basic": {"speed": 5}}}}, ["rules_bad_value"]),
    ({"rules": {"max_ap": 0}}, ["rules_bad_value"]),
    ({"rules": {"max_ap": True}}, ["rules_bad_value"]),
    ({"rules": {"checkmate": 1}}, ["rules_bad_value"]),
    ({"rules": {"base_access": "none"}}, ["rules_bad_value"]),
    ({"rules": {"target_rule": None}}, ["rules_bad_value"]),
    ({"rules": {"overwatch_style": "lazy"}}, ["rules_bad_value"]),
    ({"rules": {"overwatch_triggers": ["move", "move"]}}, ["rules_bad_value"]),
    ({"rules": {"overwatch_triggers": ["jump"]}}, ["rules_bad_value"]),
    ({"rules": {"diagonal_margin": 21}}, ["rules_bad_value"]),
    ({"rules": {"base_points": 100}}, ["rules_bad_value"]),
    ({"rules": {"hit_points": -1}}, ["rules_bad_value"]),
    ({"rules": {"hard_turn_limit": 0}}, ["rules_bad_value"]),
    ({"rules": {"snap_penalty": 10}}, ["rules_bad_value"]),
    ({"rules": {"regular_penalty": 1.0}}, ["rules_bad_value"]),
    ({"rules": {"base_modifier": -10}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"grunt": {"speed": 21}}}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"grunt": {"max_overwatch": 10}}}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"grunt": {"shots": -1}}}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"grunt": {"to_hit": 21}}}}, ["rules_bad_value"]),
    ({"rules": {"classes": {"grunt": {"free_climb": None}}}}, ["rules_bad_value"]),
    ({"tiles": None}, ["tiles_missing"]),
    ({"tiles": []}, ["tiles_missing"]),
    ({"tiles": [1, 2]}, ["tiles_missing"]),
    ({"tiles": with_row(".....")}, ["tiles_ragged"]),
    ({"tiles": ROWS[:-1], "units": [UNITS[0], UNITS[1] | {"y": 9}]}, ["size_out_of_range"]),
    ({"tiles": ["." * 22] * 11}, ["size_out_of_range"]),
    ({"tiles": with_row("....~......")}, ["tile_unknown"]),
    ({"bases": {}}, ["base_malformed"]),
    ({"bases": [{"x": 1}]}, ["base_malformed"]),
    ({"bases": [{"x": 1, "y": 1, "team": 0}]}, ["base_malformed"]),
    ({"bases": [{"x": True, "y": 1}]}, ["base_malformed"]),
    ({"bases": [{"x": 1, "y": 1, "owner": 2}]}, ["base_owner_invalid"]),
    ({"bases": [{"x": 1, "y": 1, "owner": False}]}, ["base_owner_invalid"]),
    ({"bases": [{"x": 11, "y": 1}]}, ["base_off_map"]),
    ({"bases": [{"x": -1, "y": 1}]}, ["base_off_map"]),
    ({"bases": [{"x": 4, "y": 3}], "tiles": with_row("....#......")}, ["base_on_wall"]),
    ({"bases": [{"x": 4, "y": 3}], "tiles": with_row("...._......")}, ["base_on_wall"]),
    ({"bases": [{"x": 4, "y": 3}, {"x": 4, "y": 3, "owner": 0}]}, ["base_duplicate"]),
    ({"units": None}, ["units_missing"]),
    ({"units": []}, ["team_empty"]),
    ({"units": [*UNITS, "grunt"]}, ["unit_malformed"]),
    ({"units": with_unit(ap=3)}, ["unit_malformed"]),
    ({"units": with_unit(x=1.5)}, ["unit_malformed"]),
    ({"units": with_unit(player=2)}, ["unit_player_invalid"]),
    ({"units": with_unit(player=True)}, ["unit_player_invalid"]),
    ({"units": with_unit(**{"class": "medic"})}, ["unit_class_unknown"]),
    ({"units": with_unit(**{"class": []})}, ["unit_class_unknown"]),
    ({"ruleset": "classic", "units": with_unit(**{"class": "basic"})}, ["unit_class_unknown"]),
    ({"units": with_unit(x=11)}, ["unit_off_map"]),
    ({"units": with_unit(x=4, y=3), "tiles": with_row("....#......")}, ["unit_on_wall"]),
    ({"units": with_unit(x=0, y=0)}, ["unit_overlap"]),
    ({"units": UNITS[:1]}, ["team_empty"]),
    (
        {"units": [*UNITS, *({"player": 0, "class": "grunt", "x": i % 11, "y": 1 + i // 11} for i in range(30))]},
        ["team_too_large"],
    ),
    ({"target_score": [0, None]}, ["target_score_invalid"]),
    ({"target_score": [1000, None]}, ["target_score_invalid"]),
    ({"target_score": 9}, ["target_score_invalid"]),
    ({"target_score": None}, ["target_score_invalid"]),
    ({"target_score": [9]}, ["target_score_invalid"]),
    ({"turn_limit": 0}, ["turn_limit_invalid"]),
    ({"turn_limit": 501}, ["turn_limit_invalid"]),
    ({"turn_limit": "10"}, ["turn_limit_invalid"]),
    ({"teams": [{}]}, ["teams_invalid"]),
    ({"teams": [{"name": 1}, {}]}, ["teams_invalid"]),
    ({"teams": [{"colors": ["red"] * 4}, {}]}, ["teams_invalid"]),
    ({"teams": [{"flag": ""}, {}]}, ["teams_invalid"]),
    ({"mode": "assault"}, ["mode_mismatch"]),
    ({"mode": 3}, ["mode_mismatch"]),
    ({"tiles": with_row("###########")}, ["not_connected"]),
    ({"tiles": ["." * 4 + "#" + "." * 6] * 5 + ["####_......"] + ROWS[6:]}, ["not_connected"]),
    # Several defects at once, and defects that stop the check.
    ({"tiles": with_row("###########"), "mode": "assault"}, ["mode_mismatch", "not_connected"]),
    ({"tiles": with_row("###########"), "turn_limit": 0}, ["turn_limit_invalid"]),
    ({"tiles": None, "format": "", "units": None}, ["format_wrong", "tiles_missing"]),
    ({"tiles": ["~"] * 3, "bases": 3}, ["size_out_of_range", "tile_unknown"]),
    (
        {"units": None, "bases": None, "extra": 1},
        ["base_malformed", "units_missing", "unknown_key"],
    ),
    ({"bases": [{"x": 99, "y": 0, "owner": 9}]}, ["base_off_map", "base_owner_invalid"]),
    (
        {"units": with_unit(player=7, x=99, **{"class": "x"})},
        ["unit_class_unknown", "unit_off_map", "unit_player_invalid"],
    ),
    # Maps without defects.
    ({"author": "A", "description": "D", "turn_limit": None, "target_score": [None, 999]}, []),
    ({"teams": [{"name": "Reds", "colors": ["red", "#fff", "red"]}, {}]}, []),
    ({"bases": [{"x": 1, "y": 1}, {"x": 0, "y": 0, "owner": 1}], "mode": "capture_the_flag"}, []),
    ({"bases": [{"x": 1, "y": 1, "owner": 1}], "rules": {"base_access": "team"}, "mode": "assault"}, []),
    ({"mode": "elimination", "rules": {"classes": {"scout": {"shots": None, "speed": 7}}}}, []),
    ({"rules": {"overwatch_triggers": [], "diagonal_margin": None}}, []),
]


@pytest.mark.parametrize(("changes", "codes"), FAULTS, ids=str)
def test_validator(make_map: Any, changes: dict[str, Any], codes: list[str]) -> None:
    assert check_map({**make_map(units=()), "units": UNITS, **changes}) == codes


@pytest.mark.parametrize("value", [None, [], "map", 3])
def test_not_an_object(value: Any) -> None:
    assert check_map(value) == ["not_an_object"]


def test_empty_object_names_all_that_is_missing() -> None:
    assert check_map({}) == ["format_wrong", "name_missing", "tiles_missing", "version_unsupported"]


def test_every_code_of_the_specification_is_tried() -> None:
    tried = {code for _, codes in FAULTS for code in codes}
    assert len(tried | {"not_an_object"}) == 32


def test_faults_name_their_tiles(make_map: Any) -> None:
    faults = find_faults(make_map(walls=[(5, y) for y in range(11)]))
    assert {(fault.code, fault.x) for fault in faults} == {("not_connected", x) for x in range(6, 11)}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.sampled_from(["", ".", "grunt", "alpha", "...........", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "owner", "player", "class", "grunt", "speed"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(load_map("dockyard"))), JSON)
def test_validator_survives_anything(key: str, value: Any) -> None:
    codes = check_map({**load_map("dockyard"), key: value})
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("name", map_names())
def test_maps_of_the_package(name: str) -> None:
    assert check_map(load_map(name)) == []
    assert GAME.start({"map": load_map(name)}).to_document() == GAME.start({"map": name}).to_document()


def test_there_are_six_maps() -> None:
    assert map_names() == ("citadel", "crossroads", "dockyard", "granary", "quarry", "relay")
    assert GAME.maps == map_names()


def test_legend() -> None:
    assert draw_map(load_map("relay")).splitlines()[0] == "A.S...#.....o......"
    assert draw_map(load_map("granary")).splitlines()[5] == "...o##.@.##o..."
    assert draw_map(load_map("dockyard")).splitlines()[:2] == ["..G...#A#...N....", ".....o.G..o....S."]
    assert draw_map(load_map("crossroads"), [])[:11] == ".....*....."


# -- generator ------------------------------------------------------------------------------------------


def test_source() -> None:
    source = Source(1)
    assert [source.below(1000) for _ in range(6)] == [774, 153, 196, 870, 34, 795]


CHECK_VALUES = [
    (Plan(1), "f966b8beee29eac5"),
    (Plan(2, 11, 21, symmetry="mirror"), "779f71be920bb8df"),
    (Plan(3, 21, 15, "assault", units=("grunt", "grunt", "sniper")), "5fb7f9e5c0c99bed"),
    (Plan(4, 13, 13, "elimination", walls=25, cover=30), "a92ecde691710986"),
    (Plan(5, 17, 17, units=("grunt", "sniper", "scout"), bases=2, owned=True, ruleset="classic"), "55a9ed7ca632b989"),
    (Plan(15, 12, 21, walls=100), "dd1e2e1cf7571522"),  # the 1303rd terrain is the first whose two ends are connected
]


@pytest.mark.parametrize(("plan", "expected"), CHECK_VALUES)
def test_generator_check_values(plan: Plan, expected: str) -> None:
    made = generate(plan)
    placed = json.dumps([made["bases"], made["units"]], sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(("\n".join(made["tiles"]) + "|" + placed).encode()).hexdigest()[:16] == expected


@settings(max_examples=60, deadline=None)
@given(
    st.integers(-5, 10**20),
    st.integers(11, 21),
    st.integers(11, 21),
    st.sampled_from(("capture_the_flag", "assault", "elimination")),
    st.sampled_from(("rotate", "mirror")),
    st.booleans(),
    st.sampled_from(("alpha", "classic")),
)
def test_generated_maps_are_valid(
    seed: int, width: int, height: int, mode: str, symmetry: str, owned: bool, ruleset: str
) -> None:
    units = ("grunt", "sniper", "scout")
    made = generate(Plan(seed, width, height, mode, symmetry, units, 2, owned, ruleset=ruleset))
    assert check_map(made) == []


def test_load_generated_map() -> None:
    made = load_map("generate:seed=3,width=21,mode=assault,units=grunt+grunt+sniper,turn_limit=12")
    assert made["tiles"] == generate(Plan(3, 21, 15, "assault", units=("grunt", "grunt", "sniper")))["tiles"]
    assert made["turn_limit"] == 12
    assert load_map("generate:") == generate(Plan(1))
    assert load_map("generate:owned=yes")["bases"][0]["owner"] == 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("crosroads", "did you mean crossroads?"),
        ("generate:width=99", "width must be a whole number from 11 to 21, not 99"),
        ("generate:width=wide", "whole number"),
        ("generate:colour=red", "colour is not known here"),
        ("generate:mode=peace", "capture_the_flag"),
        ("generate:units=medic", "There is no class medic"),
        ("generate:turn_limit=0", "from 1 to 500"),
        ("generate:owned=maybe", "true or false"),
    ],
)
def test_impossible_maps(source: str, words: str) -> None:
    with pytest.raises(OptionError, match=words.replace("?", r"\?")):
        load_map(source)


def test_map_file_of_a_user(tmp_path: Path, make_map: Any) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(make_map()))
    assert load_map(str(path)) == make_map()
    path.write_text(json.dumps(make_map(walls=[(0, 0)])))
    with pytest.raises(OptionError, match=r"unit_on_wall \(units\[0\]\)"):
        load_map(str(path))
    path.write_text("{")
    with pytest.raises(OptionError, match="is not JSON"):
        load_map(str(path))


# -- options --------------------------------------------------------------------------------------------


def test_rules_come_from_ruleset_map_limits_and_options(make_map: Any) -> None:
    map_file = make_map(
        rules={"max_ap": 4, "classes": {"scout": {"speed": 7}}, "hit_points": 2}, turn_limit=30, target_score=[5, None]
    )
    changes = {"max_ap": 5, "target_score": [None, 8], "classes": {"scout": {"to_hit": 9}}}
    rules = GAME.resolve_options({"map": map_file, "rules": changes})["rules"]
    assert (rules["max_ap"], rules["hit_points"], rules["turn_limit"]) == (5, 2, 30)
    assert rules["target_score"] == [None, 8]
    assert (rules["classes"]["scout"]["speed"], rules["classes"]["scout"]["to_hit"]) == (7, 9)
    assert rules["classes"]["grunt"]["speed"] == 5


def test_options_resolve_to_themselves() -> None:
    for given_options in (
        {},
        {"map": "dockyard"},
        {"rules": {"fog_of_war": True}, "ruleset": "classic", "map": "relay"},
    ):
        resolved = GAME.resolve_options(given_options)
        assert GAME.resolve_options(resolved) == resolved


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"map": {"name": "x"}}, "has faults: format_wrong"),
        ({"rules": {"gravity": 1}}, "rules.gravity is not known here"),
        ({"rules": {"max_ap": 12}}, "rules.max_ap must be a whole number from 1 to 9, not 12"),
        ({"rules": 3}, "object"),
        ({"map": "granary", "ruleset": "classic"}, "lacks the map's classes basic"),
        ({"ruleset": "beta"}, "one of alpha, classic"),
    ],
)
def test_faulty_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        GAME.resolve_options(options)


def test_modes_follow_from_usable_bases(make_map: Any) -> None:
    def mode(bases: list[tuple[Any, ...]], access: str) -> str:
        made = GAME.start({"map": make_map(bases=bases, rules={"base_access": access})})
        return str(made.to_document()["mode"])

    assert mode([], "any") == "elimination"
    assert mode([(1, 1, 1)], "any") == "capture_the_flag"
    assert mode([(1, 1, 1)], "team") == "assault"
    assert mode([(1, 1, 1), (2, 2, 0)], "team") == "capture_the_flag"
    assert mode([(1, 1)], "team") == "capture_the_flag"
