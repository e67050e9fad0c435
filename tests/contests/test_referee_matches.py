"""From a match of the schedule to a job of the referee, and from its answer to an outcome."""

import contextlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import arena_saloon
from arena.bots.bot import load_bot
from arena.bots.builtin import module_source
from arena.bots.builtin_copy import builtin_bot
from arena.contests.config import BotEntry, ContestConfig, StageConfig
from arena.contests.config_bots import find_bots
from arena.contests.config_file import read_config_file
from arena.contests.journal.files import folder_of
from arena.contests.open_contest import open_contest, read_contest
from arena.contests.queue.copies import copy_bot, copy_defect, copy_path, move_bot
from arena.contests.queue.referee_match import RefereeMatches, checked
from arena.contests.roster import enter, judge, survey
from arena.contests.run import make_engine
from arena.errors import ArenaError, ExitCode
from arena.game import Outcome, load
from arena.match.ending import REGULAR
from arena.match.isolation import Isolation
from arena.match.limits import Limits
from arena.match.lookup import find_game
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.match.spec import MatchSpec, Participant

pytestmark = pytest.mark.process

OWN = Path(arena_saloon.__file__).parent / "bots"


def config_of(**settings):
    return ContestConfig(name="x", stages=(StageConfig("s", "round_robin"),), game="saloon", **settings)


def spec_of():
    return MatchSpec(
        "t", "s", 1, 0, 0, "saloon", "", (("max_turns", 6),), (Participant("a", "1"), Participant("b", "2")), 5
    )


def matches_of(folder, **settings):
    paths = {"1": "builtin:rowdy", "2": "builtin:pianist"}
    return RefereeMatches(config_of(**settings), paths, lambda match_id: folder / f"{match_id}.arena")


def player(ending, cpu=0.1, stderr="", detail=""):
    clock = TimeUsed(wall=0.5, cpu=cpu, turns=3, worst_turn=0.1)
    return PlayerResult(
        ending, "a", detail=detail, score=3.0, refusals={"x": 2, "y": 1}, clock=clock, isolation=Isolation(2),
        stderr=stderr,
    )  # fmt: skip


def result_of(*players, lateness=0.0, pressure=0.0, fault="", winner=0):
    result = MatchResult(
        players, Outcome(winner, "score"), turns=9, seconds=Seconds(total=1.5), lateness=lateness, pressure=pressure,
        fault=fault,
    )  # fmt: skip
    return MatchResult.from_document(result.to_document())


@pytest.mark.parametrize("level", ["none", "limits", "bwrap", "bwrap+cgroup"])
def test_the_sandbox_is_never_given_up(tmp_path, level):
    job = matches_of(tmp_path, isolation=level).job(spec_of(), tmp_path / "x")
    assert job.sandbox == "auto"
    assert job.require_isolation == ["none", "limits", "bwrap", "bwrap+cgroup"].index(level)


def test_limits_of_the_configuration_reach_the_match(tmp_path):
    limits = matches_of(tmp_path, limits=(("memory", "1 GiB"), ("processes", 9))).job(spec_of(), tmp_path / "x").limits
    assert (limits.memory, limits.private_memory, limits.processes) == (1 << 30, 4 << 30, 9)
    assert matches_of(tmp_path).job(spec_of(), tmp_path / "x").limits == Limits()


def test_the_two_games_of_a_pair_have_one_set_up_and_dice_of_their_own(tmp_path):
    matches = matches_of(tmp_path)
    jobs = [matches.job(replace(spec_of(), number=number), tmp_path / "x") for number in (0, 1, 2)]
    assert len({job.seed for job in jobs}) == 1
    assert jobs[0].play_seed == jobs[2].play_seed != jobs[1].play_seed


def test_a_real_match_comes_out_the_same_when_it_is_played_again(tmp_path):
    with contextlib.closing(matches_of(tmp_path, isolation="none")) as matches:
        result, again = (matches.start(spec_of(), 0).wait() for _ in range(2))
    assert {player.ending for player in result.players} <= REGULAR
    assert result.turns == 6
    assert [player.clock.turns for player in result.players] == [3, 3]
    assert Path(result.replay).is_file()
    assert result.isolation.layers
    assert result.void == ""
    assert result.agrees_with(again)


def test_what_the_referee_refuses_is_our_fault(tmp_path):
    matches = RefereeMatches(config_of(), {"1": "builtin:nobody", "2": "builtin:rowdy"}, lambda _: tmp_path / "x")
    with contextlib.closing(matches), pytest.raises(ArenaError, match="no bot builtin:nobody"):
        matches.start(spec_of(), 0).wait()


def test_a_result_is_read():
    result = checked(result_of(player("won"), player("crashed", stderr="a\nBoom\n\n", detail="died")))
    assert result.winner == 0
    assert [player.refusals for player in result.players] == [{"x": 2, "y": 1}] * 2
    assert result.players[0].explained == ""
    assert (result.players[1].detail, result.players[1].last_words) == ("died", "Boom")
    assert result.players[1].explained == "died; Boom"
    assert result.isolation.name == "L2 bwrap"
    assert result.replay == ""
    assert MatchResult.from_document(result.brief().to_document()) == result.brief()
    assert result.brief().players[1].explained == "died; Boom"


def test_a_time_out_counts_however_late_the_referee_or_busy_the_machine_was():
    """Both are in a bot's hands. The referee has judged them, with all bots stopped, before it said so."""
    late = result_of(player("won"), player("timed_out", None), lateness=9.0, pressure=1.0)
    assert checked(late).void == ""
    assert "no result" in checked(result_of(player("void"), player("void"))).void


def test_a_fault_of_the_rules_is_no_result():
    with pytest.raises(ArenaError, match="rules broke"):
        checked(result_of(player("void"), player("void"), fault="rules broke"))


@pytest.mark.parametrize(
    ("ending", "reason", "detail", "starts", "text"),
    [
        ("lost", "x", "", True, "plays"),
        ("crashed", "x", "exit code 3", True, "exit code 3"),
        ("no_start", "x", "SyntaxError", False, "SyntaxError"),
        ("void", "interrupted by SIGTERM", "", True, "its match to try it is void (interrupted by SIGTERM)"),
        ("void", "host_late", "took longer than 1 s", True, "is void (host late: took longer than 1 s)"),
    ],
)
def test_judging_a_first_match(ending, reason, detail, starts, text):
    other, winner = ("void", None) if ending == "void" else ("won", 1)
    players = (PlayerResult(ending, detail=detail), PlayerResult(other))
    sanity = judge("a", MatchResult(players, Outcome(winner, reason)))
    assert sanity.starts == starts
    assert text in sanity.text


SOURCES = """
command = ["python", "-m", "arena_player", "main.py"]
[build]
command = ["cp", "main.txt", "main.py"]
output = ["main.py"]
"""


def write_bot(folder, name="bot", text="from saloon import AI\nclass B(AI): pass\n"):
    path = folder / name
    path.mkdir(parents=True)
    (path / "main.py").write_text(text)
    (path / "bot.toml").write_text(f'name = "{name}"\npython = "main.py"\n')
    (path / "saloon.py").write_text(module_source(find_game("saloon")))
    (path / "__pycache__").mkdir()
    (path / "__pycache__" / "junk.pyc").write_bytes(b"x")
    return path


@pytest.mark.parametrize("what", ["folder", "file", "no manifest", "archive", "own", "sources"])
def test_each_kind_of_bot_is_copied_and_moved_as_it_is(tmp_path, what):
    path = write_bot(tmp_path)
    if what in ("file", "no manifest"):
        (path / "bot.toml").unlink()
    if what == "sources":
        (path / "main.py").rename(path / "main.txt")
        (path / "bot.toml").write_text(SOURCES)
    others = {"file": path / "main.py", "own": builtin_bot(find_game("saloon"), "rowdy")}
    if what == "archive":
        others[what] = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", path))
    bot = load_bot(others.get(what, path), cache=tmp_path / "cache")
    copied = copy_bot(bot, tmp_path)
    assert load_bot(tmp_path / copied).content_hash == bot.content_hash
    assert copy_bot(bot, tmp_path) == copied
    assert not list((tmp_path / "bots").glob(".*"))
    if what == "own":
        return  # its files stay where they are installed
    moved = tmp_path / "moved" / copy_path(bot.content_hash)
    assert move_bot(bot, tmp_path / "moved") == copied
    assert copy_defect(moved, bot.content_hash) == ""
    assert move_bot(load_bot(tmp_path / copied), tmp_path / "moved") == copied
    (moved / "more.py").write_text("")
    with pytest.raises(ArenaError, match="was changed"):
        move_bot(load_bot(tmp_path / copied), tmp_path / "moved")


@pytest.mark.parametrize("what", ["folder", "file"])
def test_copies_have_no_caches_and_what_is_added_to_them_is_found(tmp_path, what):
    path = write_bot(tmp_path)
    (path / "pkg" / "__pycache__").mkdir(parents=True)
    (path / "pkg" / "__init__.py").write_text("")
    (path / "pkg" / "__pycache__" / "junk.pyc").write_bytes(b"x")
    if what == "file":
        (path / "bot.toml").unlink()
        path = path / "main.py"
        path.write_text("import pkg\n" + path.read_text())
    bot = load_bot(path)
    folder = tmp_path / copy_path(bot.content_hash)
    assert load_bot(tmp_path / copy_bot(bot, tmp_path)).content_hash == bot.content_hash
    assert copy_defect(folder, bot.content_hash) == ""
    assert not list(folder.rglob("__pycache__"))
    (folder / "pkg" / "__pycache__").mkdir()
    (folder / "pkg" / "__pycache__" / "junk.pyc").write_bytes(b"x")
    assert copy_defect(folder, bot.content_hash) == "was changed"


def test_bots_are_found_and_broken_ones_named(tmp_path):
    write_bot(tmp_path / "many", "alice")
    write_bot(tmp_path / "many", "bob", "def broken(:\n")
    (tmp_path / "many" / "notes.txt").write_text("no bot")
    bots = (BotEntry("many", many=True), BotEntry("builtin:rowdy", "house"), BotEntry("nowhere.py"))
    config = ContestConfig(name="x", bots=bots, game="saloon")
    found, broken = find_bots(config, tmp_path, load("saloon"))
    assert [one.name for one in found] == ["alice", "house"]
    assert [Path(one.reference).name for one in broken] == ["bob", "nowhere.py"]
    strict = tmp_path / "strict.toml"
    strict.write_text(
        '[contest]\nname = "x"\ngame = "saloon"\nbroken_bots = "refuse"\n'
        '[[bots]]\npath = "many"\nmany = true\n[[stages]]\nformat = "round_robin"\n'
    )
    with pytest.raises(ArenaError, match="bob cannot take part") as caught:
        survey(*read_config_file(strict), strict)
    assert caught.value.exit_code == 5
    with pytest.raises(ArenaError, match=r"folder of bots .* does not exist"):
        find_bots(replace(config, bots=(BotEntry("gone", many=True),)), tmp_path, load("saloon"))


CUP = """
[contest]
name = "x"
game = "derelict"
isolation = "none"
[options]
turn_limit = 5
[[bots]]
path = "builtin:veteran"
[[bots]]
path = "builtin:gambler"
name = "lucky"
[[stages]]
format = "round_robin"
"""


def test_bots_are_entered_with_copies_and_a_match_to_try_each(tmp_path):
    path, tried = tmp_path / "cup.toml", []
    game = find_game("derelict")
    path.write_text(CUP.replace("gambler", game.bots[0].name))
    with open_contest(path) as opened:
        assert folder_of(path) == tmp_path / "cup" == opened.folder
        assert opened.config.rules.legs == game.legs == 2
        roster = survey(opened.config, game, path, opened.state)
        with contextlib.closing(make_engine(opened, copies=roster.copies)) as engine:
            enter(opened, roster, engine, tried.append)
        assert list(opened.state.entrants) == opened.state.playing() == ["veteran", "lucky"]
        versions = [opened.state.active(name) for name in opened.state.entrants]
        assert all(copy_defect(opened.folder / copy_path(one.hash), one.hash) == "" for one in versions)
        assert [(one.name, one.plays) for one in tried] == [("veteran", True), ("lucky", True)]
        before = opened.state.number
        enter(opened, survey(opened.config, game, path, opened.state), None, tried.append)
        assert opened.state.number == before, "nothing has changed"


def test_other_groups_of_a_bot_are_a_change_and_are_entered(tmp_path):
    path, groups = tmp_path / "cup.toml", '[groups]\nnew = "New"\nold = "Old"\n'
    for before, now in ((None, "[]"), ("[]", '["new"]'), ('["new"]', '["old", "new"]')):
        path.write_text(
            CUP.replace("gambler", "castaway")
            .replace("[[bots]]", groups + "[[bots]]", 1)
            .replace('"lucky"', f'"lucky"\ngroups = {now}')
        )
        with open_contest(path) as opened:
            roster = survey(opened.config, opened.game, path, opened.state)
            assert ("the groups of the bot lucky" in roster.changes) == (before is not None)
            enter(opened, roster, None, print)
            assert list(opened.state.entrants["lucky"].groups) == json.loads(now)
            assert survey(opened.config, opened.game, path, opened.state).changes == []
            assert read_contest(opened.folder).entrants == opened.state.entrants


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [("turn_limit", "turn_limt", "turn_limt"), ('"x"', '"x"\nmaps = ["nowhere"]', "nowhere")],
)
def test_a_wrong_option_or_map_is_named_before_anything_is_begun(tmp_path, old, new, named):
    (tmp_path / "cup.toml").write_text(CUP.replace(old, new))
    with pytest.raises(ArenaError, match=named), open_contest(tmp_path / "cup.toml"):
        pass
    assert not (tmp_path / "cup").exists()


def test_the_copy_of_a_file_that_imports_main_plays_the_file(tmp_path):
    (tmp_path / "main.py").write_text("import bot\n")
    (tmp_path / "bot.py").write_text("import main\n")
    league = tmp_path / "league"
    for program in ("bot.py", "main.py"):
        copy = copy_bot(load_bot(tmp_path / program), league)
        assert load_bot(league / copy).entry == program


def test_a_match_that_cannot_be_played_is_not_blamed_on_the_bot(tmp_path):
    path = tmp_path / "cup.toml"
    path.write_text(CUP.replace("gambler", "veteran"))
    with open_contest(path) as opened:
        opened.config = replace(opened.config, options=(("nonsense", 1),))
        roster = survey(opened.config, opened.game, path, opened.state)
        message = "the bot is not the cause: The option nonsense is not known here"
        with (
            contextlib.closing(make_engine(opened, copies=roster.copies)) as engine,
            pytest.raises(ArenaError, match=message) as caught,
        ):
            enter(opened, roster, engine, print)
    assert caught.value.exit_code == ExitCode.BAD_OPTION
