"""The ladder of built-in bots: the sequential test, the games of a rung, kept results, and the command."""

import json
import random
import re
import shlex
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from contest_commands import arena
from contests_toys import ExecutorEngine, result_of

from arena.cli.climb import _say_rung
from arena.contests.ratings.sequential import PairScores, PromotionTest, evidence_in_words, games_left
from arena.contests.strength.climb import KeepingEngine, Rung, RungGame, RungResult
from arena.contests.strength.climb_report import RungReport
from arena.contests.strength.compare import Comparer, Comparison
from arena.game import BuiltinBot
from arena.match.isolation import IN_MEMORY
from arena.match.lookup import find_game
from arena.match.spec import NamedBot

TEST = PromotionTest()
RUNG = Rung("saloon", NamedBot("mine", "A1"), NamedBot("boss rowdy", "B1"), secret="secret")


def pairs_of(**counts):
    pairs = PairScores()
    for name, count in counts.items():
        for _ in range(count):
            pairs.add({"won": 1.0, "even": 0.5, "lost": 0.0, "draw_and_win": 0.75}[name])
    return pairs


@pytest.mark.parametrize(
    ("counts", "decision"),
    [
        ({}, ""),
        ({"won": 7}, ""),
        ({"won": 8}, "promoted"),
        ({"lost": 4}, ""),
        ({"lost": 5}, "held"),
        ({"even": 10}, ""),
        ({"even": 60}, "held"),
        ({"draw_and_win": 40}, "promoted"),
        ({"won": 15, "lost": 15}, ""),
    ],
)
def test_clear_results_decide_soon(counts, decision):
    assert TEST.decide(pairs_of(**counts)) == decision


@pytest.mark.parametrize("counts", [{"won": 72, "lost": 48}, {"won": 40, "even": 30, "lost": 33}, {"won": 5}])
def test_an_open_test_says_how_many_games_are_missing(counts):
    """With as many more games of the same kind it decides, and with less it does not."""
    pairs = pairs_of(**counts)
    shares = TEST.progress(pairs)
    assert TEST.decide(pairs) == ""
    left = games_left(2 * pairs.pairs, pairs, TEST.progress)
    assert f"about {left} more games decide" in evidence_in_words(shares, left)
    assert TEST.decide(pairs.times(1 + 0.8 * left / 2 / pairs.pairs)) == ""
    assert TEST.decide(pairs.times(1 + 1.1 * left / 2 / pairs.pairs)) != ""


def test_games_that_favour_neither_promise_no_decision():
    pairs = pairs_of()
    assert games_left(0, pairs, TEST.progress) is None
    assert "favour neither" in evidence_in_words(TEST.progress(pairs), None)


def test_an_undecided_rung_says_what_is_missing(capsys):
    pairs = pairs_of(won=72, lost=48)
    result = RungResult("rowdy", Comparison(pairs, games=240, wins=144, losses=96))
    _say_rung(1, 5, RungReport.of(result, BuiltinBot("rowdy", Path("rowdy"), "")))
    shown = " ".join(capsys.readouterr().out.split())
    assert "not promoted, since not decided" in shown
    assert re.search(r"Evidence so far: \d+% of what it takes to be promoted, 0% of what it takes to be held", shown)
    assert "`--most N` plays up to N games." in shown


def seats_of(rung, count):
    return [rung.spec(number).names.index("mine") for number in range(count)]


def test_pairs_have_one_seed_and_swapped_seats():
    first, second, third = (RUNG.spec(number) for number in range(3))
    assert first.seed == second.seed != third.seed
    assert first.names == second.names[::-1]
    seats = seats_of(RUNG, 200)
    assert all(one != other for one, other in zip(seats[::2], seats[1::2], strict=True))
    assert 30 < sum(seats[::2]) < 70  # it is drawn who begins


def test_the_boss_has_all_other_seats():
    others = tuple(NamedBot(f"boss forager {number}", "B2") for number in (2, 3))
    rung = Rung("snakes", NamedBot("mine", "A1"), NamedBot("boss forager 1", "B2"), others, secret="secret")
    seats = seats_of(rung, 200)
    assert {seats.count(seat) // 20 for seat in range(4)} <= {1, 2, 3}
    assert all(abs(one - other) == 2 for one, other in zip(seats[::2], seats[1::2], strict=True))
    assert sorted(rung.spec(5).names) == ["boss forager 1", "boss forager 2", "boss forager 3", "mine"]


def test_another_version_of_a_bot_or_the_rules_gets_other_matches():
    ids = {RUNG.spec(0).match_id, Rung("saloon", NamedBot("mine", "A2"), RUNG.second, secret="secret").spec(0).match_id}
    assert len(ids) == 2
    assert find_game("saloon").version in RUNG.spec(0).tournament


def comparison(engine, most=240):
    try:
        return Comparer(RUNG, engine, most, TEST).run()
    finally:
        engine.close()


def deciding(chance, played):
    """An engine's function that plays in memory, and notes the matches that it played."""
    lock = threading.Lock()

    def decide(spec):
        with lock:
            played.append(spec.match_id)
        mine = spec.names.index("mine")
        result = result_of(mine if random.Random(spec.match_id).random() < chance else 1 - mine)
        players = tuple(replace(player, isolation=IN_MEMORY) for player in result.players)
        return replace(result, players=players, course="x")

    return decide


def test_finished_games_are_kept_and_not_played_again(tmp_path):
    path, played = tmp_path / "results.jsonl", []

    def engine():
        return KeepingEngine(ExecutorEngine(ThreadPoolExecutor(3), deciding(0.9, played), 3), path)

    first = comparison(engine(), most=10)
    assert (first.games, first.decision) == (10, "")
    assert len(played) == 10
    with path.open("a") as file:
        file.write('\n{"spec": {"stage": "cut of')  # as if the computer was switched off
    whole = comparison(engine())
    assert whole.decision == "promoted"
    assert sorted(set(played)) == sorted(played)
    count = len(played)
    again = comparison(engine())
    assert (again.games, again.wins, len(played)) == (whole.games, whole.wins, count)
    assert again.how == whole.how == "in memory (own bots only: no isolation, no processor clock)"
    path.unlink()
    anew = comparison(engine())
    assert (anew.games, anew.wins) == (whole.games, whole.wins)
    assert len(played) > count


def test_no_further_game_starts_if_the_kept_results_decide(tmp_path):
    path, played, submitted = tmp_path / "results.jsonl", [], []
    with ThreadPoolExecutor(1) as pool:
        whole = comparison(KeepingEngine(ExecutorEngine(pool, deciding(0.9, played), 1), path))
    assert whole.decision == "promoted"

    class Noting(ExecutorEngine):
        def submit(self, spec, attempt):
            submitted.append(spec.number)
            return super().submit(spec, attempt)

    with ThreadPoolExecutor(1) as pool:
        again = comparison(KeepingEngine(Noting(pool, deciding(0.9, played), 8), path))
    assert (again.games, submitted) == (whole.games, [])


def test_a_failed_program_is_studied_first_then_the_closest_loss(tmp_path):
    def game(name, ending, score, other):
        path = tmp_path / name
        path.write_text("")
        winner = 0 if ending == "won" else 1
        return RungGame(0, result_of(winner, (ending, "lost" if winner == 0 else "won"), (score, other)), path)

    far, near = game("far", "lost", 1.0, 9.0), game("near", "lost", 3.0, 4.0)
    crash, won = game("crash", "crashed", 0.0, 9.0), game("won", "won", 1.0, 0.0)
    assert RungResult("rowdy", Comparison(), (won, far, near)).loss is near
    assert RungResult("rowdy", Comparison(), (won, far, crash, near)).loss is crash
    assert RungResult("rowdy", Comparison(), (won,)).loss is None
    near.replay.unlink()
    assert RungResult("rowdy", Comparison(), (far, near)).loss is far


CRASHING = "from {game} import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        raise ValueError('no idea')\n"


@pytest.fixture
def crashing(tmp_path):
    """A bot that has the name of a boss, and fails in its first turn."""

    def write(game):
        folder = tmp_path / "mine"
        done = arena("new", game, str(folder), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (folder / "bot.py").write_text(CRASHING.format(game=game))
        (folder / "bot.toml").write_text(f'python = "bot.py"\nname = "boss {find_game(game).bots[0].name}"\n')
        return folder

    return write


@pytest.mark.process
def test_a_bot_that_crashes_stays_on_the_ground(tmp_path, crashing):
    crashing("saloon")
    done = arena("climb", "saloon", "mine", "--folder", "a b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"Rung 1 of \d\d, rowdy: not promoted", done.stdout)
    assert "10 games, +0 =0 -10, score 0%" in done.stdout
    assert "Your program failed: " in done.stdout
    assert "Learn next: Give each cowboy a useful command" in done.stdout
    assert re.search(r"boss rowdy beats 0 of \d\d bosses of Saloon. Next: rowdy.", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80
    command = next(line.strip() for line in done.stdout.splitlines() if line.strip().startswith("arena explain"))
    assert len(list(tmp_path.rglob("*.arena"))) >= 10
    losses = next(line for line in done.stdout.splitlines() if line.startswith("All losses: "))
    assert shlex.split(losses)[5].startswith("a b/saloon/")
    again = arena("climb", "saloon", "mine", "--folder", "a b", "--json", cwd=tmp_path)
    document = json.loads(again.stdout)
    (rung,) = document["rungs"]
    assert (document["beaten"], document["complete"], rung["decision"]) == (0, False, "held")
    assert rung["loss"]["cause"] == "crashed"
    assert rung["loss"]["explain"] == command
    assert "no idea" in rung["loss"]["message"]


@pytest.mark.kill  # one more climb
@pytest.mark.process
def test_a_ladder_of_more_than_two_players(tmp_path, crashing):
    crashing("snakes")
    done = arena("climb", "snakes", "mine", "-o", "players=3", "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["players"], document["beaten"]) == (3, 0)
    assert document["rungs"][0]["score"] < 0.2


@pytest.mark.process
def test_a_stronger_bot_is_promoted(tmp_path):
    bot = "forager?at_random=5"
    words = ("climb", "snakes", f"builtin:{bot}", "--most", "16", "-o", "players=2", "--in-memory", "--json")
    done = arena(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    *beaten, last = [rung["decision"] for rung in document["rungs"]]
    assert document["beaten"] == len(beaten) >= 1
    assert last != "promoted"
    assert document["bot"] == bot
    again = json.loads(arena(*words, cwd=tmp_path).stdout)
    for rung in (*document["rungs"], *again["rungs"]):
        del rung["played"]  # kept results do not say why they have no isolation
    assert again == document


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("saloon", "nobody.py"), 5, "There is no bot at nobody.py"),
        (("no_such_game", "builtin:rowdy"), 3, "no_such_game"),
        (("saloon", "builtin:rowdy", "-o", "pianos=many"), 4, "pianos"),
        (("snakes", "builtin:forager", "-o", "players=9"), 4, "players"),
    ],
)
@pytest.mark.process
def test_bad_input_is_refused(tmp_path, words, code, message):
    done = arena("climb", *words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
