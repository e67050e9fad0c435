"""Grading by a rubric: the file, the points, the reports, and the sandbox."""

import csv
import io
import json
import re

import pytest
from contest_commands import arena

from arena.cli.settings import ladder_settings
from arena.contests.strength.grade import Grade, Grading, Item, gradescope_document, read_rubric, rubric_template
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation, Missing
from arena.match.lookup import find_game

SMALL = """
[rubric]
game = "saloon"
seed = "9f0c2ab84be35d71"

[options]
max_turns = 30

[[items]]
kind = "time"
seconds = 5.0
points = 5

[[items]]
kind = "conformance"
points = 10
visibility = "after_due_date"

[[items]]
kind = "score"
against = "builtin:rowdy"
games = 4
points = 10
full = 0.8

[[items]]
kind = "rung"
name = "Ladder"
games = 16
points = 9
"""


def rubric_of(tmp_path, text=SMALL):
    path = tmp_path / "rubric.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("share", "points"), [(0.0, 0.0), (0.3, 0.0), (0.55, 10.0), (0.4, 4.0), (0.8, 20.0), (1.0, 20.0)]
)
def test_points_grow_in_proportion_between_two_scores(share, points):
    assert Item("score", 20, zero=0.3, full=0.8).points_for(share) == points


def test_the_printed_rubric_can_be_used(tmp_path):
    for name in ("saloon", "laser_flag", "derelict", "snakes"):
        bots = [bot.name for bot in find_game(name).bots]
        rubric = read_rubric(rubric_of(tmp_path, rubric_template(name, bots)))
        assert rubric.game == name
        assert rubric.seed not in rubric_template(name, bots), "each file has a seed of its own"
        assert [item.against for item in rubric.items if item.against] == [f"builtin:{bot}" for bot in bots]
    text = rubric_template("saloon", []).replace("# [[items]]", "[[items]]")
    for line in ('kind = "rung"', "games = 120", "points = 20"):
        text = text.replace(f"# {line}", line)
    assert [item.kind for item in read_rubric(rubric_of(tmp_path, text)).items] == ["conformance", "time", "rung"]


def test_only_a_rung_needs_the_searches_of_the_ladder(tmp_path, monkeypatch):
    """The verifier of an exported task has Arena and the game, and no arena-learn."""
    monkeypatch.setattr("arena.bots.builtin.bots_for_all_games", lambda _name=None: [])
    spec = find_game("saloon")
    settings, players = ladder_settings(spec, (), ())

    def grading(text):
        return Grading(spec, read_rubric(rubric_of(tmp_path, text)), settings, players, tmp_path, 1)

    grading(SMALL.partition('[[items]]\nkind = "rung"')[0])
    with pytest.raises(ArenaError, match="no bot builtin:search") as caught:
        grading(SMALL)
    assert "pip install arena-learn" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "score"', 'kind = "wins"', "rubric.toml:20: items[2].kind must be one of conformance, score"),
        ('against = "builtin:rowdy"\n', "", "items[2].against is missing."),
        ("full = 0.8", "full = 0.8\nzero = 0.9", "items[2].full must be greater than zero."),
        ("[options]", 'isolation = "none"\n[options]', "rubric.isolation must be"),
        ('seed = "9f0c2ab84be35d71"\n', "", "rubric.seed is missing."),
        ('"9f0c2ab84be35d71"', '"change this"', "rubric.toml:4: rubric.seed must be a random text of 16 characters"),
        ('"9f0c2ab84be35d71"', '"0000000000000000001"', "rubric.seed must be a random text"),
        ('"9f0c2ab84be35d71"', "7", "rubric.seed must be a random text"),
        ("seconds = 5.0", "second = 5.0", "items[0].second is not known here"),
        ("points = 9", "points = -1", "items[3].points must be"),
        ("[rubric]", "[rubric", "is not valid TOML"),
        ('kind = "rung"\nname = "Ladder"\ngames = 16\n', 'kind = "conformance"\n', None),
    ],
)
def test_a_bad_rubric_is_refused_with_place_and_reason(tmp_path, old, new, message):
    assert old in SMALL
    path = rubric_of(tmp_path, SMALL.replace(old, new))
    if message is None:
        assert len(read_rubric(path).items) == 4
        return
    with pytest.raises(ArenaError) as error:
        read_rubric(path)
    assert message in error.value.message
    assert error.value.exit_code == ExitCode.BAD_LEAGUE


def test_the_other_defects_of_an_item_are_reported_with_its_kind(tmp_path):
    text = """[rubric]
game = "saloon"
seed = "9f0c2ab84be35d71"
[[items]]
kind = "wins"
points = -1
score = 3
games = 1
[[items]]
seconds = "two"
[[items]]
kind = "score"
against = 5
zero = 0.9
full = 0.8
"""
    with pytest.raises(ArenaError) as error:
        read_rubric(rubric_of(tmp_path, text))
    assert error.value.message.splitlines() == [
        "rubric.toml:5: items[0].kind must be one of conformance, score, rung, time, not 'wins'.",
        "rubric.toml:6: items[0].points must be a number from 0 to 1000000, not -1.",
        "rubric.toml:7: items[0].score is not known here; known are against, full, games, kind, name, points, seconds,"
        " visibility, zero.",
        "rubric.toml:10: items[1].seconds must be a number of seconds from 0.001 to 86400, not 'two'.",
        "rubric.toml:9: items[1].points is missing.",
        "rubric.toml:9: items[1].kind is missing. It must be one of conformance, score, rung, time.",
        "rubric.toml:13: items[2].against must be a text that is not empty, not 5.",
        "rubric.toml:11: items[2].points is missing.",
    ]


def test_an_item_about_time_needs_games(tmp_path):
    text = SMALL.split("[[items]]")
    with pytest.raises(ArenaError, match="needs games"):
        read_rubric(rubric_of(tmp_path, "[[items]]".join(text[:3])))


def test_reports_cannot_be_forged_by_a_bot():
    item = Item("conformance", 10)
    document = gradescope_document([Grade(item, 4.0, "failed: \x1b[2J\nscore 10")], 1.6, "")
    (test,) = document["tests"]
    assert (test["output"], test["status"]) == ("failed: \\x1b[2J\\x0ascore 10", "failed")
    assert (document["score"], document["execution_time"]) == (4.0, 2)


def keys_of_gradescope(document):
    """Check names and types as Gradescope documents them."""
    assert set(document) <= {
        "score", "execution_time", "output", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    assert isinstance(document["score"], int | float)
    assert isinstance(document["execution_time"], int)
    for test in document["tests"]:
        assert set(test) <= {
            "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
            "visibility", "extra_data",
        }  # fmt: skip
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")


@pytest.mark.kill  # dozens of matches of programs
@pytest.mark.process
def test_the_command_grades_a_good_and_a_broken_bot(tmp_path):
    path = rubric_of(tmp_path)
    (tmp_path / "=broken").mkdir()
    (tmp_path / "=broken" / "notes.txt").write_text("")
    done = arena("grade", "saloon", "builtin:pianist", "=broken", "--rubric", str(path), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    good, broken = json.loads(done.stdout)
    keys_of_gradescope(good)
    keys_of_gradescope(broken)
    assert [test["score"] for test in good["tests"]][:3] == [5.0, 10.0, 10.0]
    assert 0.9 <= good["tests"][3]["score"] == good["score"] - 25.0 < 9.0
    assert good["tests"][1]["visibility"] == "after_due_date"
    assert good["tests"][3]["name"] == "Ladder"
    assert re.search(r"Beats \d of 11 bots of the ladder: rowdy[,.]", good["tests"][3]["output"])
    assert broken["score"] == 0
    assert "=broken" in broken["output"]
    done = arena("grade", "saloon", "=broken", "--rubric", str(path), "--csv", cwd=tmp_path)
    heading, row = csv.reader(io.StringIO(done.stdout))
    assert heading[-4:] == ["Ladder", "points", "of", "problem"]
    assert row[0] == "'=broken"  # no formula of a spreadsheet
    assert row[-3:-1] == ["0", "34"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["=broken", "rubric.toml"]


def test_nothing_is_graded_without_a_sandbox(tmp_path, monkeypatch, capsys):
    """This machine may have a sandbox, so the answer of the probe is replaced."""
    found = Isolation(1, ("rlimits",), (Missing("namespaces", "bubblewrap is not installed"),))
    monkeypatch.setattr("arena.bots.probe.probe", lambda: found)
    monkeypatch.setattr(Grading, "grade", lambda *_: pytest.fail("a bot ran"))
    from click.testing import CliRunner

    from arena.cli import cli

    path = rubric_of(tmp_path)
    done = CliRunner().invoke(cli, ["grade", "saloon", "builtin:pianist", "--rubric", str(path), "--json"])
    assert done.exit_code == ExitCode.NO_ISOLATION
    assert done.stdout == ""
    assert "Isolation level 2 is required, but this machine provides L1 limits" in done.stderr
    assert done.stderr.count("Error:") == 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("saloon",), 2, "--rubric"),
        (("saloon", "builtin:rowdy", "--rubric", "nothing.toml"), 14, "There is no nothing.toml"),
        (("saloon", "builtin:rowdy", "absent.py", "--rubric", "rubric.toml"), 5, "There is no bot at absent.py."),
        (("snakes", "builtin:forager", "--rubric", "rubric.toml"), 14, "is for saloon, not for snakes"),
        (("saloon", "builtin:rowdy", "--rubric", "opponent.toml"), 5, "There is no bot at"),
        (("saloon", "builtin:rowdy", "--rubric", "option.toml"), 4, "max_turns"),
    ],
)
def test_bad_input_is_refused(tmp_path, words, code, message):
    rubric_of(tmp_path)
    (tmp_path / "opponent.toml").write_text(SMALL.replace("builtin:rowdy", "ghost.py"))
    (tmp_path / "option.toml").write_text(SMALL.replace("max_turns = 30", 'max_turns = "many"'))
    done = arena("grade", *words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
