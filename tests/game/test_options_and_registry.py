"""Options with types and ranges, games found by entry point, and the schema."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cellar_game as cellar
import gem_run_game as gem_run
import pytest

from arena.errors import ArenaError
from arena.game import (
    GameError,
    Option,
    OptionError,
    OptionValues,
    Outcome,
    Seeded,
    UnknownGame,
    field,
    load,
    names,
    shared,
)
from arena.match.lookup import installed_games

INT = Option("size", "int", 5, "Size.", 1, 10)
FLOAT = Option("share", "float", 0.5, "Share.", 0, 1)
BOOL = Option("fog", "bool", False, "Fog.")
CHOICE = Option("side", "choice", "left", "Side.", choices=("left", "right"))
NUMBERS = Option("steps", "numbers", (1, 2), "Steps.")
JSON = Option("extra", "json", None, "Anything.")
MAYBE = Option("limit", "int", None, "Limit.", 1, nullable=True)
TEXT = Option("name", "str", "", "Name.")


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (INT, "7", 7),
        (FLOAT, "1", 1.0),
        (FLOAT, "0.25", 0.25),
        (BOOL, "yes", True),
        (BOOL, "OFF", False),
        (BOOL, "true", True),
        (CHOICE, "right", "right"),
        (NUMBERS, "1,2.5", (1, 2.5)),
        (NUMBERS, "[3]", (3,)),
        (NUMBERS, "", ()),
        (JSON, '{"a": [1]}', {"a": [1]}),
        (MAYBE, "none", None),
        (MAYBE, "4", 4),
        (TEXT, "7", "7"),
    ],
)
def test_values_from_the_command_line(option: Option, text: str, value: Any) -> None:
    parsed = option.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        (INT, "0", "a whole number from 1 to 10"),
        (INT, "11", "size must be a whole number from 1 to 10, not 11"),
        (INT, "2.5", "a whole number"),
        (INT, "true", "a whole number"),
        (INT, "seven", "not 'seven'"),
        (INT, "none", "a whole number"),
        (FLOAT, "1.5", "a number from 0 to 1"),
        (FLOAT, "NaN", "a number"),
        (Option("any", "float", 0.0, "Any number."), "NaN", "a number"),
        (Option("any", "float", 0.0, "Any number."), "-Infinity", "a number"),
        (NUMBERS, "1,Infinity", "numbers with commas"),
        (BOOL, "1", "true or false"),
        (BOOL, "maybe", "true or false"),
        (CHOICE, "middle", "one of left, right"),
        (NUMBERS, "1,x", "numbers with commas"),
        (NUMBERS, "true", "numbers with commas"),
        (JSON, "{", "JSON"),
        (MAYBE, "0", "at least 1"),
    ],
)
def test_impossible_values(option: Option, text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        option.parse(text)


@pytest.mark.parametrize("value", [True, 5.0, "5", None, [5]])
def test_a_whole_number_is_nothing_else(value: Any) -> None:
    with pytest.raises(OptionError):
        INT.check(value)


def test_an_unknown_option_names_the_nearest_or_all() -> None:
    with pytest.raises(OptionError, match=r"The option sise is not known here \(did you mean size\?\)"):
        gem_run.GAME.resolve_options({"sise": 3})
    with pytest.raises(OptionError, match="known are size, turns"):
        gem_run.GAME.resolve_options({"zzzzzz": 3})


def test_resolved_options_are_fixed_and_can_be_copied() -> None:
    values = gem_run.GAME.resolve_options({"turns": 9})
    assert (values.turns, values["size"], len(values)) == (9, 5, 2)
    assert dict(values) == {"size": 5, "turns": 9}
    with pytest.raises(AttributeError, match="Options cannot be changed"):
        values.turns = 3
    with pytest.raises(AttributeError, match="no option wind"):
        _ = values.wind
    for twin in (copy.copy(values), copy.deepcopy(values), pickle.loads(pickle.dumps(values))):
        assert isinstance(twin, OptionValues)
        assert dict(twin) == dict(values)
    assert json.loads(json.dumps(values.to_document())) == {"size": 5, "turns": 9}


def test_outcomes() -> None:
    assert Outcome(1, "x").to_document() == {"winner": 1, "reason": "x"}
    assert [Outcome(1, "x").points(player) for player in (0, 1)] == [0.0, 1.0]
    assert [Outcome(None, "x").points(player) for player in (0, 1)] == [0.5, 0.5]
    assert [Outcome(0, "x", (1, 2, 2)).points(player) for player in range(3)] == [1.0, 0.25, 0.25]


# -- the registry -------------------------------------------------------------------------------------


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another author's distribution on the path, as an installed wheel leaves it."""
    (tmp_path / "foreign.py").write_text("from cellar_game import GAME\nWRONG = 'no game'\n")
    info = tmp_path / "foreign-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nstrange = foreign:GAME\nwrong = foreign:WRONG\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("foreign", None)


@pytest.mark.usefixtures("foreign")
def test_a_foreign_game_is_found_like_ours() -> None:
    assert {"strange", "saloon"} <= set(names())
    assert load("strange") is cellar.GAME


@pytest.mark.usefixtures("foreign")
def test_what_is_no_game_is_named() -> None:
    with pytest.raises(GameError, match="leads to 'no game', which is not a GameSpec"):
        load("wrong")
    with pytest.raises(UnknownGame, match="Did you mean strange"):
        load("strangely")
    with pytest.raises(UnknownGame, match=r"Installed games: .*saloon"):
        load("zzzzzzzz")


@pytest.mark.parametrize("power", [0, -1.5, float("nan"), float("inf"), "2"])
@pytest.mark.parametrize("name", ["playout_power", "evaluation_power"])
def test_a_power_that_gives_no_probability_is_refused(name: str, power: Any) -> None:
    with pytest.raises(GameError, match=re.escape(f"{name} is {power!r}; it must be a number above 0")):
        dataclasses.replace(load("snakes"), **{name: power})


@pytest.mark.parametrize("archive", [False, True])
def test_games_are_found_in_all_ways_of_installing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: bool
) -> None:
    """With other groups and extras, as setuptools writes it; and inside of a zip archive."""
    folder = tmp_path / "site"
    for info in ("odd-1.dist-info", "odd.egg-info") if archive else ("odd.egg-info",):
        (folder / info).mkdir(parents=True)
        (folder / info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
        (folder / info / "entry_points.txt").write_text(
            "[console_scripts]\nodd = nowhere:main\n\n[arena.games]\nodd = odd_rules : Box.game [fast]\n"
        )
    (folder / "odd_rules.py").write_text("from cellar_game import GAME\nclass Box:\n    game = GAME\n")
    place = shutil.make_archive(str(tmp_path / "all"), "zip", folder) if archive else str(folder)
    monkeypatch.syspath_prepend(place)
    assert load("odd") is cellar.GAME
    sys.modules.pop("odd_rules", None)


# -- the schema ---------------------------------------------------------------------------------------


def test_the_schema_of_a_game_on_a_grid() -> None:
    schema = gem_run.GAME.schema()
    assert schema["grid"] == {"width": "width", "height": "height"}
    assert schema["root"] == "GemRun"
    runner = schema["classes"]["Runner"]
    assert runner["placed"] is True
    assert runner["fields"]["x"]["type"] == "int?"
    assert runner["fields"]["mood"]["choices"] == ["fresh", "tired"]
    run = runner["actions"]["run"]
    assert run["receiver"] == "runner"
    assert run["parameters"][0] == {
        "name": "tile",
        "type": "tile",
        "keys": ["x", "y"],
        "doc": "A neighbour without a rock or runner.",
    }
    root = schema["classes"]["GemRun"]
    assert root["placed"] is False
    assert root["actions"]["rest"]["receiver"] is None
    assert root["fields"]["rocks"]["type"] == "[Rock]"


def test_the_schema_of_an_action_that_returns_an_object() -> None:
    schema = cellar.GAME.schema()
    assert schema["classes"]["Card"]["actions"]["stash"]["returns"] == "Card"
    assert schema["hidden_information"] is True


def test_the_hash_tells_games_apart_and_stays_the_same() -> None:
    one, other = gem_run.GAME.schema(), cellar.GAME.schema()
    assert one["hash"] != other["hash"]
    assert one == gem_run.GAME.schema()
    assert len(one["hash"]) == 16


def test_the_hash_does_not_depend_on_texts() -> None:
    class Reworded(gem_run.GemRun):
        """Another explanation of the same game."""

    class Longer(gem_run.GemRun):
        """The same game with one field more."""

        laps: int = field("Rounds run.", 0)

    class Titled(gem_run.GemRun):
        """A field may be called like a text."""

        title: str = field("A word.", "")

    one = gem_run.GAME.schema()
    hashes = []
    for kind in (Reworded, Longer, Titled):
        kind.__name__ = "GemRun"
        hashes.append(dataclasses.replace(gem_run.GAME, state=kind, title="Gems").schema()["hash"])
    assert hashes[0] == one["hash"]
    assert len({*hashes, one["hash"]}) == 3


def test_a_state_from_a_view_without_hidden_information() -> None:
    state = gem_run.GAME.start(chance=Seeded(1))
    copy_ = gem_run.GAME.state_from_view(state.view(0), {}, 0)
    assert copy_.digest() == state.digest()
    with pytest.raises(GameError, match="the class Dragon"):
        gem_run.GAME.state_from_view([*state.view(), "d1", "+", "Dragon"], {})
    with pytest.raises(GameError, match="a field wings in Runner"):
        gem_run.GAME.state_from_view([*state.view(), "r0", "wings", 2], {})


def test_what_the_options_settle_is_there_however_a_state_is_made() -> None:
    class Paved(gem_run.GemRun):
        """Shares a table that follows from its options."""

        table: Any = shared("One entry a column.")

        def prepare(self) -> None:
            self.share(table=tuple(range(self.options.size)))

        def setup(self) -> None:
            assert self.table
            super().setup()

    game = dataclasses.replace(gem_run.GAME, state=Paved)
    options = game.resolve_options({"size": 9})
    state: Any = game.start(options, Seeded(1))
    made = [state, Paved.from_document(state.to_document(), options), Paved.from_view(state.view(), options)]
    assert [one.table for one in made] == [tuple(range(9))] * 3
    assert state.clone().table is state.table


def test_an_option_named_players_says_how_many_play() -> None:
    option = Option("players", "int", 4, "How many play.", 2, 8)
    game = dataclasses.replace(gem_run.GAME, options=(*gem_run.GAME.options, option))
    assert (game.players, game.player_counts, game.describe_players()) == (4, range(2, 9), "2 to 8 players")
    assert [game.players_in(game.resolve_options(given)) for given in ({}, {"players": 7})] == [4, 7]
    fixed = gem_run.GAME
    assert (fixed.players_in(fixed.resolve_options()), fixed.player_counts) == (2, range(2, 3))
    assert fixed.describe_players() == "2 players"


def test_an_option_as_a_document() -> None:
    assert INT.to_document() == {
        "name": "size", "type": "int", "default": INT.default, "doc": INT.doc, "minimum": 1, "maximum": 10,
    }  # fmt: skip
    assert CHOICE.to_document()["choices"] == list(CHOICE.choices)


def test_the_rules_for_people() -> None:
    assert gem_run.GAME.rules_text() == ""
    assert load("saloon").rules_text().startswith("# ")


def test_a_game_whose_module_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fails_to_load.py").write_text("1 / 0\n")
    info = tmp_path / "fails-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fails\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nfails = fails_to_load:GAME\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(GameError, match="The game fails cannot be loaded: ZeroDivisionError"):
        load("fails")
    warnings: list[ArenaError] = []
    assert "fails" not in [game.name for game in installed_games(warnings.append)]
    assert [str(one.message)[:35] for one in warnings] == ["The game fails cannot be loaded: Ze"]
    assert "fails" not in [game.name for game in installed_games()]


def test_lists_of_games_begin_with_those_for_beginners() -> None:
    games = [game.name for game in installed_games()]
    assert games[0] == "saloon"
    assert games[1:] == sorted(set(names()) - {"saloon"})
