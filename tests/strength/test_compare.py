"""Comparing two bots: pairs, stops, and what is reported."""

import json
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from contest_commands import arena
from contests_toys import ExecutorEngine, result_of

from arena.bots.builtin import module_source
from arena.cli.compare import sprt_of
from arena.contests.ratings.sequential import Sprt
from arena.contests.strength.climb import RungGame
from arena.contests.strength.compare import Comparer, Comparison, Subject
from arena.contests.strength.comparison_report import ComparisonReport
from arena.errors import ArenaError
from arena.game import Outcome
from arena.match.lookup import find_game
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import NamedBot

ARENA = str(Path(sys.executable).with_name("arena"))
SUBJECT = Subject("toy", NamedBot("new", "1"), NamedBot("old", "2"), (), ("a", "b"), (), "secret")


def run(decide, most=100, test=None, threads=3, subject=SUBJECT, **options):
    engine = ExecutorEngine(ThreadPoolExecutor(threads), decide, window=threads)
    comparer = Comparer(subject, engine, most, test, **options)
    try:
        return comparer.run()
    finally:
        engine.close()


def chance(percent):
    def decide(spec):
        rng = random.Random(spec.match_id)
        time.sleep(rng.random() * 0.002)
        new = spec.names.index("new")
        return result_of(new if rng.random() * 100 < percent else 1 - new)

    return decide


def test_pairs_have_one_seed_and_map_and_swapped_seats():
    first, second, third = (SUBJECT.spec(number) for number in range(3))
    assert first.names == second.names[::-1] == third.names
    assert (first.seed, first.map) == (second.seed, second.map)
    assert third.seed != first.seed
    assert (first.map, third.map) == ("a", "b")


def test_all_games_are_counted_for_the_first_bot():
    comparison = run(chance(100), most=31)
    assert (comparison.games, comparison.wins, comparison.losses) == (32, 32, 0)
    assert comparison.pairs.counts == [0, 0, 0, 0, 16]


def test_the_order_of_completion_changes_nothing():
    test = Sprt(0.0, 60.0)
    results = [run(chance(65), 10_000, test, threads=threads) for threads in (1, 4)]
    assert results[0].decision == results[1].decision == "elo1"
    assert results[0].pairs.counts == results[1].pairs.counts


def test_a_weaker_bot_is_found_out():
    comparison = run(chance(45), 10_000, Sprt(0.0, 60.0))
    assert comparison.decision == "elo0"
    report = ComparisonReport.of(comparison, ["new", "old"], Sprt(0.0, 60.0))
    assert report.sprt.decision == "elo0"
    assert "it is not 60 Elo stronger" in report.lines()[-1]


def test_an_open_test_says_how_far_its_evidence_is():
    test = Sprt(0.0, 10.0)
    comparison = run(chance(55), 200, test)
    report = ComparisonReport.of(comparison, ["new", "old"], test)
    share = report.sprt.evidence["elo1"]
    assert share == pytest.approx(report.sprt.ratio / report.sprt.bounds[1], abs=0.001)
    assert "not decided yet" in report.lines()[-2]
    left = report.lines()[-1]
    assert left.startswith(f"Evidence so far: {share:.0%} of what it takes to accept elo1, 0% of what it takes to ")
    assert "more games decide." in left


def always_the_same(spec):
    return replace(result_of(spec.names.index("new")), course=str(spec.names))


def test_equal_games_are_no_evidence():
    comparison = run(always_the_same, most=40)
    report = ComparisonReport.of(comparison, ["new", "old"])
    assert (report.games, report.result.wins, report.different_games) == (40, 40, 2)
    assert report.result.score == 1.0
    assert report.result.score_interval[0] < 0.3
    assert report.superiority == pytest.approx(0.75, abs=0.05)
    assert "Only 2 of the games are different" in report.lines()[-1]
    different = ComparisonReport.of(run(chance(100), most=40), ["new", "old"])
    assert different.different_games == 40
    assert different.superiority > 0.9999
    assert not any("Only" in line for line in different.lines())


def test_a_sequential_test_ends_if_games_only_repeat():
    test = Sprt(0.0, 10.0)
    comparison = run(always_the_same, 10_000, test)
    assert (comparison.games, comparison.decision) == (102, "")
    assert (
        "not decided, since the bots only repeat games"
        in ComparisonReport.of(comparison, ["new", "old"], test).lines()[-1]
    )


def test_two_bots_take_one_seat_in_turn_among_others():
    others = tuple(NamedBot(f"c{number}", "3") for number in range(3))
    subject = replace(SUBJECT, others=others)
    games = [subject.spec(number) for number in range(16)]
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert (first.seed, first.map) == (second.seed, second.map)
        assert [name.replace("new", "old") for name in first.names] == list(second.names)
    for map_name in subject.maps:
        on_map = [game.names for game in games if game.map == map_name and "new" in game.names]
        assert {names.index("new") for names in on_map} == {0, 1, 2, 3}
        assert all(len({names[seat] for names in on_map}) == 4 for seat in range(4))

    def decide(spec):
        """Let `new` be second, and `old` third."""
        ranks = {"new": 2, "old": 3, "c0": 1, "c1": 4, "c2": 5 - (2 if "new" in spec.names else 3)}
        players = tuple(PlayerResult("lost") for _ in spec.names)
        return MatchResult(players, Outcome(None, "toy", tuple(ranks[name] for name in spec.names)))

    names = ["new", "old", *(bot.name for bot in others)]
    report = ComparisonReport.of(run(decide, 40, subject=subject), names)
    assert report.result.points == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert report.result.difference == pytest.approx(1 / 3)
    low, high = report.result.difference_interval
    assert 0 < low < 1 / 3 < high < 1
    assert report.superiority > 0.95
    assert report.lines()[0] == "new and old, each in 20 games among c0, c1, c2"


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (Outcome(None, "toy", (1, 2, 3)), (1, 0, 0)),
        (Outcome(None, "toy", (3, 1, 1)), (0, 0, 1)),
        (Outcome(None, "toy", (2, 1, 3)), (0, 0, 1)),
        (Outcome(None, "toy", (1, 1, 3)), (0, 1, 0)),
        (Outcome(None, "toy", (1, 1, 1)), (0, 1, 0)),
        (Outcome.of_teams("toy", [(0, 1), (2,)], (1, 2)), (1, 0, 0)),
        (Outcome.of_teams("toy", [(0, 1), (2,)], (2, 1)), (0, 0, 1)),
        (Outcome.of_teams("toy", [(0, 1), (2,)], (1, 1)), (0, 1, 0)),
    ],
)
def test_games_among_others_are_counted_by_the_verdict_of_the_first_bot(outcome, counts):
    subject = replace(SUBJECT, others=(NamedBot("c", "3"), NamedBot("d", "4")))
    result = MatchResult(tuple(PlayerResult(outcome.verdict(seat)) for seat in range(3)), outcome)
    comparison = Comparison()
    comparison.add_pair(subject, [(subject.spec(0), result), (subject.spec(1), result)])
    assert (comparison.wins, comparison.draws, comparison.losses) == counts
    assert RungGame(0, result, Path()).lost == bool(comparison.losses)


def test_bad_endings_are_named_by_bot():
    def decide(spec):
        old = spec.names.index("old")
        endings = ["won", "won"]
        endings[old] = "crashed"
        return result_of(1 - old, tuple(endings))

    comparison = run(decide, 10)
    assert comparison.endings[0] == {}
    assert comparison.endings[1] == {"crashed": 10}
    assert "old: 10 crashed" in ComparisonReport.of(comparison, ["new", "old"]).lines()


def test_void_matches_are_played_again_and_faults_end_it():
    seen = set()

    def void_once(spec):
        void = "" if spec.match_id in seen else "late"
        seen.add(spec.match_id)
        return result_of(0, void=void)

    comparison = run(void_once, 6, threads=1)
    assert comparison.games == 6
    assert comparison.replays == 6

    def always_void(spec):
        return result_of(None, ("void", "void"), void="the referee gave no result: interrupted")

    with pytest.raises(ArenaError, match="Game 1 cannot be played: the referee gave no result: interrupted"):
        run(always_void, 2, threads=1)

    def broken(spec):
        raise OSError("no processes")

    with pytest.raises(ArenaError, match="cannot be played: no processes"):
        run(broken, 6)


def test_it_can_be_stopped():
    engine = ExecutorEngine(ThreadPoolExecutor(2), chance(50), window=2)
    comparer = Comparer(SUBJECT, engine, 1_000_000, report=lambda _: threading.Thread(target=comparer.stop).start())
    comparison = comparer.run()
    engine.close()
    assert 0 < comparison.games < 1_000_000


@pytest.mark.parametrize(
    ("words", "message"),
    [("elo0=5 elo1=5", "less than"), ("elo0=x", "NAME=NUMBER"), ("elo2=1", "no 'elo2'"), ("alpha=0.7", "between")],
)
def test_bad_tests_are_refused(words, message):
    with pytest.raises(ArenaError, match=message):
        sprt_of(words)


def test_good_tests_are_read():
    assert sprt_of("elo0=-5, elo1=5 beta=0.1") == Sprt(-5.0, 5.0, 0.05, 0.1)


@pytest.mark.process
def test_the_command_among_others(tmp_path):
    words = ["compare", "snakes", "builtin:constrictor", "builtin:hatchling", "builtin:hatchling", "--json"]
    done = arena(*words, "builtin:hatchling", "--games", "6", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["bots"] == ["constrictor", "hatchling (B)"]
    assert document["others"] == ["hatchling (1)", "hatchling (2)"]
    assert (document["games"], document["different_games"]) == (6, 6)
    assert document["points"][0] > 0.6
    done = arena(*words[:3], *["builtin:hatchling"] * 9, cwd=tmp_path)
    assert "snakes is for 2 to 8 players, not 9." in done.stderr


@pytest.mark.process
def test_names_stay_different_when_a_bot_already_has_a_sign_that_is_added(tmp_path):
    source = """from snakes import AI

class Bot(AI):
    def run_turn(self):
        self.snake.move("up")
"""
    for folder, name in (("p/a", "X"), ("q/a", "X"), ("c", "X (A)"), ("d", "X (2)"), ("e", "X")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "snakes.py").write_text(module_source(find_game("snakes")))
        (tmp_path / folder / "main.py").write_text(source)
        (tmp_path / folder / "bot.toml").write_text(f'name = "{name}"\npython = "main.py"\n')
    done = arena("compare", "snakes", "p/a", "q/a", "c", "--games", "2", "--json", "-o", "size=7", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["bots"] == ["X (A)", "X (B)"]
    assert document["others"] == ["X (A) (1)"]
    assert document["games"] == 2
    done = arena("play", "snakes", "p/a", "q/a", "d", "--json", "--replay", "none", "-o", "size=7", cwd=tmp_path)
    assert [player["name"] for player in json.loads(done.stdout)["players"]] == ["X (1)", "X (2)", "X (2) (3)"]
    done = arena("compare", "snakes", "p/a", "e", "c", "--games", "2", "--json", "-o", "size=7", cwd=tmp_path)
    assert json.loads(done.stdout)["bots"] == ["a", "e"]


@pytest.mark.process
def test_the_command(tmp_path):
    words = ["compare", "saloon", "builtin:pianist", "builtin:rowdy", "--games", "4", "-o", "max_turns=30", "--json"]
    done = arena(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["bots"] == ["pianist", "rowdy"]
    assert document["games"] == 4
    assert document["wins"] == 4
    assert list(tmp_path.iterdir()) == []
    done = arena("compare", "saloon", "builtin:pianist", "nobody.py", cwd=tmp_path)
    assert done.returncode != 0
    assert "There is no bot at nobody.py" in done.stderr
    assert "Traceback" not in done.stderr
