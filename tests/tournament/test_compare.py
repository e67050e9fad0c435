"""Comparing two bots: pairs, stops, and what is reported."""

import json
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tournament_toys import result_of

from arena.cli.compare import lines, report, sprt_of
from arena.errors import ArenaError
from arena.tournament.plan.config import Entrant
from arena.tournament.plan.ratings.sprt import Sprt
from arena.tournament.run.compare import Comparer, Subject
from arena.tournament.run.engines.engine import ExecutorEngine

ARENA = str(Path(sys.executable).with_name("arena"))
SUBJECT = Subject("toy", Entrant("new", "1"), Entrant("old", "2"), ("a", "b"), (), "secret")


def run(decide, most=100, test=None, threads=3, **options):
    engine = ExecutorEngine(ThreadPoolExecutor(threads), decide, window=threads)
    comparer = Comparer(SUBJECT, engine, most, test, **options)
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
    document = report(comparison, "new", "old", Sprt(0.0, 60.0))
    assert document["sprt"]["decision"] == "elo0"
    assert "it is not 60 Elo stronger" in lines(document)[-1]


def test_bad_endings_are_named_by_bot():
    def decide(spec):
        old = spec.names.index("old")
        endings = ["won", "won"]
        endings[old] = "crashed"
        return result_of(1 - old, tuple(endings))

    comparison = run(decide, 10)
    assert comparison.endings[0] == {}
    assert comparison.endings[1] == {"crashed": 10}
    assert "old: 10 crashed" in lines(report(comparison, "new", "old", None))


def test_void_matches_are_played_again_and_faults_end_it():
    seen = set()

    def void_once(spec):
        void = "" if spec.match_id in seen else "late"
        seen.add(spec.match_id)
        return result_of(0, void=void)

    comparison = run(void_once, 6, threads=1)
    assert comparison.games == 6
    assert comparison.replays == 6

    def broken(spec):
        raise OSError("no processes")

    with pytest.raises(ArenaError, match="cannot be played: no processes"):
        run(broken, 6)


def test_it_can_be_stopped():
    engine = ExecutorEngine(ThreadPoolExecutor(2), chance(50), window=2)
    comparer = Comparer(SUBJECT, engine, 1_000_000)
    threading.Timer(0.2, comparer.stop).start()
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
def test_the_command(tmp_path):
    words = ["compare", "saloon", "builtin:pianist", "builtin:rowdy", "--games", "4", "-o", "max_turns=30", "--json"]
    done = subprocess.run([ARENA, *words], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["bots"] == ["pianist", "rowdy"]
    assert document["games"] == 4
    assert document["wins"] == 4
    assert list(tmp_path.iterdir()) == []
    done = subprocess.run(
        [ARENA, "compare", "saloon", "builtin:pianist", "nobody.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "no bot at nobody.py" in done.stderr
    assert "Traceback" not in done.stderr
