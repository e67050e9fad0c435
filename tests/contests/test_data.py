"""Tables for programs: every column is documented, has values of its kind, and is the same in CSV and SQLite."""

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
from contest_commands import SHORT, contest, refused
from contests_toys import add_team, add_version, do, opened, player, record, void_result, write_config

from arena.contests.report.columns import KINDS

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
STAGES = """
[[stages]]
format = "single_elimination"
advance = 2
[[stages]]
format = "ladder"
rated_matches = 4
"""
EVENING = SHORT.replace('"Short"', '"=Short"').replace("[[stages]]", 'name = "Sheriff 2"\n[[stages]]')
FITS = {
    "text": lambda value: isinstance(value, str),
    "time": lambda value: datetime.fromisoformat(value).tzinfo is not None,
    "whole number": lambda value: type(value) is int,
    "number": lambda value: type(value) is float,
    "seconds": lambda value: type(value) is float,
    "yes or no": lambda value: value in (0, 1),
}


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "contest.toml").write_text(EVENING.replace("rounds = 3", STAGES))
    done = contest("run", "--no-check", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert contest("withdraw", "rowdy", "--reason", "=a test", cwd=folder).returncode == 0
    assert contest("export", "--no-replays", cwd=folder).returncode == 0
    assert contest("export", "--data", "contest.db", cwd=folder).returncode == 0
    return folder


def rows_of(place, query, *values, file="contest.db"):
    with contextlib.closing(sqlite3.connect(place / file)) as database:
        return list(database.execute(query, values))


def test_the_page_has_each_column_of_each_table():
    page = mkdocs_tables.on_page_markdown(DOCUMENT)
    for kind in KINDS:
        assert f"### {kind.name}\n\n{kind.meaning}\n" in page
        for column in kind.columns:
            assert f"| `{column.name}` | {column.kind} | {column.meaning} |" in page


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_table_has_the_documented_columns_in_both_forms(evening, kind):
    names = [column.name for column in kind.columns]
    stored = rows_of(evening, f'select * from "{kind.name}"')
    assert stored
    for row in stored:
        for column, value in zip(kind.columns, row, strict=True):
            assert value is None or FITS[column.kind](value), (kind.name, column, value)
            assert value is not None or "empty" in column.meaning, (kind.name, column)
    with (evening / "contest-results" / "data" / f"{kind.name}.csv").open(newline="") as stream:
        heads, *lines = csv.reader(stream)
    assert heads == names
    for line, row in zip(lines, stored, strict=True):
        for column, cell, value in zip(kind.columns, line, row, strict=True):
            assert cell == plain(value) or (column.is_text or float(cell) == value), (kind.name, column, cell, value)
            assert column.kind != "yes or no" or cell == ("true" if value else "false")
    described = rows_of(evening, "select column_name, meaning from columns where table_name = ?", kind.name)
    assert described == [(column.name, column.meaning) for column in kind.columns]


def plain(value):
    if isinstance(value, str) and value.startswith("="):
        return f"'{value}"
    return "" if value is None else str(value)


def test_the_tables_agree_with_the_matches(evening):
    games = {one["match_id"]: one for one in json.loads(contest("matches", "--json", cwd=evening).stdout)}
    with contextlib.closing(sqlite3.connect(evening / "contest.db")) as database:
        database.row_factory = sqlite3.Row
        matches = {one["match_id"]: one for one in database.execute("select * from matches")}
        seats = list(database.execute("select * from seats"))
    assert matches.keys() == games.keys()
    assert all(one["counts"] for one in matches.values())
    assert len(seats) == 2 * len(games)
    for one in seats:
        seat = games[one["match_id"]]["seats"][one["seat"] - 1]
        assert {key: seat[key] for key in one.keys()} == dict(one)  # noqa: SIM118 - its values are what it iterates over
    for key, game in games.items():
        assert {name: game[name] for name in matches[key].keys()} == dict(matches[key])  # noqa: SIM118
        assert (evening / "contest" / matches[key]["replay"]).is_file()


def test_the_query_of_the_document_and_the_chain_are_those_of_the_journal(evening):
    [query] = re.findall(r"```sql\n(.*?)```", DOCUMENT, re.DOTALL)
    page = mkdocs_tables.on_page_markdown(DOCUMENT)
    with contextlib.closing(sqlite3.connect(f"file:{evening}/contest/journal.db?mode=ro", uri=True)) as database:
        won = dict(database.execute(query.replace("'crashed'", "'won'")))
        assert {"Sheriff 2"} <= won.keys() <= {"rowdy", "pianist", "Sheriff 2"}
        assert list(database.execute(query)) == []
        before = ""
        for number, (kind, key, document, digest, chain) in enumerate(
            database.execute("select kind, key, document, digest, hash from entries order by number"), 1
        ):
            assert hashlib.sha256(document.encode()).hexdigest() == digest
            assert hashlib.sha256("\n".join((before, kind, key, digest)).encode()).hexdigest() == chain
            assert f"`{kind}`" in page, number
            before = chain


def test_the_database_alone_takes_no_options_of_the_pages_and_needs_a_folder(evening):
    for ignored in (("--out", "elsewhere"), ("--logs",), ("--no-replays",)):
        done = contest("export", "--data", "other.db", *ignored, cwd=evening)
        refused(done, 2, "--data writes only the tables. Leave out --out, --logs and --no-replays.")
    done = contest("export", "--data", "nowhere/contest.db", cwd=evening)
    refused(done, 6, "nowhere/contest.db cannot be written")
    assert not (evening / "other.db").exists()
    assert not (evening / "elsewhere").exists()


def test_the_notebook_draws_its_four_pictures(evening, monkeypatch):
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    notebook = json.loads((ROOT / "docs" / "examples" / "results.ipynb").read_text())
    monkeypatch.chdir(evening)
    scope = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
    assert len(plt.get_fignums()) == 4
    plt.close("all")


# -- a contest with people, of which the last results are held back ------------------------------------


@pytest.fixture(scope="module")
def term(tmp_path_factory):
    """The folder of the contest, and the ids of matches that are held back or not public."""
    folder = tmp_path_factory.mktemp("term")
    with opened(write_config(folder)) as contest_:
        for team in ("Red", "Blue"):
            add_team(contest_, team)
            add_version(contest_, team)
        players = [player(contest_, team) for team in ("Red", "Blue")]
        public = [record(contest_, *players) for _ in range(3)]
        record(contest_, *players, result=void_result())
        do(contest_, "void", public[0])
        challenge = record(contest_, *players, kind="challenge", team="Red")
        do(contest_, "hold")
        held = [record(contest_, *players), record(contest_, *players, kind="challenge", team="Red")]
        do(contest_, "void", held[0], reason="a secret")
        board = [(row.place, row.team, round(row.rating, 6)) for row in contest_.board().table()]
    return folder, {challenge, *held}, board


def test_what_is_held_back_or_not_public_is_in_no_file(term):
    folder, secret, board = term
    assert contest("export", "--out", "out", cwd=folder).returncode == 0
    assert contest("export", "--data", "public.db", cwd=folder).returncode == 0
    for file in (*(folder / "out").rglob("*.*"), folder / "public.db"):
        text = file.read_bytes().decode(errors="replace") if file.is_file() else ""
        assert not [one for one in (*secret, "a secret") if one in text], file
    assert rows_of(folder, "select held_back from contest", file="public.db") == [(1,)]
    ladder = rows_of(folder, "select place, name, round(rating, 6) from ladder", file="public.db")
    assert ladder == board
    assert "Red" in (folder / "out" / "index.html").read_text()


def test_the_last_rating_of_a_team_is_that_of_the_table(term):
    folder, secret, _ = term
    assert contest("export", "--data", "all.db", "--everything", cwd=folder).returncode == 0

    def rows(query, *values):
        return rows_of(folder, query, *values, file="all.db")

    assert secret <= {one for (one,) in rows("select match_id from matches")}
    for team, rating in rows("select name, round(rating, 6) from ladder where not is_anchor"):
        assert rows("select rating from skills where name = ? order by rowid", team)[-1] == (rating,)
    [(count,)] = rows("select count(*) from matches where counts")
    [(rated,)] = rows("select count(distinct match_id) from skills")
    assert count == rated == 2, "one is voided, one is void, one was voided while it was held back"


def test_matches_are_listed_and_filtered(term):
    folder, secret, _ = term

    def found(*words):
        return json.loads(contest("matches", "--json", *words, cwd=folder).stdout)

    assert len(found()) == 7
    assert secret <= {one["match_id"] for one in found()}
    assert len(found("--ending", "void")) == 3, "one is void, two were voided"
    assert found("--bot", "Red") == [one for one in found() if '"Red"' in json.dumps(one)]
    assert "challenge" in contest("matches", cwd=folder).stdout
