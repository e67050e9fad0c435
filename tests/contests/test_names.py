"""Names of entrants: who looks like somebody else does not take part, and the others play."""

import pytest
from contests_toys import write_config

from arena.contests.config_bots import find_bots, names_of_bots
from arena.contests.config_file import read_config_file
from arena.contests.open_contest import open_contest
from arena.contests.people import accounts
from arena.contests.roster import survey
from arena.errors import ArenaError
from arena.text.printable import look_keys

LEAGUE = """
[contest]
name = "Names"
game = "saloon"
isolation = "none"
{more}
[[bots]]
path = "bots"
many = true
[[stages]]
format = "swiss"
rounds = 3
"""


def alike(one, other):
    return bool(set(look_keys(one)) & set(look_keys(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice", "Alice"),
        ("alice", "аlice"),  # a Cyrillic letter
        ("Ｂob", "bob"),
        ("café", "café"),
        ("Alice", "AIice"),
        ("straße", "STRASSE"),
        ("b0b", "bOb"),
        ("two words", "twowords"),
        ("Red", "Red."),
        ("Red", "Red (2)"),
        ("Red (2)", "red (3)."),
        ("Red", "-_Red_-"),
        ("Red", "R.ed"),
        ("Red", "R...e-d"),
        ("T9", "T.9"),
        ("v1.2", "v1..2"),
        ("Red", "Red\u3164"),  # a letter that is not drawn, but counts as printable
        ("Red", "R\ufe0fed"),
        ("Red", "R\u034fe\u115fd\U000e0100"),
        ("Red", "Red\u2800"),
        ("forager (built-in)", "forager built-in"),
        ("barn", "bam"),
        ("wave", "vvave"),
    ],
)
@pytest.mark.promise("names")
def test_names_that_look_alike(one, other):
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bot1", "bot2"),
        ("mail", "mall"),
        ("fox", "sox"),
        ("bob", "rob"),
        ("v1.2", "v12"),
        ("C", "C++"),
        ("(2)", "(3)"),
        ("2.10", "21.0"),
    ],
)
def test_names_that_do_not(one, other):
    assert not alike(one, other)


@pytest.fixture
def folder(tmp_path):
    for name, entered in (("1", "alice"), ("2", "аlice"), ("3", "bob"), ("4", "ALICE")):
        place = tmp_path / "bots" / name
        place.mkdir(parents=True)
        (place / "main.py").write_text(f"# {name}\nfrom arena_player import AI\nclass A(AI):\n    pass\n")
        (place / "bot.toml").write_text(f'name = "{entered}"\npython = "main.py"\n', encoding="utf-8")
    (tmp_path / "league.toml").write_text(LEAGUE.format(more=""))
    return tmp_path


def surveyed(folder):
    config, game = read_config_file(folder / "league.toml")
    return survey(config, game, folder / "league.toml")


@pytest.mark.process
@pytest.mark.promise("names")
def test_the_later_entrant_is_left_out(folder):
    found = surveyed(folder)
    assert [one.name for one in found.bots] == ["alice", "bob"]
    reasons = [one.reason for one in found.broken]
    assert len(reasons) == 2
    assert all("looks like 'alice'" in reason for reason in reasons)


@pytest.mark.process
def test_the_same_bot_twice_is_left_out_once(folder):
    text = (folder / "league.toml").read_text()
    (folder / "league.toml").write_text(text.replace("[[stages]]", '[[bots]]\npath = "bots/3"\n[[stages]]'))
    roster = surveyed(folder)
    assert [one.name for one in roster.bots] == ["alice", "bob"]
    assert "its name 'bob' is that of another bot" in list(roster.excluded.values())[-1]


@pytest.mark.process
def test_with_refuse_nothing_starts(folder):
    (folder / "league.toml").write_text(LEAGUE.format(more='broken_bots = "refuse"'))
    with pytest.raises(ArenaError, match="looks like 'alice'"):
        surveyed(folder)


@pytest.mark.process
def test_who_has_entered_keeps_the_name(folder):
    config, game = read_config_file(folder / "league.toml")
    names = lambda *known: [one.name for one in find_bots(config, folder, game, known)[0]]  # noqa: E731
    assert names("ALICE", "bob") == ["bob", "ALICE"]
    assert names("alice", "ALICE") == ["alice", "bob", "ALICE"], "two who entered when names were not compared"


@pytest.mark.process
def test_a_mistyped_champion_is_an_error_also_where_another_bot_is_broken(folder):
    (folder / "bots" / "5.py").write_text("nothing = 1\n")
    stage = '[[stages]]\nformat = "gauntlet"\nchampions = ["{name}"]\n'
    for name, good in (("bobb", False), ("bob", True)):
        text = LEAGUE.format(more="").partition("[[stages]]")[0] + stage.format(name=name)
        (folder / "league.toml").write_text(text)
        if good:
            assert surveyed(folder).broken
        else:
            with pytest.raises(ArenaError, match="champions names 'bobb', which is not a bot"):
                surveyed(folder)


@pytest.mark.parametrize("team", ["rowdy built-in", "Rowdy", "rowdy_builtin"])
def test_no_team_is_called_like_a_bot_of_the_file_that_has_not_entered_yet(tmp_path, team):
    with open_contest(write_config(tmp_path)) as opened:
        with pytest.raises(ArenaError, match=r"not a team|looks like"):
            accounts.invite(opened, team, "", "member", "", taken=names_of_bots(opened))
        accounts.invite(opened, "Red", "", "member", "", taken=names_of_bots(opened))
