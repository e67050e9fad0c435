"""``arena map``, run as a user does; and what the games give to the editor."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.game import GameSpec, registry
from arena.game.editor import Problem
from arena.sdk.maps import layout, problems_of, write_map

GAMES = ("laser_flag", "derelict")
Arena = Callable[..., Any]


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> GameSpec:
    return registry.load(request.param)


@pytest.mark.process
def test_new_maps_are_without_fault_and_can_be_played(arena: Arena, game: GameSpec) -> None:
    made = arena("map", "new", game.name, "mine.json", "--set", "width=13")
    assert (made.code, made.stdout) == (0, "")
    assert len(json.loads(Path("mine.json").read_text())[_rows(game)][0]) == 13
    checked = arena("map", "check", game.name, "mine.json")
    assert (checked.code, checked.stdout) == (0, "mine.json: no errors\n")
    played = arena(
        "play", game.name, *[f"builtin:{game.bots[0].name}"] * 2, "--map", "mine.json", "--no-swap", "--json"
    )
    assert played.code == 0, played.stderr
    again = arena("map", "new", game.name, "mine.json")
    assert again.code == 6
    assert "exists already" in again.stderr


def _rows(game: GameSpec) -> str:
    assert game.editor is not None
    key: str = game.editor.describe()["grid"]["key"]
    return key


def test_show_draws_with_the_specified_characters(arena: Arena) -> None:
    shown = arena("map", "show", "laser_flag", "crossroads")
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "Crossroads"
    assert lines[3:14] == [
        "..S..*..N..",
        "...G...G...",
        ".o.......o.",
        ".##o###o.#.",
        ".#.#.....#.",
        "*...o#o...*",
        ".#.....#.#.",
        ".#.o###o##.",
        ".o.......o.",
        "...g...g...",
        "..n..*..s..",
    ]
    assert "N  sniper of player 1" in lines
    assert not any(line.startswith("@") for line in lines[14:])


@pytest.mark.parametrize("name", registry.load("derelict").maps)
def test_missions_are_drawn_as_their_authors_drew_them(name: str) -> None:
    derelict = registry.load("derelict")
    assert derelict.load_map is not None
    assert derelict.editor is not None
    mission = derelict.load_map(name)
    assert derelict.editor.draw(mission).splitlines() == mission["rendering"]


def test_generated_maps_are_the_same_for_the_same_settings(arena: Arena) -> None:
    settings_ = ["--set", "seed=4", "--set", "width=13", "--set", "units=grunt+scout"]
    printed = arena("map", "generate", "laser_flag", *settings_)
    assert printed.code == 0
    assert arena("map", "generate", "laser_flag", "one.json", *settings_).code == 0
    assert Path("one.json").read_text() == printed.stdout
    assert len(json.loads(printed.stdout)["units"]) == 4
    assert arena("map", "check", "laser_flag", "one.json").code == 0


def test_check_lists_everything_with_places(arena: Arena) -> None:
    document = json.loads(arena("map", "new", "derelict").stdout)
    document["marines"][0]["x"] = 99
    document["turn_limit"] = -1
    document["nonsense"] = 1
    Path("bad.json").write_text(json.dumps(document))
    checked = arena("map", "check", "derelict", "bad.json", "airlock")
    assert checked.code == 1
    assert "bad.json: 3 errors" in checked.stdout
    assert "off_map              marines[0] (99, 5): The cell [99, 5] is not on the map.\n" in checked.stdout
    assert "airlock: no errors" in checked.stdout
    found = json.loads(arena("map", "check", "derelict", "bad.json", "--json").stdout)["bad.json"]
    assert {one["code"] for one in found} == {"off_map", "bad_turn_limit", "unknown_key"}
    assert [one["cell"] for one in found if one["code"] == "off_map"] == [[99, 5]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["check", "laser_flag", "nowhere"], 4, "There is no map and no file nowhere; known are "),
        (["check", "laser_flag", "broken.json"], 4, "broken.json is not JSON"),
        (["check", "laser_flag", "."], 4, ". cannot be read"),
        (["check", "no_such_game", "x"], 3, "There is no game no_such_game"),
        (["show", "laser_flag", "empty.json"], 4, "empty.json cannot be drawn. The format must be"),
        (["show", "saloon", "x"], 4, "saloon has no maps that can be edited"),
        (["new", "laser_flag", "--set", "width=3"], 4, "width must be a whole number from 11 to 21, not 3"),
        (["new", "derelict", "--set", "colour=red"], 4, "colour is not known here"),
        (["new", "laser_flag", "no/such/folder.json"], 6, "cannot be written"),
        (["new", "laser_flag", "--set", "width"], 4, "'width' is not of the form NAME=VALUE"),
        (["generate", "derelict"], 4, "derelict has no map generator"),
        (["generate", "laser_flag", "--set", "walls=101"], 4, "walls must be a whole number from 0 to 100, not 101"),
        (["generate", "laser_flag", "--set", "units=grunt,scout"], 4, "with +"),
        (["edit", "laser_flag", "empty.json", "--no-browser"], 4, "empty.json is not a map of laser_flag"),
        (["edit", "laser_flag", "numbers.json", "--no-browser"], 4, "numbers.json is not a map of laser_flag"),
        (["edit", "laser_flag", "no/such.json", "--no-browser"], 6, "The folder no/such.json"[:10]),
    ],
)
def test_bad_input_gets_one_message(arena: Arena, arguments: list[str], code: int, message: str) -> None:
    Path("broken.json").write_text('{"tiles": [')
    Path("empty.json").write_text("{}")
    Path("numbers.json").write_text('{"tiles": ["..", 1]}')
    ran = arena("map", *arguments)
    assert ran.code == code
    assert ran.stderr.startswith("Error: ")
    assert message in ran.stderr


def test_a_problem_of_the_whole_file_has_no_place() -> None:
    assert str(Problem("empty", "The file is empty.")) == "The file is empty. (empty)"
    assert str(Problem("empty", "The list is empty.", "units")) == "units: The list is empty. (empty)"


def test_files_are_laid_out_as_people_do(tmp_path: Path) -> None:
    folder = Path(str(registry.load("laser_flag").editor.describe.__globals__["__file__"])).parent / "maps"  # type: ignore[union-attr, attr-defined]
    texts = [path.read_text() for path in sorted(folder.glob("*.json"))]
    assert len(texts) == 6
    for text in texts:
        assert layout(json.loads(text)) == text
    (tmp_path / "map.json").write_text("old")
    with pytest.raises(ArenaError):
        write_map(tmp_path / "map.json", {}, overwrite=False)
    write_map(tmp_path / "map.json", json.loads(texts[0]))
    assert [path.name for path in tmp_path.iterdir()] == ["map.json"]


@pytest.mark.process
def test_edit_serves_a_new_file_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena", "map", "edit", "derelict", "fresh.json", "--no-browser"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.split()[2]
        assert address.endswith("/edit/derelict")
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert b'"target":"fresh.json"' in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
    assert list(tmp_path.iterdir()) == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.sampled_from(["", ".", "#", "alpha", "full", "marine", "East"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["x", "y", "owner", "player", "class", "type", "facing", "open"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_validators_take_whatever_a_file_may_hold(data: st.DataObject) -> None:
    game = registry.load(data.draw(st.sampled_from(GAMES)))
    assert game.editor is not None
    document = game.editor.blank({})
    for key in data.draw(
        st.lists(st.sampled_from([*document, "sections", "lurk_cells", "rules", "teams"]), max_size=3)
    ):
        document[key] = data.draw(JSON)
    problems = problems_of(game.editor, json.loads(json.dumps(document)))
    assert "validator_failed" not in {problem.code for problem in problems}
    if not any(problem.is_error for problem in problems):
        assert game.editor.draw(document)
        assert all(game.editor.facts(document))


@pytest.mark.parametrize("ruleset", ["alpha", "classic"])
def test_the_form_of_laser_flag_allows_what_the_rules_allow(ruleset: str) -> None:
    game = registry.load("laser_flag")
    assert game.editor is not None
    described = game.editor.describe()
    tried = 0
    for group in described["fields"]:
        for field in group["fields"]:
            if ruleset not in field.get("defaults", {}) or field["path"][0] != "rules":
                continue
            for value, good in _values(field, field["defaults"][ruleset]):
                document: Any = game.editor.blank({"ruleset": ruleset})
                inner = document
                for key in field["path"][:-1]:
                    inner = inner.setdefault(key, {})
                inner[field["path"][-1]] = value
                codes = {problem.code for problem in game.editor.check(document)}
                assert ("rules_bad_value" not in codes) is good, (field["path"], value)
                tried += 1
    assert tried > 100


def _values(field: dict[str, Any], default: Any) -> list[tuple[Any, bool]]:
    values = [(default, True)]
    if "choices" in field:
        return values + [(choice, True) for choice in field["choices"]] + [("neither", False)]
    if field["type"] == "bool":
        return [*values, (True, True), (False, True), (1, False)]
    least, greatest = field["least"], field["greatest"]
    values += [(least, True), (greatest, True), (least - 1, False), (greatest + 1, False)]
    return [*values, (None, bool(field.get("nullable")))]
