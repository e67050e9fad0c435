"""Rules of pairing do what they promise."""

from collections import Counter
from itertools import combinations

import networkx
import pytest
from contests_toys import by_strength, played, result_of, run_of, stage_played

from arena.contests.config import StageConfig
from arena.contests.stages import swiss
from arena.contests.stages.groups import divide, kept_apart
from arena.contests.stages.standings import rank_table

pytestmark = pytest.mark.slow


def cost(history, last, pair):
    """What a pair costs, or a bye, against the last player: rematches, then second byes, then seats, then points."""
    one, other = pair if len(pair) == 2 else (pair[0], last)
    squares = int(16 * (history.points[one] - history.points[other]) ** 2)
    if len(pair) == 1:
        return history.byes[one] * 10**9 + 4 * squares
    return history.met[frozenset(pair)] * 10**11 + history.seats.clash(one, other) * 10**7 + squares


def least_cost(ranked, history):
    """The least cost of a round, by another library and over all pairs."""
    graph = networkx.Graph()
    sitting_out = [(name, "bye", cost(history, ranked[-1], (name,))) for name in ranked] if len(ranked) % 2 else []
    pairs = [(*pair, cost(history, ranked[-1], pair)) for pair in combinations(ranked, 2)]
    for one, other, value in pairs + sitting_out:
        graph.add_edge(one, other, weight=10**14 - value, cost=value)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return sum(graph.edges[pair]["cost"] for pair in matching)


@pytest.mark.parametrize(("size", "seed", "games"), [(15, 18, 1), (15, 5, 2), (12, 3, 1), (24, 1, 2), (31, 2, 1)])
def test_swiss_pairs_with_the_least_differences(size, seed, games, monkeypatch):
    pair_round = swiss.pair_round
    rounds = 0

    def checked(ranked, history):
        nonlocal rounds
        pairs = pair_round(ranked, history)
        assert sum(cost(history, ranked[-1], pair) for pair in pairs) == least_cost(ranked, history)
        if rounds == 0 and size % 2 == 0:
            half = size // 2
            assert {*map(frozenset, pairs)} == {frozenset((ranked[at], ranked[at + half])) for at in range(half)}
        assert sorted(name for pair in pairs for name in pair) == sorted(ranked)
        assert all(len(pair) == 2 for pair in pairs[:-1]), "a bye comes last"
        rounds += 1
        return pairs

    monkeypatch.setattr(swiss, "pair_round", checked)
    stage = StageConfig("swiss", "swiss", rounds=12, games=games)
    stage_played(size, stage, lambda spec: by_strength(spec, 0.3, seed))
    assert rounds == 12


@pytest.mark.parametrize("points", ["game", "encounter"])
@pytest.mark.parametrize(("size", "seed"), [(8, 1), (9, 2)])
def test_swiss_pairs_by_the_points_of_its_table(size, seed, points, monkeypatch):
    pair_round = swiss.pair_round
    used = []

    def noted(ranked, history):
        used.append({name: history.points[name] for name in ranked})
        return pair_round(ranked, history)

    monkeypatch.setattr(swiss, "pair_round", noted)
    stage = StageConfig("swiss", "swiss", rounds=6, games=3, points=points)
    run = stage_played(size, stage, lambda spec: by_strength(spec, 0.3, seed))
    for before, known in enumerate(used):
        results = [result for result in run.decided() if result.encounter.round <= before]
        assert known == {row.name: row.points for row in rank_table(stage, run.names, results)}


def group_of(stage):
    return {name: index for index, group in enumerate(divide(stage.names, stage.config.groups)) for name in group}


@pytest.mark.parametrize("seed", range(8))
def test_the_best_seconds_advance(seed):
    stages = (StageConfig("groups", "groups", groups=3), StageConfig("cup", "single_elimination", advance=4))
    contest = played(12, *stages, result=lambda spec: by_strength(spec, 0.3, seed))
    rows, group = run_of(contest).rank(), group_of(run_of(contest))
    order = {index: [row for row in rows if group[row.name] == index] for index in range(3)}
    seconds = [rows[1] for rows in order.values()]
    advanced = set(run_of(contest, 1).names)
    assert {rows[0].name for rows in order.values()} < advanced
    through = next(row for row in seconds if row.name in advanced)
    assert through.points == max(row.points for row in seconds)
    level = [row for row in seconds if row.points == through.points]
    assert dict(through.tiebreaks)["buchholz"] == max(dict(row.tiebreaks)["buchholz"] for row in level)


@pytest.mark.parametrize("kind", ["single_elimination", "double_elimination"])
@pytest.mark.parametrize(("size", "groups", "advance"), [(12, 3, 6), (12, 3, 4), (16, 4, 8), (20, 5, 10)])
def test_nobody_meets_their_own_group_in_the_first_round_of_a_playoff(size, groups, advance, kind):
    for seed in range(4):
        stages = (StageConfig("groups", "groups", groups=groups), StageConfig("cup", kind, advance=advance))
        contest = played(size, *stages, result=lambda spec, seed=seed: by_strength(spec, 0.3, seed))
        group, results = group_of(run_of(contest)), run_of(contest, 1).decided()
        first = [result.encounter.players for result in results if result.encounter.round == 1]
        assert all(group[pair[0]] != group[pair[1]] for pair in first if len(pair) == 2)
        best = {row.name for row in run_of(contest).rank()[:advance]}
        assert set(run_of(contest, 1).names) == best


def test_who_cannot_be_kept_apart_plays_all_the_same():
    assert sorted(kept_apart(["a", "b", "c", "d"], [["a", "b", "c", "d"]])) == ["a", "b", "c", "d"]
    assert kept_apart([], [["a"]]) == []


def level_until(number):
    """All games are drawn until one of this number."""
    return lambda spec: result_of(spec.names.index("bot002") if spec.number == number else None)


def ahead_by_scores(spec):
    return result_of(None, scores=tuple(float(name == "bot002") for name in spec.names))


@pytest.mark.parametrize(
    ("result", "settings", "matches", "winner", "explained"),
    [
        (level_until(9), {"best_of": 2, "sudden_death": 3}, 10, "bot002", "champion"),
        (level_until(99), {"best_of": 2, "sudden_death": 0}, 4, "bot001", "champion by seed after 2:2"),
        (level_until(99), {"best_of": 2, "sudden_death": 2}, 8, "bot001", "champion by seed after 4:4"),
        (ahead_by_scores, {"best_of": 2}, 4, "bot002", "champion by scores after 2:2"),
        (level_until(3), {"best_of": 3}, 4, "bot002", "champion"),  # the fourth game completes the second pair
        (level_until(5), {"best_of": 3}, 6, "bot002", "champion"),
    ],
)
def test_a_level_cup_is_played_on_in_whole_pairs_then_scores_then_the_seed_decide(
    result, settings, matches, winner, explained
):
    run = stage_played(2, StageConfig("cup", "single_elimination", extra_pairs=1, **settings), result)
    specs = [spec for spec, _ in run.matches()]
    assert Counter(spec.seed for spec in specs) == dict.fromkeys({spec.seed for spec in specs}, 2)
    assert len(specs) == matches
    first, second = run.rank()
    assert (first.name, first.explained) == (winner, explained)
    assert second.explained == explained.replace("champion", "out in round 1")
