"""Tables for programs: every column is documented, has values of its kind, and is the same in CSV, JSON and SQLite."""

import contextlib
import csv
import hashlib
import json
import re
import sqlite3
from datetime import datetime
from pathlib import Path

import mkdocs_tables
import pytest
from tournament_commands import tournament

from arena.season import data as season_data
from arena.tournament.report import data as tournament_data

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
LEAGUE = """
[tournament]
name = "=Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 6
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[bots]]
path = "builtin:sheriff"
name = "Sheriff 2"
[[stages]]
format = "round_robin"
[[stages]]
format = "single_elimination"
advance = 2
"""
FITS = {
    "text": lambda value: isinstance(value, str),
    "time": lambda value: datetime.fromisoformat(value).tzinfo is not None,
    "whole number": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "yes or no": lambda value: type(value) is bool,
}


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "league.toml").write_text(LEAGUE)
    done = tournament("run", "--no-check", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert tournament("export", "--no-replays", cwd=folder).returncode == 0
    assert tournament("export", "--data", "league.db", cwd=folder).returncode == 0
    return folder


def test_the_page_has_each_column_of_each_table():
    page = mkdocs_tables.on_page_markdown(DOCUMENT)
    for kind in (*tournament_data.KINDS, *season_data.KINDS):
        assert f"### {kind.name}\n\n{kind.meaning}\n" in page
        for column in kind.columns:
            assert f"| `{column.name}` | {column.kind} | {column.meaning} |" in page


@pytest.mark.parametrize("kind", tournament_data.KINDS, ids=lambda kind: kind.name)
def test_each_table_has_the_documented_columns_in_all_three_forms(league, kind):
    data = league / "league-results" / "data"
    names = [column.name for column in kind.columns]
    parsed = json.loads((data / f"{kind.name}.json").read_text())
    assert parsed["columns"] == names
    assert parsed["data"]
    for row in parsed["data"]:
        assert len(row) == len(names)
        for column, value in zip(kind.columns, row, strict=True):
            assert value is None or FITS[column.kind](value), (kind.name, column, value)
            assert value is not None or "empty" in column.meaning, (kind.name, column)
    with (data / f"{kind.name}.csv").open(newline="") as stream:
        lines = list(csv.reader(stream))
    assert lines[0] == names
    assert len(lines) == len(parsed["data"]) + 1
    for line, row in zip(lines[1:], parsed["data"], strict=True):
        for cell, value in zip(line, row, strict=True):
            assert cell == plain(value), (kind.name, cell, value)
    with contextlib.closing(sqlite3.connect(league / "league.db")) as database:
        stored = list(database.execute(f'select * from "{kind.name}"'))
        described_there = list(
            database.execute("select column_name, meaning from columns where table_name = ?", (kind.name,))
        )
    assert stored == [tuple(row) for row in parsed["data"]]
    assert described_there == [(column.name, column.meaning) for column in kind.columns]


def plain(value):
    if isinstance(value, str) and value.startswith("="):
        return f"'{value}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_the_tables_agree_with_the_matches(league):
    games = {one["match_id"]: one for one in json.loads(tournament("matches", "--json", cwd=league).stdout)}
    with contextlib.closing(sqlite3.connect(league / "league.db")) as database:
        database.row_factory = sqlite3.Row
        matches = {one["match_id"]: one for one in database.execute("select * from matches")}
        seats = list(database.execute("select * from seats"))
        [(count,)] = database.execute("select count(*) from seats join matches using (match_id) where counts")
        hashes = dict(database.execute("select name || version, hash from versions"))
    assert matches.keys() == games.keys()
    assert count == len(seats) == 2 * len(games)
    for one in seats:
        game = games[one["match_id"]]
        seat, outcome = game["seats"][one["seat"] - 1], game["outcome"]["seats"][one["seat"] - 1]
        assert (one["name"], one["ending"], one["score"]) == (seat["name"], outcome["ending"], outcome["score"])
        assert hashes[f"{one['name']}{one['version']}"] == seat["hash"]
    for key, game in games.items():
        assert matches[key]["seed"] == game["seed"]
        assert (matches[key]["stage"], matches[key]["round"], matches[key]["pairing"]) == (
            game["stage"], game["round"], game["pairing"] + 1
        )  # fmt: skip
        assert (league / "league" / matches[key]["replay"]).is_file()


def test_the_query_of_the_document_and_the_chain_are_those_of_the_journal(league):
    [query] = re.findall(r"```sql\n(.*?)```", DOCUMENT, re.DOTALL)
    with contextlib.closing(sqlite3.connect(f"file:{league}/league/journal.db?mode=ro", uri=True)) as database:
        assert list(database.execute(query.replace("'crashed'", "'won'")))
        assert list(database.execute(query)) == []
        before = ""
        for number, (kind, key, document, digest, chain) in enumerate(
            database.execute("select kind, key, document, digest, hash from entries order by number"), 1
        ):
            assert hashlib.sha256(document.encode()).hexdigest() == digest
            assert hashlib.sha256("\n".join((before, kind, key, digest)).encode()).hexdigest() == chain
            assert f"`{kind}`" in DOCUMENT, number
            before = chain


def test_a_file_that_cannot_be_written_is_one_message(league):
    done = tournament("export", "--data", "nowhere/league.db", cwd=league)
    assert done.returncode == 6
    assert "nowhere/league.db cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ignored", [("--out", "elsewhere"), ("--logs",), ("--no-replays",)])
def test_the_database_alone_takes_no_options_of_the_pages(league, ignored):
    done = tournament("export", "--data", "other.db", *ignored, cwd=league)
    assert done.returncode == 2
    assert "--data writes only the tables. Leave out --out, --logs and --no-replays." in done.stderr
    assert not (league / "other.db").exists()
    assert not (league / "elsewhere").exists()


def test_the_notebook_draws_its_four_pictures(league, monkeypatch):
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    notebook = json.loads((ROOT / "docs" / "examples" / "results.ipynb").read_text())
    monkeypatch.chdir(league)
    scope = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
    assert len(plt.get_fignums()) == 4
    plt.close("all")
