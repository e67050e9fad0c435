"""Acts as docs/running-a-contest.md walks through them: the tables before an act, after it, and after its undo."""

import contextlib
import json
import re
import shutil
import sqlite3

import pytest
from contest_commands import SHORT, contest, refused

from arena.contests.open_contest import open_contest
from arena.contests.people import accounts

pytestmark = pytest.mark.process

EVENING = SHORT.replace("rounds = 3", 'name = "all"\nrounds = 1')


class Evening:
    """A folder with a contest."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *words):
        done = contest(*words, cwd=self.folder)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def refuses(self, *words, code=2, message=""):
        refused(contest(*words, cwd=self.folder), code, message)

    def act(self, *words):
        """Record an act, check what the command says, and return the id of the act."""
        said = self(*words, "--reason", "a test")
        key, rest = re.fullmatch(r"(a\d+): (.*)\n", said, re.DOTALL).groups()
        if words[0] != "undo":
            assert f"\nTo undo it, run: arena contest undo {key} contest.toml --reason REASON" in rest
        return key

    @property
    def tables(self):
        return self("standings", "--json")

    def stage(self, name="all"):
        """The points in a stage, by name; None if there is no such stage."""
        found = [row for row in json.loads(self.tables)["standings"] if row["stage"] == name]
        return {row["name"]: row["points"] for row in found} or None

    def matches(self, *words):
        return json.loads(self("matches", "--json", *words))

    def published(self, query):
        """What a query finds in the tables that everybody may see."""
        (self.folder / "public.db").unlink(missing_ok=True)
        self("export", "--data", "public.db")
        with contextlib.closing(sqlite3.connect(self.folder / "public.db")) as database:
            return list(database.execute(query))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A contest that no test changes."""
    evening = Evening(tmp_path_factory.mktemp("evening"))
    (evening.folder / "contest.toml").write_text(EVENING)
    evening("run", "--no-check")
    return evening


@pytest.fixture
def evening(finished, tmp_path):
    """A copy of it."""
    return Evening(shutil.copytree(finished.folder, tmp_path / "evening"))


def test_each_act_changes_the_tables_and_its_undo_gives_them_back(evening):
    before, points = evening.tables, evening.stage()
    won = next(one for one in evening.matches() if one["winner"])
    match, winner, names = won["match_id"], won["winner"], [seat["name"] for seat in won["seats"]]
    [loser] = {*names} - {winner}
    swapped = "0 1" if names[0] == winner else "1 0"
    changes = [
        (("void", match[:6]), lambda: evening.stage()[winner] == points[winner] - 1),
        (("void", "all"), lambda: evening.stage() is None),
        (("correct", match[:6], swapped), lambda: evening.stage()[loser] == points[loser] + 1),
        (("withdraw", "rowdy"), lambda: ("rowdy", "withdrawn") in outs(evening)),
        (("disqualify", "rowdy"), lambda: ("rowdy", "disqualified") in outs(evening)),
    ]
    for words, has_changed in changes:
        key = evening.act(*words)
        assert has_changed(), words
        evening.act("undo", key)
        assert evening.tables == before, words
    assert set(outs(evening)) == {(name, None) for name in points}
    log = evening("standings", "--all")
    for text in ("voided all match 1 (", "voided all ", "corrected the result of", "withdrew rowdy", "undid a1"):
        assert text in log
    rows = evening.published("select id, text, reason, undone from acts")
    assert [row[0] for row in rows] == [f"a{number}" for number in range(2 * len(changes), 0, -1)]
    assert [row[3] for row in rows] == [0, 1] * len(changes)
    assert evening("verify").startswith(f"{len(evening.matches())} results are unchanged.")


def outs(evening):
    return evening.published("select name, out from entrants")


def test_a_match_is_played_again_and_its_undo_brings_the_first_result_back(evening):
    before, match = evening.tables, evening.matches()[0]["match_id"]
    key = evening.act("replay", match)
    assert not json.loads(evening.tables)["contest"][0]["finished"]
    assert "The contest is over." in evening("run")
    assert len(evening.matches()) == 7
    [voided] = evening.matches("--ending", "void")
    assert voided["match_id"] == match
    evening.refuses("void", match, "--reason", "r", message=f"The result of the match {match} does not count any more.")
    evening.act("undo", key)
    assert evening.tables == before


def test_what_is_so_already_is_no_act(evening):
    evening.act("disqualify", "rowdy")
    evening.refuses("disqualify", "rowdy", "--reason", "again", message="This act changes nothing: it is so already.")
    tables = json.loads(evening.tables)
    [explained] = [row["explained"] for row in tables["standings"] if row["name"] == "rowdy"]
    assert explained.endswith("disqualified")
    assert tables["entrants"][-1]["name"] == "rowdy"
    evening.act("void", "all")
    evening.refuses("void", "all", "--reason", "again", message="There is no match all.")
    for words in (("all",), ("all", "--set", "format=swiss")):
        evening.refuses("stage", *words, "--reason", "again", message="A stage all has begun before.")


def test_a_stage_is_added_held_back_and_released(evening):
    before = evening.tables
    assert evening.act("hold") == "a1"
    evening.refuses("hold", "--reason", "again", message="Results are held back already.")
    chosen = ("format=triple_elimination", "advance=3", "best_of=1")
    key = evening.act("stage", "playoff", *(word for one in chosen for word in ("--set", one)))
    evening.act("withdraw", "rowdy")
    assert "The contest is over." in evening("run")
    assert len(evening.stage("playoff")) == 3
    played = len(evening.matches())
    assert played > 8
    assert evening.published("select held_back from contest") == [(1,)]
    assert evening.published("select count(*) from matches") == [(6,)]
    assert evening.published("select sum(games) from standings where stage = 'playoff'") == [(0,)]
    evening.act("release", "--count", "2")
    assert evening.published("select count(*) from matches") == [(8,)]
    all_of_it = evening.act("release")
    assert evening.published("select count(*) from matches") == [(played,)]
    assert evening.published("select sum(games) from standings where stage = 'playoff'") != [(0,)]
    evening.act("undo", all_of_it)
    assert evening.published("select count(*) from matches") == [(8,)]
    evening.act("undo", key)
    assert evening.stage("playoff") is None
    assert json.loads(evening.tables)["standings"] == json.loads(before)["standings"]
    evening.act("undo", "a3")
    assert evening.tables == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("void", "zzzz"), "There is no match zzzz."),
        (("void", ""), "There is no match ."),
        (("correct", "zzzz", "1 0"), "There is no match zzzz."),
        (("withdraw", "nobody"), "There is no team or bot 'nobody'."),
        (("disqualify", "nobody"), "There is no team or bot 'nobody'. Write a version as NAME/NUMBER."),
        (("disqualify", "rowdy/9"), "There is no version 'rowdy/9'. Write it as NAME/NUMBER."),
        (("stage", "cup"), "There is no stage 'cup' in the file."),
        (("stage", "all"), "A stage all has begun before."),
        (("stage", "ladder", "--set", "format=ladder"), "The format must be one of round_robin"),
        (("stage", "cup", "--set", "format=cup"), "format must be one of round_robin"),
        (("stage", "cup", "--set", "format=swiss", "--set", "sets=1"), "--set sets=1: write KEY=VALUE. The keys are"),
        (("stage", "cup", "--set", "format=swiss", "--set", "rounds=-2"), "from 1 to 999, not '-2'"),
        (
            ("stage", "cup", "--set", "format=swiss", "--set", "advance=1"),
            "stage.advance must be a whole number from 2",
        ),
        (
            ("stage", "cup", "--set", "format=swiss", "--set", "only=novice"),
            "The group of a stage must be in [groups].",
        ),
        (("release",), "No results are held back."),
        (("undo", "a9"), "There is no act a9 that can be undone."),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, tuple) else "",
)
def test_mistakes_change_nothing(finished, words, message):
    before = finished("verify")
    finished.refuses(*words, "--reason", "r", message=message)
    assert finished("verify") == before


def test_an_act_needs_a_reason_and_a_contest(finished, tmp_path):
    finished.refuses("withdraw", "rowdy", message="Missing option '--reason'")
    finished.refuses("withdraw", "rowdy", "--reason", " ", message="Give a reason of at most 500 characters.")
    match = finished.matches()[0]["match_id"]
    for points in ("1", "2 0", "one nil"):
        finished.refuses("correct", match, points, "--reason", "r", message="Give 2 numbers from 0 to 1")
    (tmp_path / "contest.toml").write_text(EVENING)
    refused(contest("withdraw", "rowdy", "--reason", "r", cwd=tmp_path), 2, "There is no contest in contest.")
    assert not (tmp_path / "contest").exists()


def test_while_another_process_runs_the_contest_only_readers_work(finished):
    reads = [("check",), ("standings",), ("matches",), ("verify",), ("export", "--no-replays"), ("backup", "b.tar")]
    (finished.folder / "teams.csv").write_text("team,member\nowls,Olga\n")
    with open_contest(finished.folder / "contest.toml"):
        for words in (("withdraw", "rowdy", "--reason", "r"), ("invite", "rowdy"), ("teams", "teams.csv")):
            done = contest(*words, cwd=finished.folder)
            refused(done, 15, "is running the contest")
            assert "While a server runs the contest, use its desk. Else wait, or stop it with Ctrl-C." in done.stderr
        for words in (("run",), ("serve", "--port", "0"), ("rebuild",)):
            finished.refuses(*words, code=15, message="is running the contest")
        for words in reads:
            finished(*words)


def test_the_owner_of_a_bot_is_invited_and_teams_need_people(evening):
    token = evening("invite", "rowdy").strip()
    organizer = evening("invite", "Olga", "--organizer").strip()
    evening.refuses("invite", "nobody", message="There is no bot 'nobody'.")
    (evening.folder / "teams.csv").write_text("team,member\nowls,Olga\n")
    evening.refuses("teams", "teams.csv", message="Line 2: There is no bot 'owls'.")
    with open_contest(evening.folder / "contest.toml") as opened:
        owner, secret = accounts.join(opened, token, "Rita")
        assert (owner.entrant, owner.role) == ("rowdy", "member")
        assert accounts.member_of_token(opened, secret)[0] == owner
        assert accounts.join(opened, organizer, "")[0].is_organizer
        with pytest.raises(accounts.DeniedError, match="was used"):
            accounts.join(opened, token, "Rita again")
    evening("run")


def test_people_are_invited_while_the_server_is_stopped(tmp_path):
    assert contest("init", "snakes", "--people", cwd=tmp_path).returncode == 0
    csv = tmp_path / "teams.csv"
    csv.write_text("team,member,role\nowls,Olga,\n,Rita,organizer\ncats,,\nowls,Otto,king\n")
    refused(contest("teams", "teams.csv", cwd=tmp_path), 2, "Line 5: The role is 'king'.")
    csv.write_text("team,member,role\nowls,Olga,\n,Rita,organizer\ncats,,\n")
    done = contest("teams", "teams.csv", cwd=tmp_path)
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()] == [["owls", "Olga"], ["", "Rita"], ["cats", ""]]
    assert contest("invite", "newts", "--person", "Nina", cwd=tmp_path).returncode == 0
    refused(contest("invite", "C.a.t.s", cwd=tmp_path), 2, "looks like cats, which exists")
    with open_contest(tmp_path / "contest.toml") as opened:
        tokens = [line.split("\t")[2] for line in done.stdout.splitlines()]
        joined = [accounts.join(opened, token, "Somebody")[0] for token in tokens]
        assert [(one.name, one.entrant, one.role) for one in joined] == [
            ("Olga", "owls", "member"), ("Rita", "", "organizer"), ("Somebody", "cats", "member"),
        ]  # fmt: skip
        assert set(opened.state.teams) == {"owls", "cats", "newts"}
