"""Explanations of real matches, with few playouts: the same result on every machine."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from click.testing import CliRunner

from arena.analysis.cached import cache_path, explanation_of, load, save
from arena.analysis.candidates import CONFIRMED_FROM, is_open, worst_moments
from arena.analysis.explaining import Explainer
from arena.analysis.explanation import Decision, Explanation
from arena.analysis.losses import BotMatch, loss_of
from arena.analysis.page import page_of
from arena.analysis.playouts import noise_of
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import curve, document_of, text_of, turning_points
from arena.analysis.worker import Worker
from arena.cli import cli
from arena.game.action import LEAVE
from arena.match.position import ReplayPlace
from arena.replaying.positions import position_at
from arena.testing.matches import play_match
from arena_replays.tools import strip

GAMES = {
    "saloon": (["sheriff", "pianist"], {"width": 12, "height": 8, "max_turns": 40}),
    "laser_flag": (["sergeant", "rookie"], {}),
    "derelict": (["veteran", "castaway"], {}),
    "snakes": (["forager", "hatchling", "hatchling"], {"players": 3}),
}
WON, LOST = ((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0))
"""The results of a game for two that a player won or lost."""
FAST = {"saloon": "pianist", "laser_flag": "rookie", "derelict": "castaway", "snakes": "hatchling"}


class HerePool:
    """Answers questions in this process, one after the other: the same answers as `Pool`, without processes."""

    processes = 1

    def __init__(self, path):
        self.worker = Worker(str(path))

    def ask(self, questions, deadline=float("inf")):
        for number, (name, *arguments) in enumerate(questions):
            yield number, getattr(self.worker, name)(*arguments)


@pytest.fixture(scope="module")
def replays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replays")
    for game, (bots, options) in GAMES.items():
        play_match(game, [f"builtin:{bot}" for bot in bots], seed=5, options=options, replay=folder / f"{game}.arena")
    return folder


def explain(path, budget=1e6, most=200, bots=()):
    explanation = Explanation(RecordedMatch.of_file(path))
    explanation.bot, explanation.adviser = bots or (FAST[path.stem], FAST[path.stem])
    for _ in Explainer(explanation, HerePool(path), budget, most=most).run():
        pass
    return explanation


@pytest.fixture(scope="module")
def explained(replays):
    """Return the explanation of a match with few playouts; each is computed once."""
    return cache(lambda game: explain(replays / f"{game}.arena"))


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


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_that_played_chooses_again_what_it_did(replays, game):
    bots = GAMES[game][0]
    if bots[0] == "rookie":
        pytest.skip("plays at random")
    worker = Worker(str(replays / f"{game}.arena"))
    parts = [part for part in worker.match.parts if part.player == 0][:4]
    same = [worker.choose(bots[0], part.index).actions == part.actions for part in parts]
    assert sum(same) >= len(parts) - 1  # a bot's own random numbers may differ


@pytest.mark.parametrize("game", GAMES)
def test_playouts_end_and_repeat(replays, game):
    worker = Worker(str(replays / f"{game}.arena"))
    middle = len(worker.match.parts) // 2
    first, again = (worker.values(FAST[game], middle, [1, 2, 3]) for _ in range(2))
    assert first == again
    assert all(sum(shares) == pytest.approx(1) for shares in first)
    before = worker.match.parts[middle].state.digest()
    assert worker.match.parts[middle].state.digest() == before


def test_playouts_from_the_same_opening_differ_from_match_to_match(replays, tmp_path):
    bots = ["builtin:sergeant", "builtin:rookie"]
    play_match("laser_flag", bots, seed=6, replay=tmp_path / "other.arena")
    one, other = (Worker(str(path)) for path in (replays / "laser_flag.arena", tmp_path / "other.arena"))
    assert one.match.state_before(0).digest() == other.match.state_before(0).digest()
    assert one.values("rookie", 0, range(30)) != other.values("rookie", 0, range(30))


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
    ends = [rows[-1]["after"] for rows in document["win"]]
    assert ends == pytest.approx(explanation.match.result)
    for turn in zip(*document["win"], strict=True):
        assert sum(row["before"] for row in turn) == pytest.approx(1, abs=0.01)
    words = "\n".join(text_of(document, [0, 1])).split()
    assert len(words) < 800


def test_the_worth_of_dice_adds_up_to_nothing(replays, explained):
    document = document_of(explained("snakes"))
    assert document["luck"]
    for row in document["luck"]:
        assert row["pairs"] > 0
        assert sum(one["value"] for one in row["worth"]) == pytest.approx(0, abs=1e-3)
        assert all(one["low"] <= one["value"] <= one["high"] for one in row["worth"])
    dice = [part.turn for part in RecordedMatch.of_file(replays / "snakes.arena").parts if part.draws]
    assert {row["turn"] for row in document["luck"]} <= set(dice)


def test_what_was_computed_is_kept_and_continued(replays, explained, tmp_path):
    path = tmp_path / "saloon.arena"
    path.write_bytes((replays / "saloon.arena").read_bytes())
    first = explained("saloon")
    save(first, path, document_of(first))
    second = Explanation(RecordedMatch.of_file(path))
    load(second, path)
    assert second.samples == first.samples
    assert curve(second, 0) == curve(first, 0)
    assert second.seconds == first.seconds
    cache_path(path).write_text(cache_path(path).read_text()[:-40])
    damaged = Explanation(RecordedMatch.of_file(path))
    load(damaged, path)
    assert damaged.samples == {}


class SlowPool(HerePool):
    """Its bots take a second for each playout, and it keeps the questions."""

    def __init__(self, path):
        super().__init__(path)
        self.asked = []

    def ask(self, questions, deadline=float("inf")):
        self.asked += questions
        for number, answer in super().ask(questions, deadline):
            yield number, 1.0 if questions[number][0] == "cost" else answer


def test_a_continued_explanation_knows_how_long_a_playout_takes(replays, explained, tmp_path):
    path = tmp_path / "saloon.arena"
    path.write_bytes((replays / "saloon.arena").read_bytes())
    first = explained("saloon")
    save(first, path, document_of(first))
    second = Explanation(RecordedMatch.of_file(path))
    load(second, path)
    pool = SlowPool(path)
    for _ in Explainer(second, pool, 1e6, most=first.playouts + 100).run():
        pass
    assert second.playouts > first.playouts
    assert second.bot == first.bot
    together = [len(question[4]) for question in pool.asked if question[0] == "pairs"]
    assert set(together) == {1}, "a question takes about 0.15 s, or one playout"


def test_a_stripped_copy_is_the_same_match(replays, explained, tmp_path):
    full, stripped = tmp_path / "full.arena", tmp_path / "stripped.arena"
    full.write_bytes((replays / "saloon.arena").read_bytes())
    strip(full, stripped)
    found = explained("saloon")
    save(found, full, document_of(found))
    cache_path(stripped).write_bytes(cache_path(full).read_bytes())
    assert explanation_of(stripped)["win"] == explanation_of(full)["win"]
    again = Explanation(RecordedMatch.of_file(stripped))
    load(again, stripped)
    assert again.samples == found.samples
    other = tmp_path / "other.arena"
    other.write_bytes((replays / "snakes.arena").read_bytes())
    cache_path(other).write_bytes(cache_path(full).read_bytes())
    assert explanation_of(other) == {}


def test_hidden_information_is_averaged_over_what_a_player_could_know(replays):
    worker = Worker(str(replays / "derelict.arena"))
    assert worker.match.end.hides_information()
    results = worker.values("castaway", 2, [1, 2], 0)
    assert all(sum(shares) == pytest.approx(1) for shares in results)


def test_a_choice_that_takes_too_long_is_given_up(replays):
    worker = Worker(str(replays / "laser_flag.arena"))
    part = next(part.index for part in worker.match.parts if part.player == 0)
    given_up = worker.choose("commander", part, 0.02)
    assert (given_up.actions, given_up.seconds) == ([], math.inf)
    assert worker.choose("sergeant", part, 60).actions == worker.match.parts[part].actions
    assert worker.cost("commander", 0.01) > 1 > worker.cost("rookie", 60)


def test_a_failed_program_is_not_blamed_for_what_its_failure_lost(replays, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from arena_player import AI\nclass Bot(AI):\n    def run_turn(self):\n        self.turn > 3 and 1 / 0"
    )
    path = tmp_path / "saloon.arena"
    play_match("saloon", [str(bot), "builtin:pianist"], seed=1, replay=path)
    document = document_of(explain(path, most=40))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["summary"][0].startswith("Before the last recorded turn (")
    last = document["win"][0][-1]
    assert last["before"] > last["after"] == 0


def test_a_program_that_fails_in_the_first_turn_is_explained(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("from arena_player import AI\nclass Bot(AI):\n    def run_turn(self):\n        1 / 0")
    path = tmp_path / "derelict.arena"
    play_match("derelict", [str(bot), "builtin:castaway"], seed=1, replay=path)
    document = document_of(explain(path, most=10))
    assert document["cause"][0]["kind"] == "crashed"
    assert document["turning_points"] == []


def test_a_claim_needs_fresh_pairs(replays):
    explanation = explain(replays / "saloon.arena", most=60)
    player = next(player for player, count in explanation.tested.items() if count)
    decision = explanation.decisions[player][0]
    explanation.tested = {player: 1}
    for count, claims in ((0, 0), (CONFIRMED_FROM - 1, 0), (CONFIRMED_FROM, 1)):
        decision.screening = [1.0] * 100
        decision.done, decision.instead = [LOST[player]] * count, [WON[player]] * count
        assert len(turning_points(explanation, player)) == claims


def test_playouts_that_tested_a_choice_count_for_the_curve(replays):
    explanation = Explanation(RecordedMatch.of_file(replays / "saloon.arena"))
    plain, other = (part for part in explanation.match.parts[10:16:5])
    rolled = replace(other, draws=[1])  # the playouts roll the dice of the part again: they do not tell what follows
    for part in (plain, rolled):
        decisions = explanation.decisions.setdefault(part.player, [])
        won = [WON[part.player]] * 100
        decisions += [Decision(part, bot, [], done=won, instead=won) for bot in ("sheriff", "pianist")]
    explanation.playouts = 600
    after = explanation.share(plain.index + 1, plain.player)
    assert after.value > 0.9
    assert after.playouts == 100  # both bots were compared with the same playouts
    assert explanation.share(plain.index + 1, 1 - plain.player).value < 0.1
    assert explanation.share(rolled.index + 1, rolled.player).playouts == 0


def test_playouts_after_the_last_turn_tell_the_result_and_do_not_count(replays):
    explanation = Explanation(RecordedMatch.of_file(replays / "saloon.arena"))
    last = explanation.match.parts[-1]
    before = explanation.share(last.index, 0)
    won = [WON[last.player]] * 100
    explanation.decisions = {last.player: [Decision(last, "sheriff", [], done=won, instead=won)]}
    explanation.playouts = 200
    assert explanation.share(last.index, 0) == before


@pytest.mark.parametrize(
    ("better", "worse", "count", "more"),
    [
        (6, 6, 30, True),  # no better so far, but the interval has room for a gain
        (2, 20, 40, False),  # hopeless
        (12, 0, 40, True),  # a gain, but of what size?
        (95, 0, 100, False),  # certain
    ],
)
def test_a_candidate_gets_more_pairs_until_it_is_hopeless_or_certain(replays, better, worse, count, more):
    part = RecordedMatch.of_file(replays / "saloon.arena").parts[0]
    won, lost = WON[part.player], LOST[part.player]
    instead = [won] * better + [lost] * (count - better)
    done = [lost] * better + [won] * worse + [lost] * (count - better - worse)
    assert is_open(Decision(part, "sheriff", [], [], done, instead)) is more


def test_turning_points_are_of_different_moments(replays):
    match = RecordedMatch.of_file(replays / "saloon.arena")
    mine = [part for part in match.parts if part.player == 0][:8]
    losses = [0.1, 0.3, 0.5, 0.4, 0.0, 0.0, 0.2, 0.0]
    decisions = [Decision(part, "sheriff", [], [loss]) for part, loss in zip(mine, losses, strict=True)]
    step = mine[1].turn - mine[0].turn

    def places(near, count):
        worst = worst_moments(decisions, count, near, lambda one: one.screening[0])
        return [mine.index(one.part) for one in worst]

    assert places(0, 3) == [2, 3, 1]  # the three largest losses
    assert places(step, 3) == [2, 6, 0]  # 1 and 3 are next to 2
    assert places(len(match.parts), 3) == [2, 3, 1]  # all are of one moment: the next ones fill the places


def test_both_choices_of_the_worst_turn_are_tested(replays):
    match = RecordedMatch.of_file(replays / "saloon.arena")
    mine = [part for part in match.parts if part.player == 0][:3]
    decisions = [
        Decision(part, bot, [], [loss])
        for part, losses in zip(mine, ((0.3, 0.2), (0.4, 0.1), (0.1, 0.0)), strict=True)
        for bot, loss in zip(("sheriff", "pianist"), losses, strict=True)
    ]
    worst = worst_moments(decisions, 4, 0, lambda one: one.screening[0])
    assert [(mine.index(one.part), one.bot) for one in worst] == [
        (1, "sheriff"), (1, "pianist"), (0, "sheriff"), (2, "sheriff"),
    ]  # fmt: skip


def test_the_choices_of_two_bots_are_compared_with_what_was_done(replays):
    explanation = explain(replays / "saloon.arena", bots=("pianist", "rowdy"))
    decisions = [one for player in explanation.decisions.values() for one in player]
    assert {one.bot for one in decisions} == {"pianist", "rowdy"}
    assert all(one.actions != one.part.actions for one in decisions)
    lines = [(one.part.index, json.dumps(one.actions)) for one in decisions]
    assert len(set(lines)) == len(lines)  # a line that both bots choose is compared once
    assert len({index for index, _ in lines}) < len(lines)


def test_a_turn_is_named_once_with_the_better_choice(replays):
    explanation = Explanation(RecordedMatch.of_file(replays / "saloon.arena"))
    parts = explanation.match.parts
    few, many = ([(one, 1 - one)] * CONFIRMED_FROM for one in (0.4, 0.9))
    explanation.decisions = {
        0: [
            Decision(part, bot, [], done=[LOST[0]] * CONFIRMED_FROM, instead=gain)
            for part in parts[:8:2]
            for bot, gain in (("pianist", few), ("sheriff", many))
        ]
    }
    explanation.tested = {0: 8}
    points = turning_points(explanation, 0)
    assert [point["instead"]["bot"] for point in points] == ["sheriff"] * 3
    assert len({point["turn"] for point in points}) == 3


def test_playouts_of_long_matches_have_fewer_random_turns():
    assert [noise_of(parts) for parts in (0, 8, 40, 80, 400)] == [0.1, 0.1, 0.1, 0.05, 0.04]


def test_the_command_prints_text_and_json(replays, tmp_path):
    path = tmp_path / "snakes.arena"
    path.write_bytes((replays / "snakes.arena").read_bytes())
    run = CliRunner().invoke(cli, ["explain", str(path), "--budget", "2", "--json"])
    assert run.exit_code == 0, run.output
    document = json.loads(run.stdout)
    assert {"players", "win", "cause", "turning_points"} <= set(document)
    again = CliRunner().invoke(cli, ["explain", str(path), "--budget", "2"])
    assert "Win probability by turn" in again.stdout
    wrong = CliRunner().invoke(cli, ["explain", str(path), "--player", "7"])
    assert wrong.exit_code == 4
    assert "no player 7" in wrong.stderr


def test_the_estimates_of_a_game_are_the_first_curve(replays):
    path = replays / "saloon.arena"
    explainer = Explainer(Explanation(RecordedMatch.of_file(path)), HerePool(path), 1e6, most=20)
    first = next(explainer.run())
    assert first.playouts == 0
    document = document_of(first)
    assert (document["stage"], document["playouts"]["bot"]) == ("curve", "")
    values = [row["before"] for row in document["win"][0]]
    assert max(values) - min(values) > 0.1
    assert all(row["low"] <= row["before"] <= row["high"] > row["low"] for row in document["win"][0])


def test_a_position_is_explained_alone(replays, tmp_path):
    path = tmp_path / "snakes.arena"
    path.write_bytes((replays / "snakes.arena").read_bytes())
    run = CliRunner().invoke(cli, ["explain", f"{path}@3", "--budget", "2"])
    assert run.exit_code == 0, run.output
    assert f"{path}, turn 3; to move: " in run.stdout
    assert "playouts by builtin:" in run.stdout
    refused = CliRunner().invoke(cli, ["explain", f"{path}@3", "--html", str(tmp_path / "page.html")])
    assert refused.exit_code == 2
    assert "REPLAY@TURN stands alone, without --html" in refused.stderr


@pytest.mark.parametrize(("place", "more"), [("@3", []), ("", ["--bot", "forager"])])
def test_a_player_is_refused_where_the_option_has_no_effect(replays, place, more):
    run = CliRunner().invoke(cli, ["explain", f"{replays / 'snakes.arena'}{place}", *more, "--player", "1"])
    assert run.exit_code == 2
    assert "--player" in run.stderr
    assert run.stdout == ""


def test_a_match_from_a_position_is_explained_with_the_turns_that_it_has(replays, tmp_path):
    path = tmp_path / "saloon.arena"
    start = position_at(ReplayPlace(str(replays / "saloon.arena"), 30))
    bots = ["builtin:rowdy", "builtin:sheriff"]
    play_match("saloon", bots, seed=1, options=start.options, start=start, replay=path)
    explanation = explain(path, most=40)
    count = len({part.turn for part in explanation.match.parts})
    loser = explanation.match.result.index(0)
    part = next(part for part in explanation.match.parts if part.player == loser and part.turn > 30 + count / 3)
    won, lost = [WON[loser]] * CONFIRMED_FROM, [LOST[loser]] * CONFIRMED_FROM
    explanation.decisions = {loser: [Decision(part, "pianist", [], done=lost, instead=won)]}
    explanation.tested = {loser: 1}
    document = document_of(explanation)
    rows = document["win"][0]
    assert [row["turn"] for row in rows] == list(range(30, 30 + count))
    assert [point["turn"] for point in document["turning_points"]] == [part.turn]
    page = page_of([("match", document, [])])
    line = re.search(r'class="line" d="M([^"]*)"', page)[1].split("L")
    mark = re.search(r'class="mark" cx="([\d.]+)" cy="([\d.]+)"', page)
    assert " ".join(mark.groups()) == line[part.turn - 30]
    assert document["turns"] == count < 30
    loss = loss_of(BotMatch(path, loser, "outplayed"), document)
    assert (loss.turn, loss.turns, loss.phase) == (part.turn, count, "middle")
    without = loss_of(BotMatch(path, loser, "outplayed"), None)
    assert (without.turn, without.phase) == (30 + count - 1, "late")


def test_a_program_that_does_not_start_in_a_match_from_a_position_fails_in_its_first_turn(replays, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("1 / 0")
    path = tmp_path / "saloon.arena"
    start = position_at(ReplayPlace(str(replays / "saloon.arena"), 30))
    play_match("saloon", [str(bot), "builtin:pianist"], seed=1, options=start.options, start=start, replay=path)
    loss = loss_of(BotMatch(path, 0, "no_start"), None)
    assert (loss.turn, loss.turns, loss.phase) == (30, 1, "early")
