"""Explanations of real matches, with few playouts: the same result on every machine."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from click.testing import CliRunner
from contradictions import contradictions
from drawn import DrawnPool

from arena.analysis.advice import with_commands
from arena.analysis.cached import cache_path, explanation_of, save
from arena.analysis.causes import causes_of
from arena.analysis.checks import checked
from arena.analysis.estimates import Estimate
from arena.analysis.explaining import Explainer, Explanation, Gain, compared
from arena.analysis.losses import loss_of, played_by
from arena.analysis.playouts import noise_of
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import check_in_words, document_of, falling, text_of
from arena.analysis.worker import Worker, bot_class
from arena.cli import cli
from arena.errors import ArenaError
from arena.game.action import LEAVE
from arena.match.lookup import find_game
from arena.match.policy import Policy
from arena.match.position import ReplayPlace
from arena.memory import play_in_memory
from arena.replaying.places import state_at
from arena.replaying.positions import position_at
from arena_replays import Reader

SMALL = {"saloon": {"width": 12, "height": 8, "max_turns": 40}, "snakes": {"size": 7}}
"""Options with which playouts take little time."""
GAMES = {
    "saloon": (["sheriff", "pianist"], SMALL["saloon"]),
    "laser_flag": (["sergeant", "rookie"], {}),
    "derelict": (["veteran", "castaway"], {}),
    "snakes": (["forager", "hatchling", "hatchling"], {"players": 3, **SMALL["snakes"]}),
}
FAST = {
    "saloon": ("rowdy", "pianist"),
    "laser_flag": ("rookie", "sergeant"),
    "derelict": ("castaway", "veteran"),
    "snakes": ("hatchling", "forager"),
}
Forager = bot_class(find_game("snakes"), "builtin:forager")


class Suicide(Forager):
    """Plays well until turn 10, and then turns back into its own neck."""

    def run_turn(self):
        if self.game.turn < 9:
            super().run_turn()
        else:
            here, neck = self.snake.body[:2]
            self.snake.move(
                {(0, -1): "up", (0, 1): "down", (-1, 0): "left", (1, 0): "right"}[neck.x - here.x, neck.y - here.y]
            )


class HerePool:
    """Answers questions in this process, one after the other: the same answers as `Pool`, without processes."""

    processes = 1

    def __init__(self, path):
        self.worker = Worker(str(path))

    def ask(self, questions, deadline=float("inf")):
        for number, (function, *arguments) in enumerate(questions):
            yield number, function(self.worker, *arguments)


def teams_of(game):
    weak, strong = (f"builtin:{bot}" for bot in FAST[game])
    return [(weak,), (strong,), (weak, strong), (strong, weak)]


@pytest.fixture(scope="module")
def replays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replays")
    for game, (bots, options) in GAMES.items():
        names = [f"builtin:{bot}" for bot in bots]
        play_in_memory(game, names, seed=5, options=options, replay=folder / f"{game}.arena")
    options = {"players": 2, **SMALL["snakes"]}
    play_in_memory("snakes", [Suicide, "builtin:forager"], seed=2, options=options, replay=folder / "suicide.arena")
    return folder


def explain(path, most=160, players=()):
    explanation = Explanation(RecordedMatch.of_file(path))
    explanation.teams = teams_of(explanation.match.game.name)
    for _ in Explainer(explanation, HerePool(path), 1e6, players, most=most).run():
        pass
    return explanation


@pytest.fixture(scope="module")
def explained(replays):
    """Return the explanation of a match with few playouts; each is computed once."""
    return cache(lambda name, most=160: explain(replays / f"{name}.arena", most))


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
    worker = Worker(str(replays / f"{game}.arena"))
    parts = [part for part in worker.match.parts if part.player == 0][:4]
    same = [worker.choose(f"builtin:{GAMES[game][0][0]}", part.index) == part.actions for part in parts]
    assert sum(same) >= len(parts) - 1  # a bot's own random numbers may differ


@pytest.mark.parametrize("game", GAMES)
def test_playouts_end_and_repeat(replays, game):
    worker = Worker(str(replays / f"{game}.arena"))
    middle = len(worker.match.parts) // 2
    before = worker.match.parts[middle].state.digest()
    first, again = (worker.values(middle, teams_of(game), [1, 2, 3]) for _ in range(2))
    assert first == again
    assert all(sum(shares) == pytest.approx(1) for shares in first)
    world = worker.match.parts[middle].player if worker.match.end.hides_information() else None
    for actions in (None, worker.match.parts[middle].actions):
        line = worker.line(middle, actions, world, teams_of(game), [1, 2])
        assert all(sum(shares) == pytest.approx(1) for shares in line)
    assert worker.match.parts[middle].state.digest() == before


def test_playouts_from_the_same_opening_differ_from_match_to_match(replays, tmp_path):
    play_in_memory("laser_flag", ["builtin:sergeant", "builtin:rookie"], seed=6, replay=tmp_path / "other.arena")
    one, other = (Worker(str(path)) for path in (replays / "laser_flag.arena", tmp_path / "other.arena"))
    assert one.match.state_before(0).digest() == other.match.state_before(0).digest()
    rookies = [("builtin:rookie",)]
    assert one.values(0, rookies, range(8)) != other.values(0, rookies, range(8))


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
    explanation = explained("saloon")
    known = sorted(key.part for key in explanation.samples if key.line == "at")
    one, other = next(pair for pair in pairwise(known) if pair[1] - pair[0] > 1)
    first, between, last = (explanation.win(index, 0) for index in (one, one + 1, other))
    assert between.playouts == 0
    assert between.low == min(first.low, last.low)
    assert between.high == max(first.high, last.high)


@pytest.mark.parametrize("name", [*GAMES, "suicide"])
def test_an_explanation_does_not_contradict_itself(explained, name):
    assert list(contradictions(document_of(explained(name)))) == []


@pytest.fixture(scope="module")
def workers(replays):
    return {name: Worker(str(replays / f"{name}.arena")) for name in (*GAMES, "suicide")}


@pytest.mark.parametrize("seed", range(40))
def test_no_explanation_contradicts_itself_whatever_the_playouts_say(workers, seed):
    name = [*workers][seed % len(workers)]
    worker = workers[name]
    explanation = Explanation(worker.match)
    explanation.teams = teams_of(worker.match.game.name)
    players = list(range(worker.match.players))  # also winners are judged
    for _ in Explainer(explanation, DrawnPool(worker, seed), 1e6, players, most=1500).run():
        pass
    assert list(contradictions(document_of(explanation))) == []


def test_the_one_turn_that_lost_a_match_is_named_and_confirmed(replays, explained):
    path = replays / "suicide.arena"
    document = with_commands(document_of(explained("suicide", 600)), Reader(path), path, "suicide.arena")
    points = document["turning_points"]
    last = RecordedMatch.of_file(path).parts[-1]
    assert [(point["player"], point["turn"], point["action"]) for point in points] == [(0, last.turn, 0)]
    assert points[0]["after"]["value"] == 0 < points[0]["before"]["low"]
    assert {one["bot"] for one in points[0]["bots"]} == {"builtin:hatchling", "builtin:forager"}
    assert points[0]["check"] == f"arena explain suicide.arena@{points[0]['turn']} --player 0 --check"
    assert f"Turn {points[0]['turn']} decided" in document["summary"][0]
    assert document["summary"][1] == ""
    [one] = checked(RecordedMatch.of_file(path), HerePool(path), points, teams_of("snakes"), 1e6)
    assert one["confirmed"]
    assert one["pairs"] >= 32
    assert check_in_words(one, ["Suicide", "forager"]).endswith("pairs with new dice: confirmed")


def test_a_later_part_of_a_turn_is_checked_itself(tmp_path):
    """In Derelict a decision of the other player can interrupt a turn."""
    path = tmp_path / "derelict.arena"
    play_in_memory("derelict", ["builtin:veteran", "builtin:veteran"], seed=3, replay=path)
    match = RecordedMatch.of_file(path)
    turns = Counter((part.turn, part.player) for part in match.parts)
    (turn, player), _ = turns.most_common(1)[0]
    first, second, *_ = own = [part for part in match.parts if (part.turn, part.player) == (turn, player)]
    assert first.action + len(first.actions) < second.action
    assert [match.part_at(turn, part.action, player) for part in own] == own
    assert state_at(path, turn, second.action).digest() == second.state.digest()
    assert match.part_at(turn, 0, player) is first
    with pytest.raises(ArenaError, match=f"Player {player} did nothing in turn {turn} of .* after action 999"):
        match.part_at(turn, 999, player)


def test_a_turn_that_was_right_is_not_confirmed(replays):
    path = replays / "suicide.arena"
    [one] = checked(
        RecordedMatch.of_file(path), HerePool(path), [{"player": 0, "turn": 2, "action": 0}], teams_of("snakes"), 3
    )
    assert not one["confirmed"]
    assert "NOT confirmed" in check_in_words(one, ["Suicide", "forager"])


WON, LOST, DRAWN = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))
TEAMS = [("a",), ("b",), ("a", "b"), ("b", "a")]


@pytest.mark.parametrize(
    ("better", "holds"),
    [
        ((1, 1, 1, 1), True),
        ((1, 1, 0, 0), True),  # two teams say nothing, as one side wins anyway
        ((1, 0, 1, 0), False),  # one bot only in the player's place
        ((1, 1, 1, -1), False),  # a team says the opposite
        ((0, 0, 0, 0), False),
    ],
)
def test_a_gain_must_hold_with_several_bots(better, holds):
    lines = {1: (LOST, WON), 0: (LOST, LOST), -1: (WON, LOST)}
    pairs = [lines[better[seed % 4]] for seed in range(80)]
    assert compared(pairs, TEAMS, 0, 1.0).holds is holds


def test_a_gain_needs_enough_pairs():
    sure = Estimate(0.5, 0.4, 0.6, 31)
    assert not Gain(sure, [sure] * 4, {"a": sure, "b": sure}).holds
    assert Gain(sure._replace(playouts=32), [sure] * 4, {"a": sure, "b": sure}).holds


def test_a_fall_is_larger_than_the_intervals():
    def rows(*values):
        return [{"turn": at, "before": one, "low": one - 0.1, "high": one + 0.1} for at, one in enumerate(values, 1)]

    assert falling(rows(0.5, 0.6, 0.45, 0.5)) is None
    first, last = falling(rows(0.5, 0.7, 0.4, 0.3, 0.5))
    assert (first["turn"], last["turn"]) == (2, 4)
    assert falling([]) is None


def test_a_choice_that_takes_too_long_is_given_up(replays):
    worker = Worker(str(replays / "laser_flag.arena"))
    part = next(part.index for part in worker.match.parts if part.player == 0)
    assert worker.choose("builtin:commander", part, 0.02) is None
    assert worker.cost("builtin:commander", 0.01) > 1


def test_the_strongest_bots_that_are_fast_enough_play_on(replays):
    class TimedPool(HerePool):
        def ask(self, questions, deadline=float("inf")):
            for number, (function, *arguments) in enumerate(questions):
                costs = {"builtin:rowdy": 0.1, "builtin:pianist": 0.2, "builtin:sheriff": 9.0}
                yield number, costs[arguments[0]] if function is Worker.cost else function(self.worker, *arguments)

    path = replays / "saloon.arena"
    explanation = Explanation(RecordedMatch.of_file(path))
    next(Explainer(explanation, TimedPool(path), 100).check(explanation.match.parts[:1]))
    assert explanation.teams == teams_of("saloon")
    trusted = Explanation(RecordedMatch.of_file(path))
    next(
        Explainer(trusted, TimedPool(path), 100, bots=["builtin:sheriff", "builtin:pianist"]).check(
            trusted.match.parts[:1]
        )
    )
    assert trusted.teams == [*teams_of("saloon"), ("builtin:sheriff", "builtin:pianist")]


def test_a_failed_program_is_not_blamed_for_what_its_failure_lost(tmp_path):
    class Fails(bot_class(find_game("saloon"), "builtin:rowdy")):
        def run_turn(self):
            if self.turn > 3:
                raise RuntimeError("no plan")
            super().run_turn()

    path = tmp_path / "saloon.arena"
    play_in_memory("saloon", [Fails, "builtin:pianist"], seed=1, options=SMALL["saloon"], replay=path)
    document = document_of(explain(path, most=40))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["summary"][0].startswith("The program failed in turn 5 (crashed)")
    assert "no single turn" not in document["summary"][0]
    assert not any(one["short"] in document["summary"][0] for one in document["differences"])
    lines = text_of(with_commands(document, Reader(path), path, "a.arena"), 0)
    views = [line for line in lines if "arena view" in line]
    assert views == ["    arena view a.arena@5"], "what was different before is no reason to look"
    assert "RuntimeError: no plan" in lines[lines.index(views[0]) - 1]
    foreign = {**document, "differences": [{"player": 9, "turn": 1}]}
    assert with_commands(foreign, Reader(path), path, "a.arena")["differences"][0]["commands"]
    assert list(contradictions(document)) == []


def test_a_program_that_fails_in_the_first_turn_is_explained(tmp_path):
    class Fails(bot_class(find_game("derelict"), "builtin:castaway")):
        def run_turn(self):
            raise RuntimeError("no plan")

    path = tmp_path / "derelict.arena"
    play_in_memory("derelict", [Fails, "builtin:castaway"], seed=1, replay=path)
    document = document_of(explain(path, most=10))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["turning_points"] == []


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
    document = document_of(explain(path, most=10))
    assert "10 time-outs, the first in turn 11" in document["cause"][0]["message"]
    assert "10 time-outs" in document["summary"][0]
    assert document["differences"][0]["measure"] == ["late", "", ""]


def test_how_each_snake_died_is_named(tmp_path):
    path = tmp_path / "snakes.arena"
    bots = ["builtin:forager", "builtin:constrictor", "builtin:hatchling", "builtin:forager"]
    play_in_memory("snakes", bots, seed=1, options={"players": 4}, replay=path)
    reader = Reader(path)
    things = reader.state_at(len(reader.turns) - 1)
    lost = [cause for cause in causes_of(reader) if cause.kind == "outplayed"]
    assert len(lost) == 3
    for cause in lost:
        own = next(one for one in things.values() if one.get("owner") == cause.player)
        assert f"Out in turn {own['eliminated_on']}" in cause.message
        assert f"cause {own['cause'].replace('-', ' ')}" in cause.message
    assert len({cause.message for cause in lost}) == 3


def test_playouts_of_long_matches_have_fewer_random_turns():
    assert [noise_of(parts) for parts in (0, 8, 40, 80, 400)] == [0.1, 0.1, 0.1, 0.05, 0.04]


def test_an_explanation_is_that_of_its_match_only(replays, explained, tmp_path):
    full = tmp_path / "full.arena"
    full.write_bytes((replays / "saloon.arena").read_bytes())
    save(document_of(explained("saloon")), full)
    assert explanation_of(full)["win"]
    other = tmp_path / "other.arena"
    other.write_bytes((replays / "snakes.arena").read_bytes())
    cache_path(other).write_bytes(cache_path(full).read_bytes())
    assert explanation_of(other) == {}
    cache_path(full).write_text(cache_path(full).read_text()[:-40])
    assert explanation_of(full) == {}


@pytest.fixture
def suicide(replays, tmp_path):
    path = tmp_path / "suicide.arena"
    path.write_bytes((replays / "suicide.arena").read_bytes())
    return path


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.mark.usefixtures("few_norms")
def test_the_command_prints_text_json_and_a_page_and_keeps_them(suicide, tmp_path):
    first = run("explain", suicide, "--budget", "2", "--json")
    assert first.exit_code == 0, first.output
    document = json.loads(first.stdout)
    assert {"players", "win", "cause", "differences", "turning_points", "dice", "summary"} <= set(document)
    kept = cache_path(suicide).stat().st_mtime_ns
    page = tmp_path / "page.html"
    again = run("explain", suicide, "--budget", "2")
    assert run("explain", suicide, "--budget", "2", "--html", page).exit_code == 0
    assert again.exit_code == 0
    assert "Suicide (lost)" in again.stdout
    assert "Out in turn 10" in again.stdout
    assert document["summary"][0].rstrip(".") in page.read_text()
    assert cache_path(suicide).stat().st_mtime_ns == kept, "the kept explanation is printed again"
    moved = suicide.rename(tmp_path / "moved.arena")
    cache_path(suicide).rename(cache_path(moved))
    assert f"arena view {moved}@" in str(explanation_of(moved)), "commands name the file where it is now"
    assert suicide.name not in str(explanation_of(moved))
    suicide = moved
    wrong = run("explain", suicide, "--player", "7")
    assert wrong.exit_code == 4
    assert "no player 7" in wrong.stderr


def test_one_command_shows_one_claim(suicide):
    done = run("explain", f"{suicide}@10", "--player", "0", "--check", "--budget", "8")
    assert done.exit_code == 0, done.output
    assert "Turn 10 of Suicide: wins " in done.stdout
    assert "confirmed" in done.stdout
    nothing = run("explain", f"{suicide}@99", "--player", "0", "--check", "--budget", "1")
    assert nothing.exit_code == 4
    assert "Player 0 did nothing in turn 99" in nothing.stderr


def test_a_position_is_explained_alone(suicide, tmp_path):
    found = run("explain", f"{suicide}@3", "--budget", "2")
    assert found.exit_code == 0, found.output
    assert f"{suicide}, turn 3; to move: " in found.stdout
    assert "playouts by builtin:" in found.stdout
    refused = run("explain", f"{suicide}@3", "--html", tmp_path / "page.html")
    assert refused.exit_code == 2
    assert "REPLAY@TURN stands alone" in refused.stderr


@pytest.mark.parametrize(("place", "more"), [("@3", []), ("", ["--bot", "forager"])])
def test_a_player_is_refused_where_the_option_has_no_effect(suicide, place, more):
    found = run("explain", f"{suicide}{place}", *more, "--player", "1")
    assert found.exit_code == 2
    assert "--player" in found.stderr
    assert found.stdout == ""


def test_a_match_from_a_position_is_explained_with_the_turns_that_it_has(replays, tmp_path):
    path = tmp_path / "saloon.arena"
    start = position_at(ReplayPlace(str(replays / "saloon.arena"), 30))
    play_in_memory("saloon", ["builtin:rowdy", "builtin:sheriff"], seed=1, start=start, replay=path)
    explanation = explain(path, most=40)
    count = len({part.turn for part in explanation.match.parts})
    document = document_of(explanation)
    assert [row["turn"] for row in document["win"][0]] == list(range(30, 30 + count))
    assert document["turns"] == count < 30
    loser = explanation.match.result.index(0)
    [lost] = played_by(document["players"][loser]["name"], [path])
    assert lost.outplayed
    without = loss_of(lost, None)
    assert (without["turn"], without["turns"], without["phase"]) == (30 + count - 1, count, "late")
    named = loss_of(lost, {"turning_points": [{"player": loser, "turn": 30}], "differences": []})
    assert (named["turn"], named["phase"]) == (30, "early")
    text_of(document)
