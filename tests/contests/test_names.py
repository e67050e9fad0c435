"""Names of entrants: who looks like somebody else does not take part, and the others play."""

from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.errors import ArenaError
from arena.match.entrant import Entrant
from arena.text.lookalikes import looks
from arena.tournament.run.bots import Found
from arena.tournament.run.league import open_league
from arena.tournament.run.names import without_clashes

LEAGUE = """
[tournament]
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
{stage}
"""


def alike(one, other):
    return bool(set(looks(one)) & set(looks(other)))


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
    (tmp_path / "league.toml").write_text(LEAGUE.format(more="", stage=""))
    return tmp_path


@pytest.mark.process
@pytest.mark.promise("names")
def test_the_later_entrant_is_left_out(folder):
    league = open_league(folder / "league.toml")
    assert [entrant.name for entrant in league.entrants] == ["alice", "bob"]
    reasons = [one.reason for one in league.found.broken]
    assert len(reasons) == 2
    assert all("looks like 'alice'" in reason for reason in reasons)


@pytest.mark.process
def test_the_same_bot_twice_is_left_out_once(folder):
    text = (folder / "league.toml").read_text()
    (folder / "league.toml").write_text(text.replace("[[stages]]", '[[bots]]\npath = "bots/3"\n[[stages]]'))
    league = open_league(folder / "league.toml")
    assert [entrant.name for entrant in league.entrants] == ["alice", "bob"]
    assert "its name 'bob' is that of another bot" in league.broken_messages().popitem()[1]


@pytest.mark.process
def test_with_refuse_nothing_starts(folder):
    (folder / "league.toml").write_text(LEAGUE.format(more='broken_bots = "refuse"', stage=""))
    with pytest.raises(ArenaError, match="looks like 'alice'"):
        open_league(folder / "league.toml")


@pytest.mark.process
def test_who_has_begun_keeps_the_name(folder):
    bots = tuple((bot.name, bot) for bot in (load_bot(Path(folder / "bots" / number)) for number in "1234"))
    known = [Entrant(bots[3][0], bots[3][1].content_hash), Entrant(bots[2][0], bots[2][1].content_hash)]
    assert [name for name, _ in without_clashes(Found(bots, ()), known).bots] == ["bob", "ALICE"]
    # Two whose tournament began when names were not compared both go on.
    known = [Entrant(bots[number][0], bots[number][1].content_hash) for number in (0, 3)]
    assert [name for name, _ in without_clashes(Found(bots, ()), known).bots] == ["alice", "bob", "ALICE"]


@pytest.mark.process
def test_a_mistyped_name_is_an_error_also_where_another_bot_is_broken(folder):
    (folder / "bots" / "5.py").write_text("nothing = 1\n")
    (folder / "bots" / "wrong").mkdir()
    for name, good in (("bobb", False), ("bob", True), ("wrong", True)):
        (folder / "league.toml").write_text(LEAGUE.format(more="", stage=f"withdrawn = {{ {name} = 2 }}"))
        if good:
            assert open_league(folder / "league.toml").found.broken
        else:
            with pytest.raises(ArenaError, match="withdrawn names 'bobb', which is not a bot"):
                open_league(folder / "league.toml")
