"""Explanations of real matches: one is computed with playouts, the others with drawn results of playouts."""

from __future__ import annotations

import json
import time
from collections import Counter
from functools import cache
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from click.testing import CliRunner
from contradictions import contradictions
from drawn import DrawnPool

import arena_derelict
from arena.cli import cli
from arena.game.action import LEAVE
from arena.match.limits import Policy
from arena.match.lookup import find_game
from arena.match.position import ReplayPosition
from arena.play.memory import play_in_memory
from arena.study.coach.advice import with_commands
from arena.study.coach.causes import causes_of
from arena.study.coach.checks import check_lessons
from arena.study.coach.curve import Curve
from arena.study.coach.explaining import Explainer, Explanation, bots_for
from arena.study.coach.losses import loss_of, played_by
from arena.study.coach.playing_bots import bot_class
from arena.study.coach.playouts import noise_of
from arena.study.coach.questions import InProcessPool, Questions
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.report import conclusion, document_of, lost_in_words, recovered, steepest_fall, text_of
from arena.study.coach.stored import cache_path, explanation_of
from arena.study.replaying.positions import position_at, state_at
from arena_replays import Reader

REPLAYS = Path(__file__).parents[1] / "replays"
SUICIDE = REPLAYS / "suicide.arena"
DERELICT_MAPS = Path(arena_derelict.__file__).parent / "maps"
SMALL = {"saloon": {"width": 12, "height": 8, "max_turns": 40}, "snakes": {"size": 7}}
"""Options with which playouts take little time."""
GAMES = {
    "saloon": (["sheriff", "pianist"], SMALL["saloon"]),
    "laser_flag": (["sergeant", "rookie"], {}),
    "derelict": (["veteran", "castaway"], {}),
    "snakes": (["forager", "hatchling", "hatchling"], {"players": 3, **SMALL["snakes"]}),
}
STRONG, OTHER = (
    {"saloon": "pianist", "laser_flag": "sergeant", "derelict": "veteran", "snakes": "forager"},
    {"saloon": "rowdy", "laser_flag": "rookie", "derelict": "castaway", "snakes": "hatchling"},
)
"""Who plays on here, and for the doubt: bots that are fast."""


@pytest.fixture(scope="module")
def replays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replays")
    for game, (bots, options) in GAMES.items():
        names = [f"builtin:{bot}" for bot in bots]
        play_in_memory(game, names, seed=5, options=options, replay=folder / f"{game}.arena")
    return folder


def explain(pool, players=(), budget=1e6):
    explanation = Explanation(pool.questions.match)
    game = explanation.match.game.name
    explanation.bots = [f"builtin:{bots[game]}" for bots in (STRONG, OTHER)]
    for _ in Explainer(explanation, pool, budget, players).run():
        pass
    return explanation


def drawn(path, seed=1):
    return explain(DrawnPool(Questions(str(path)), seed))


@pytest.fixture(scope="module")
def explained(replays):
    """Return an explanation from drawn results; each is computed once."""
    return cache(lambda name: drawn(replays / f"{name}.arena"))


pytestmark = pytest.mark.process


def test_a_void_match_has_no_result(replays):
    match = RecordedMatch.of_file(replays / "saloon.arena")
    match.reader.footer["outcome"] = {"winner": None, "reason": "interrupted by SIGTERM"}
    for player in match.reader.footer["players"]:
        player["ending"] = "void"
    assert match.result is None


@pytest.mark.parametrize("game", GAMES)
def test_the_parts_of_a_match_lead_to_its_end(replays, game):
    match = RecordedMatch.of_file(replays / f"{game}.arena")
    rng = Random(1)
    assert [part.index for part in match.parts] == list(range(len(match.parts)))
    assert match.parts[0].turn == 1
    for part in rng.sample(match.parts, min(6, len(match.parts))):
        assert part.player in part.state.to_move()
        assert part.actions
        assert LEAVE not in part.actions
    assert match.end.outcome() is not None
    assert sum(match.result) == pytest.approx(1)


@pytest.mark.parametrize("game", ["saloon", "derelict", "snakes"])
def test_a_bot_that_played_chooses_again_what_it_did(replays, game):
    questions = Questions(str(replays / f"{game}.arena"))
    parts = [part for part in questions.match.parts if part.player == 0][:4]
    same = [questions.choose(f"builtin:{GAMES[game][0][0]}", part.index) == part.actions for part in parts]
    assert sum(same) >= len(parts) - 1  # a bot's own random numbers may differ


@pytest.mark.parametrize("game", GAMES)
def test_playouts_end_and_repeat(replays, game):
    questions = Questions(str(replays / f"{game}.arena"))
    middle = len(questions.match.parts) // 2
    before = questions.match.parts[middle].state.digest()
    first, again = (questions.values(middle, f"builtin:{STRONG[game]}", 99, [1, 2, 3]) for _ in range(2))
    assert first == again
    assert all(sum(shares) == pytest.approx(1) for shares in first)
    world = questions.match.parts[middle].player if questions.match.end.hides_information() else None
    for actions in (None, questions.match.parts[middle].actions):
        line = questions.line(middle, actions, world, f"builtin:{STRONG[game]}", [1, 2])
        assert all(sum(shares) == pytest.approx(1) for shares in line)
    assert questions.match.parts[middle].state.digest() == before


def test_playouts_from_the_same_opening_differ_from_match_to_match(replays, tmp_path):
    play_in_memory("laser_flag", ["builtin:sergeant", "builtin:rookie"], seed=6, replay=tmp_path / "other.arena")
    one, other = (Questions(str(path)) for path in (replays / "laser_flag.arena", tmp_path / "other.arena"))
    assert one.match.state_before(0).digest() == other.match.state_before(0).digest()
    assert one.values(0, "builtin:rookie", 99, range(4)) != other.values(0, "builtin:rookie", 99, range(4))


@pytest.mark.parametrize("game", ["saloon", "snakes"])
def test_an_explanation_has_a_curve_for_each_player(explained, game):
    explanation = explained(game)
    document = document_of(explanation)
    json.dumps(document)
    assert document["stage"] == ""
    assert len(document["win"]) == len(document["players"]) == explanation.match.players
    for rows in document["win"]:
        assert [row["turn"] for row in rows] == list(range(1, document["turns"] + 1))
        assert all(0 <= row["low"] <= row["before"] <= row["high"] <= 1 for row in rows)
        assert all(one["after"] == other["before"] for one, other in pairwise(rows))
        assert any(row["playouts"] for row in rows)
    ends = [rows[-1]["after"] for rows in document["win"]]
    assert ends == pytest.approx(explanation.match.result)
    for turn in zip(*document["win"], strict=True):
        assert sum(row["before"] for row in turn) == pytest.approx(1, abs=0.01)


def test_between_two_positions_the_interval_is_as_wide_as_both(explained):
    curve, parts = explained("saloon").curve, explained("saloon").match.parts
    known = [part.index for part in parts if curve.has_playouts(part.index)]
    one, other = next(pair for pair in pairwise(known) if pair[1] - pair[0] > 1)
    first, between, last = (curve.win(index, 0) for index in (one, one + 1, other))
    assert between.playouts == 0
    assert between.low == min(first.low, last.low)
    assert between.high == max(first.high, last.high)


def test_the_time_is_over_after_three_playouts_of_a_slow_bot(explained):
    match, asked = explained("saloon").match, []

    class SlowPool:
        processes = 1

        def ask(self, questions, deadline):
            for number, (_, index, *_, seeds) in enumerate(questions[: 3 - len(asked)]):
                asked.append(index)
                yield number, [match.result] * len(seeds)

    for _ in Curve(match, ["builtin:sheriff"], 1.0).run(SlowPool(), [0], inf):
        pass
    assert len(asked) == 3
    assert max(asked) - min(asked) > len(match.parts) / 2


def test_no_playout_of_the_curve_begins_after_its_deadline(replays):
    pool = InProcessPool(replays / "saloon.arena")
    curve = Curve(pool.questions.match, ["builtin:sheriff"], 1.0)
    for _ in curve.run(pool, [0], monotonic()):
        pass
    assert curve.playouts == 0
    assert curve.win(5, 0).low == 0


def test_orders_name_the_unit_that_carries_them_out_also_if_the_action_does_not(replays):
    match = RecordedMatch.of_file(replays / "derelict.arena")
    part = next(part for part in match.parts if any(action["type"] == "move" for action in part.actions))
    moves = [words for words in match.orders_in_words(part, 50) if " moves to " in words]
    assert moves
    assert all(words.startswith(("marine m", "alien a", "blip a")) for words in moves)


def test_what_players_lost_in_a_stretch_is_counted_by_kind(tmp_path):
    replay = tmp_path / "match.arena"
    options = {"mission": json.loads((DERELICT_MAPS / "airlock.json").read_bytes())}
    play_in_memory("derelict", ["builtin:veteran"] * 2, seed=0, options=options, replay=replay)
    match = RecordedMatch.of_file(replay)
    lost = match.lost(match.parts[0], match.parts[-1])
    assert lost == [Counter(marine=1), Counter(alien=2)]
    assert lost_in_words(match, 1, match.parts[0], match.parts[-1]) == [
        "You lost 2 aliens, and veteran (1) lost 1 marine."
    ]
    assert lost_in_words(match, 1, match.parts[0], match.parts[0]) == []


@pytest.fixture(scope="module")
def recorded(replays):
    return [Questions(str(path)) for path in (*(replays / f"{name}.arena" for name in GAMES), SUICIDE)]


@pytest.mark.parametrize("seed", range(20))
def test_no_explanation_contradicts_itself_whatever_the_playouts_say(recorded, seed):
    questions = recorded[seed % len(recorded)]
    explanation = explain(DrawnPool(questions, seed), range(questions.match.players))  # also winners are judged
    assert list(contradictions(document_of(explanation))) == []


def test_the_one_turn_that_lost_a_match_is_named_and_confirmed():
    pool = InProcessPool(SUICIDE)
    document = document_of(explain(pool), 600.0)
    stored = json.loads((REPLAYS / "suicide.explain.json").read_bytes())
    assert document | {"seconds": 0.0} == stored, "keep the new one in tests/replays/suicide.explain.json"
    assert list(contradictions(document)) == []
    lesson = document["lessons"][0]
    assert (lesson["player"], lesson["kind"], lesson["from_turn"], lesson["to_turn"]) == (0, "hit_something", 10, 10)
    assert document["fall"][0]["to_turn"] == 10
    assert document["summary"] == ["Turn 10: You ran into your own body. Down was free.", ""]
    first, *_ = checked = check_lessons(pool.questions.match, pool, document, 600)
    assert first["confirmed"]
    assert first["price"] != lesson["price"], "the dice are new"
    assert [one["kind"] for one in checked] == [one["kind"] for one in document["lessons"]]


def test_what_costs_nothing_is_not_confirmed():
    pool = InProcessPool(SUICIDE)
    lesson = {"player": 0, "kind": "bots_choice", "from_turn": 2, "to_turn": 2}
    document = {"playouts": {"bot": "hatchling"}, "lessons": [lesson]}
    [checked] = check_lessons(pool.questions.match, pool, document, 60)
    assert not checked["confirmed"], "this turn was right"


def test_a_turn_that_the_other_player_interrupts_has_several_parts(tmp_path):
    """In Derelict a decision of the other player can interrupt a turn."""
    path = tmp_path / "derelict.arena"
    play_in_memory("derelict", ["builtin:veteran", "builtin:veteran"], seed=3, replay=path)
    match = RecordedMatch.of_file(path)
    turns = Counter((part.turn, part.player) for part in match.parts)
    (turn, player), _ = turns.most_common(1)[0]
    first, second, *_ = [part for part in match.parts if (part.turn, part.player) == (turn, player)]
    assert first.action + len(first.actions) < second.action
    assert state_at(path, turn, second.action).digest() == second.state.digest()


def rows(*values):
    """Return a curve with these win probabilities before the turns, and after the last one."""
    return [
        {"turn": at, "before": one, "low": one - 0.1, "high": one + 0.1, "after": after, "playouts": 8}
        for at, (one, after) in enumerate(pairwise(values), 1)
    ]


def stretch_of(fall):
    return fall.first["turn"], fall.last["turn"]


@pytest.mark.parametrize(
    ("values", "stretch"),
    [
        ((0.5, 0.6, 0.45, 0.5, 0.5), None),
        ((0.5, 0.9, 0.85, 0.3, 0.25, 0.3), (3, 3)),
        ((0.8, 0.7, 0.6, 0.5, 0.4, 0.3), (1, 3)),
        ((0.8, 0.8, 0.75, 0.0), (3, 3)),
        ((), None),
    ],
)
def test_the_steepest_fall_is_short_and_larger_than_the_intervals(values, stretch):
    fall = steepest_fall(rows(*values), range(10), 1.0)
    assert (fall and stretch_of(fall)) == stretch


def test_a_fall_begins_in_an_own_turn_and_is_more_than_the_end_of_a_lost_match():
    values = (0.9, 0.9, 0.4, 0.1, 0.0)
    assert stretch_of(steepest_fall(rows(*values), {1, 3})) == (1, 2)
    assert stretch_of(steepest_fall(rows(*values), {3})) == (3, 3)
    assert steepest_fall(rows(*values), {4}) is None
    assert not steepest_fall(rows(0.25, 0.25, 0.0), {1, 2}).certain


def test_of_a_fall_over_most_of_the_match_the_steepest_part_is_told():
    values = (0.9, 0.85, 0.8, 0.75, 0.55, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15)
    curve = [row | {"low": row["before"] - 0.3, "high": row["before"] + 0.3} for row in rows(*values)]
    fall = steepest_fall(curve, range(20))
    assert (stretch_of(fall), fall.certain) == ((4, 5), False)


def test_a_fall_within_the_intervals_is_found_where_it_is_large():
    curve = [row | {"low": 0.0, "high": 1.0} for row in rows(0.4, 0.38, 0.1, 0.05)]
    fall = steepest_fall(curve, range(10))
    assert (stretch_of(fall), fall.certain) == ((2, 2), False)
    assert steepest_fall(curve, range(10), 0.5) is None


@pytest.mark.parametrize(
    ("is_certain", "text"),
    [
        (True, "The win probability fell in turn 7, from 40 % (20 to 60) to 0 % (0 to 19)."),
        (
            False,
            "The win probability seems to have fallen in turn 7, from 40 % (20 to 60) to 0 % (0 to 19). "
            "There were too few playouts to be sure.",
        ),
    ],
)
def test_a_fall_that_is_not_certain_is_told_as_such(is_certain, text):
    before, after = {"value": 0.4, "low": 0.2, "high": 0.6}, {"value": 0.0, "low": 0.0, "high": 0.19}
    fall = {"from_turn": 7, "to_turn": 7, "certain": is_certain, "before": before, "after": after, "words": []}
    players = [{"name": "a", "ending": "lost"}, {"name": "b", "ending": "won"}]
    document = {"players": players, "cause": [{"turn": None}] * 2, "lessons": [], "fall": [fall, None]}
    assert conclusion(document | {"win": [[], []]}, 0) == text


def test_a_mistake_that_the_match_forgave_is_known():
    curve = rows(0.5, 0.2, 0.47, 0.1, 0.0)
    assert recovered(curve, 1, 1)
    assert not recovered(curve, 3, 3)
    assert not recovered(curve, 1, 3), "a habit that lasted until the end"
    assert not recovered(rows(0.04, 0.02, 0.0), 1, 1), "there was little to lose"


def test_a_choice_that_takes_too_long_is_given_up(replays):
    questions = Questions(str(replays / "laser_flag.arena"))
    part = next(part.index for part in questions.match.parts if part.player == 0)
    assert questions.choose("builtin:commander", part, 0.02) is None
    assert questions.cost("builtin:commander", 0.01) > 1


def test_a_choice_is_given_up_even_if_its_time_ends_in_a_finalizer(replays, monkeypatch):
    class Finalized:
        def __del__(self):
            compute(0.1)

    class Slow:
        def turn(self, *_):
            Finalized()
            compute(5)

    def compute(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    questions = Questions(str(replays / "laser_flag.arena"))
    monkeypatch.setattr(questions, "policy", lambda _: Slow())
    begun = time.process_time()
    assert questions.choose("builtin:commander", 0, 0.02) is None
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(
    ("played", "costs", "expected"),
    [
        (("rowdy", "pianist"), (0.1, 0.2, 0.3), ["sheriff", "pianist"]),
        (("rowdy", "rowdy"), (0.1, 0.2, 9.0), ["pianist"]),  # rowdy is weaker than the middle one
        (("sheriff", "rowdy"), (0.1, 0.2, 0.3), ["sheriff"]),  # pianist is weaker than one who played
        (("sheriff", "rowdy"), (0.1, 0.2, 3.0), ["sheriff"]),  # rather few playouts than those of a weaker one
        (("sheriff", "rowdy"), (0.1, 0.2, 9.0), ["pianist"]),
        (("rowdy", "rowdy"), (8.0, 8.5, 9.0), ["rowdy"]),
    ],
)
def test_nobody_plays_on_who_is_weaker_than_the_middle_bot_or_the_players(tmp_path, played, costs, expected):
    names = [f"builtin:{name}" for name in ("rowdy", "pianist", "sheriff")]

    class TimedPool:
        processes = 1

        def ask(self, questions):
            return ((number, costs[number]) for number, _ in enumerate(questions))

    path = tmp_path / "match.arena"
    bots = [f"builtin:{name}" for name in played]
    play_in_memory("saloon", bots, seed=1, options={**SMALL["saloon"], "max_turns": 2}, replay=path)
    found, seconds = bots_for(RecordedMatch.of_file(path), TimedPool(), 1.0)
    assert found == [f"builtin:{name}" for name in expected]
    assert seconds == costs[names.index(found[0])]


def test_a_failed_program_is_not_blamed_for_what_its_failure_lost(tmp_path):
    class Fails(bot_class(find_game("saloon"), "builtin:rowdy")):
        def run_turn(self):
            if self.turn > 3:
                raise RuntimeError("no plan")
            super().run_turn()

    path = tmp_path / "saloon.arena"
    play_in_memory("saloon", [Fails, "builtin:pianist"], seed=1, options=SMALL["saloon"], replay=path)
    document = document_of(drawn(path))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["summary"][0] == document["cause"][0]["message"]
    assert "RuntimeError: no plan" in document["summary"][0]
    lines = text_of(with_commands(document, Reader(path), path, "a.arena"), 0)
    views = [line for line in lines if "arena view" in line]
    assert views[0] == "    arena view a.arena@5"
    assert "RuntimeError: no plan" in lines[lines.index(views[0]) - 1]
    assert list(contradictions(document)) == []


def test_a_program_that_fails_in_the_first_turn_is_explained(tmp_path):
    class Fails(bot_class(find_game("derelict"), "builtin:castaway")):
        def run_turn(self):
            raise RuntimeError("no plan")

    path = tmp_path / "derelict.arena"
    play_in_memory("derelict", [Fails, "builtin:castaway"], seed=1, replay=path)
    document = document_of(drawn(path))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["lessons"] == []


def test_time_outs_are_counted_and_named(tmp_path):
    now = [0.0]

    class Slow(bot_class(find_game("saloon"), "builtin:pianist")):
        def run_turn(self):
            if 10 <= self.turn < 30:
                now[0] += 11
            super().run_turn()

    path = tmp_path / "saloon.arena"
    policy = Policy(timeout="skip")
    bots = [Slow, "builtin:pianist"]
    options = SMALL["saloon"]
    play_in_memory("saloon", bots, seed=1, options=options, replay=path, policy=policy, read_clock=lambda: now[0])
    document = document_of(drawn(path))
    assert document["cause"][0]["message"].startswith("10 time-outs, the first in turn 11")
    assert {"player": 0, "words": "time-outs", "own": 10, "others": 0} in document["numbers"]


def test_how_each_snake_died_is_named(tmp_path):
    path = tmp_path / "snakes.arena"
    bots = ["builtin:forager", "builtin:constrictor", "builtin:hatchling", "builtin:forager"]
    play_in_memory("snakes", bots, seed=1, options={"players": 4}, replay=path)
    reader = Reader(path)
    things = reader.state_at(len(reader.turns) - 1)
    lost = [cause for cause in causes_of(reader) if cause.kind == "lost"]
    assert len(lost) == 3
    for cause in lost:
        own = next(one for one in things.values() if one.get("owner") == cause.player)
        assert f"Out in turn {own['eliminated_on']}" in cause.message
        assert f": {own['cause'].replace('-', ' ')}" in cause.message
    assert len({cause.message for cause in lost}) == 3


def test_playouts_of_long_matches_have_fewer_random_turns():
    assert [noise_of(parts) for parts in (0, 8, 40, 80, 400)] == [0.1, 0.1, 0.1, 0.05, 0.04]


def test_an_explanation_is_that_of_its_match_only(replays, explained_replay, tmp_path):
    full = explained_replay
    assert explanation_of(full)["win"]
    other = tmp_path / "other.arena"
    other.write_bytes((replays / "snakes.arena").read_bytes())
    cache_path(other).write_bytes(cache_path(full).read_bytes())
    assert explanation_of(other) == {}
    cache_path(full).write_text(cache_path(full).read_text()[:-40])
    assert explanation_of(full) == {}


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_the_command_computes_an_explanation_and_keeps_it(explained_replay):
    cache_path(explained_replay).unlink()
    first = run("explain", explained_replay, "--budget", "2", "--check", "--json")
    assert first.exit_code in (0, 1), first.output
    document = json.loads(first.stdout)
    kept = explanation_of(explained_replay)
    assert kept["playouts"]["count"] > 0
    assert document == kept | {"checked": document["checked"]}
    assert len(document["checked"]) == len(document["lessons"])
    assert first.exit_code == (not all(one["confirmed"] for one in document["checked"]))
    wrong = run("explain", explained_replay, "--player", "7")
    assert wrong.exit_code == 4
    assert "no player 7" in wrong.stderr


def test_the_command_prints_a_kept_explanation(explained_replay, tmp_path):
    kept, page = cache_path(explained_replay).read_bytes(), tmp_path / "page.html"
    text = run("explain", explained_replay).stdout
    document = json.loads(run("explain", explained_replay, "--json").stdout)
    assert run("explain", explained_replay, "--html", page).stdout == ""
    assert "Suicide (lost)" in text
    assert "Out in turn 10" in text
    assert f"    arena view {explained_replay}@10" in text
    assert {"players", "win", "cause", "lessons", "fall", "numbers", "summary"} <= set(document)
    assert document["summary"][0].rstrip(".") in page.read_text()
    assert cache_path(explained_replay).read_bytes() == kept
    moved = explained_replay.rename(tmp_path / "moved.arena")
    cache_path(explained_replay).rename(cache_path(moved))
    assert f"arena view {moved}@" in str(explanation_of(moved)), "commands name the file where it is now"
    assert explained_replay.name not in str(explanation_of(moved))


def test_a_match_from_a_position_is_explained_with_the_turns_that_it_has(replays, tmp_path):
    path = tmp_path / "saloon.arena"
    start = position_at(ReplayPosition(str(replays / "saloon.arena"), 30))
    play_in_memory("saloon", ["builtin:rowdy", "builtin:sheriff"], seed=1, start=start, replay=path)
    explanation = drawn(path)
    count = len({part.turn for part in explanation.match.parts})
    document = document_of(explanation)
    assert [row["turn"] for row in document["win"][0]] == list(range(30, 30 + count))
    assert document["turns"] == count < 30
    loser = explanation.match.result.index(0)
    [lost] = played_by(document["players"][loser]["name"], [path])
    assert lost.played_on
    without = loss_of(lost, None)
    assert (without.turn, without.turns, without.phase) == (30 + count - 1, count, "late")
    named = loss_of(lost, {"lessons": [{"player": loser, "kind": "blundered", "from_turn": 30}]})
    assert (named.cause, named.turn, named.phase) == ("blundered", 30, "early")
    text_of(document)
