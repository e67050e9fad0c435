"""The tables of a season for programs: documented columns, and nothing that is held back."""

import contextlib
import json
import sqlite3
from datetime import datetime

import pytest
from click.testing import CliRunner
from seasons import ORGANIZER, add_team, add_version, opened, play, void_result, write_config

from arena.cli import cli
from arena.season.acts import act
from arena.season.data import KINDS

FITS = {
    "text": lambda value: isinstance(value, str),
    "time": lambda value: datetime.fromisoformat(value).tzinfo is not None,
    "whole number": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "yes or no": lambda value: type(value) is bool,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A season with results, of which the last ones are held back, and the ids of those."""
    path = write_config(tmp_path_factory.mktemp("season"))
    with opened(path) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        players = [season.state.active(team).player for team in ("Red", "Blue")]
        public = [play(season, *players) for _ in range(3)]
        play(season, *players, result=void_result())
        act(season, ORGANIZER, "void", {"subject": public[0], "reason": "a test"})
        challenge = play(season, *players, kind="challenge", team="Red")
        act(season, ORGANIZER, "hold", {"reason": "finals"})
        held = [play(season, *players), play(season, *players, kind="challenge", team="Red")]
        act(season, ORGANIZER, "void", {"subject": held[0], "reason": "a secret"})
    return path, {challenge, *held}


def arena(*words):
    done = CliRunner().invoke(cli, ["season", *map(str, words)], prog_name="arena")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_each_table_has_the_documented_columns(place, tmp_path):
    path, _ = place
    arena("export", path, "--out", tmp_path / "out", "--everything")
    arena("export", path, "--data", tmp_path / "season.db", "--everything")
    for kind in KINDS:
        parsed = json.loads((tmp_path / "out" / "data" / f"{kind.name}.json").read_text())
        assert parsed["columns"] == [column.name for column in kind.columns]
        assert parsed["data"], kind.name
        for row in parsed["data"]:
            for column, value in zip(kind.columns, row, strict=True):
                assert value is None or FITS[column.kind](value), (kind.name, column, value)
                assert value is not None or "empty" in column.meaning, (kind.name, column)
        with contextlib.closing(sqlite3.connect(tmp_path / "season.db")) as database:
            assert list(database.execute(f'select * from "{kind.name}"')) == [tuple(row) for row in parsed["data"]]
        lines = (tmp_path / "out" / "data" / f"{kind.name}.csv").read_text().splitlines()
        assert lines[0] == ",".join(parsed["columns"])
        assert len(lines) == len(parsed["data"]) + 1


def test_what_is_held_back_or_not_public_is_in_no_file(place, tmp_path):
    path, secret = place
    arena("export", path, "--out", tmp_path / "out")
    arena("export", path, "--data", tmp_path / "season.db")
    for file in (*(tmp_path / "out").rglob("*.*"), tmp_path / "season.db"):
        text = file.read_bytes().decode(errors="replace") if file.is_file() else ""
        assert not [one for one in secret if one in text], file
        assert "a secret" not in text
    season = json.loads((tmp_path / "out" / "data" / "season.json").read_text())
    assert dict(zip(season["columns"], season["data"][0], strict=True))["held_back"] == 2
    with opened(path) as opened_season:
        rows = opened_season.table(everything=False)
        board = [(row.place, row.team, row.rating) for row in rows]
    standings = json.loads((tmp_path / "out" / "data" / "standings.json").read_text())
    assert [tuple(row[:3]) for row in standings["data"]] == board
    assert "Red" in (tmp_path / "out" / "index.html").read_text()


def test_the_last_rating_of_a_team_is_that_of_the_table(place, tmp_path):
    path, _ = place
    arena("export", path, "--data", tmp_path / "season.db", "--everything")
    with contextlib.closing(sqlite3.connect(tmp_path / "season.db")) as database:
        for team, rating in database.execute("select team, rating from standings where not is_anchor"):
            found = list(database.execute("select rating from ratings where team = ? order by rowid", (team,)))
            assert found[-1] == (rating,)
        [(count,)] = database.execute("select count(*) from matches where counts")
        [(rated,)] = database.execute("select count(distinct match_id) from ratings")
        assert count == rated == 2, "one is voided, one is void, one was voided while it was held back"


def test_matches_are_listed_and_filtered(place):
    path, secret = place
    everything = json.loads(arena("matches", path, "--json"))
    assert len(everything) == 7
    assert secret <= {one["match_id"] for one in everything}
    assert len(json.loads(arena("matches", path, "--json", "--ending", "void"))) == 1
    assert len(json.loads(arena("matches", path, "--json", "--team", "Red", "--last", "2"))) == 2
    assert "challenge" in arena("matches", path)
    done = CliRunner().invoke(cli, ["season", "matches", str(path), "--team", "Nobody"])
    assert "No bot is called Nobody" in done.output
