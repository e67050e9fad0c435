"""A verdict within a minute: the check, games up to a limit of time, and the lesson of a lost game."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from contest_commands import arena
from contests_toys import ExecutorEngine, Futures, result_of

from arena.contests.strength.climb import RungResult
from arena.contests.strength.climb_report import RungReport, StudiedLoss
from arena.contests.strength.compare import Comparer, Comparison, Subject
from arena.contests.strength.verdict import Verdict
from arena.match.lookup import find_game
from arena.match.spec import NamedBot
from arena.study.checks.client import ClientReport, ReportLine

SUBJECT = Subject("toy", NamedBot("new", "1"), NamedBot("old", "2"))
CHECK = ClientReport("mine", (ReportLine("reads", passed=True),))
VERDICT = Verdict("saloon", "Saloon", "1.0", "mine", "00", "pianist", 2, "seed", CHECK, None)
RANDOM = """
from arena_player import AI

class Bot(AI):
    wants_legal_actions = True

    def run_turn(self):
        self.act(self.random_action())
"""


def test_the_time_ends_a_comparison_and_pairs_are_whole():
    def slow(spec):
        time.sleep(0.01)
        return result_of(0)

    engine = ExecutorEngine(ThreadPoolExecutor(2), slow, window=2)
    comparison = Comparer(SUBJECT, engine, 1_000_000, until=time.monotonic() + 0.2).run()
    engine.close()
    assert 0 < comparison.games < 1000
    assert comparison.games % 2 == 0


def test_a_match_that_does_not_end_ends_no_verdict_late():
    begin = time.monotonic()
    assert Comparer(SUBJECT, Futures(), 10, until=begin + 0.1).run().games == 0
    assert 0.1 <= time.monotonic() - begin < 2


def rung(**counts):
    result = RungResult("pianist", Comparison(**counts))
    return RungReport.of(result, find_game("saloon").bots[1])


def test_without_a_whole_pair_it_says_what_to_do():
    lines = replace(VERDICT, rung=rung()).lines()
    assert lines == [
        "mine against pianist in Saloon: not decided",
        "No pair of games ended in time. `--seconds N` gives more time.",
    ]


def test_long_texts_are_cut():
    lesson = {"from_turn": 1, "to_turn": 3, "text": "x" * 900, "price": {"value": 0.1, "low": 0.05, "high": 0.2}}
    loss = {"replay": "a", "player": 0, "cause": "lost", "message": "y" * 900, "explain": "arena explain a"}
    held = replace(rung(games=10, losses=10), decision="held", lesson="z" * 900)
    lines = replace(VERDICT, rung=replace(held, loss=StudiedLoss(**loss)), lessons=(lesson,)).lines()
    assert len("\n".join(lines)) < 900  # about 200 tokens
    assert "Cost: 10 % (5 to 20)" in lines[-2]  # the price is never cut off


@pytest.mark.process
def test_a_bot_that_fails_the_check_plays_no_game(tmp_path):
    (tmp_path / "bot.py").write_text("raise RuntimeError('at import')")
    words = ("verdict", "snakes", "bot.py", "--against", "builtin:hatchling")
    done = arena(*words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "RuntimeError: at import at bot.py, line 1" in done.stdout
    document = json.loads(arena(*words, "--json", cwd=tmp_path).stdout)
    assert (document["decision"], document["rung"], document["check"]["passed"]) == ("broken", None, False)
    assert not (tmp_path / "climb").exists()


def verdict(folder, *words):
    (folder / "bot.py").write_text(RANDOM)
    given = ("verdict", "snakes", "bot.py", "--against", "builtin:hatchling", "-o", "players=2", "--json")
    done = arena(*given, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.process
def test_a_verdict_in_memory(tmp_path):
    document = verdict(tmp_path, "--in-memory", "--seconds", "6")  # too short for playouts
    assert document["decision"] in ("not_stronger", "undecided")  # on a busy machine there are few games
    assert document["check"] is None
    assert document["rung"]["loss"]["replay"].startswith("climb/snakes/")


@pytest.mark.kill  # the playouts of an explanation
@pytest.mark.process
def test_a_verdict_names_the_lesson_of_a_loss(tmp_path):
    document = verdict(tmp_path, "--seconds", "20")
    assert (document["decision"], document["check"]["passed"]) == ("not_stronger", True)
    assert document["lessons"][0]["price"]["value"] > 0
    assert document["seconds"] < 20
