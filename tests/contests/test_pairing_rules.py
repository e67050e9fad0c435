"""Rules of pairing do what they promise."""

from collections import Counter

import networkx
import pytest
from contests_toys import by_strength, played, result_of, run_of, stage_played
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.config import StageConfig
from arena.contests.stages import swiss
from arena.contests.stages.groups import divide, kept_apart
from arena.contests.stages.standings import rank_table

pytestmark = pytest.mark.slow


def surpluses(run):
    """How many more games everybody has had in the first seat, after each encounter in turn."""
    surplus = Counter()
    worst = 0
    for result in run.decided():
        if not result.encounter.is_bye:
            first, second = result.encounter.players
            surplus[first] += 1
            surplus[second] -= 1
        worst = max([worst, *map(abs, surplus.values())])
    return surplus, worst


@pytest.mark.parametrize("size", range(2, 42, 3))
def test_seats_of_a_round_robin_are_balanced(size):
    for rounds in (1, 2, 3):
        run = stage_played(size, StageConfig("all", "round_robin", games=1, rounds=rounds))
        assert max(map(abs, surpluses(run)[0].values())) <= 1


@pytest.mark.parametrize(("size", "champions"), [(7, 1), (8, 2), (9, 3), (12, 4)])
def test_seats_of_a_gauntlet_are_balanced(size, champions):
    chosen = tuple(f"bot{number:03}" for number in range(1, champions + 1))
    for rounds in (1, 2):
        stage = StageConfig("g", "gauntlet", games=1, rounds=rounds, champions=chosen)
        assert max(map(abs, surpluses(stage_played(size, stage))[0].values())) <= 1


@given(size=st.integers(8, 40), seed=st.integers(0, 999), draws=st.sampled_from([0.0, 0.3]))
@settings(max_examples=25, deadline=None)
def test_seats_of_a_swiss_are_balanced_at_any_time(size, seed, draws):
    stage = StageConfig("swiss", "swiss", rounds=size // 3, games=1)
    assert surpluses(stage_played(size, stage, lambda spec: by_strength(spec, draws, seed)))[1] <= 1


def least_cost(ranked, history):
    """The least cost of a round, by another library and over all pairs."""
    graph = networkx.Graph()
    for one, other, cost in swiss._edges(ranked, history):
        graph.add_edge(one, other, weight=10**16 - cost, cost=cost)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return sum(graph.edges[pair]["cost"] for pair in matching)


@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize(("size", "seed"), [(15, 18), (15, 5), (12, 3), (24, 1), (31, 2)])
def test_swiss_pairs_with_the_least_differences(size, seed, games, monkeypatch):
    pair_round = swiss.pair_round
    rounds = 0

    def checked(ranked, history):
        nonlocal rounds
        pairs = pair_round(ranked, history)
        costs = {frozenset((one, other)): cost for one, other, cost in swiss._edges(ranked, history)}
        places = {name: index for index, name in enumerate(ranked)}
        met = [frozenset(places[name] for name in pair) | ({swiss._BYE} if len(pair) == 1 else set()) for pair in pairs]
        assert sum(costs[pair] for pair in met) == least_cost(ranked, history)
        assert sorted(name for pair in pairs for name in pair) == sorted(ranked)
        rounds += 1
        return pairs

    monkeypatch.setattr(swiss, "pair_round", checked)
    stage = StageConfig("swiss", "swiss", rounds=12, games=games)
    stage_played(size, stage, lambda spec: by_strength(spec, 0.3, seed))
    assert rounds == 12


@pytest.mark.parametrize("points", ["game", "encounter"])
@pytest.mark.parametrize(("size", "seed"), [(8, 1), (9, 2), (12, 3)])
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


@pytest.mark.parametrize("seed", range(20))
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
@pytest.mark.parametrize(("size", "groups", "advance"), [(12, 3, 6), (12, 3, 4), (16, 4, 8), (20, 5, 10), (8, 2, 4)])
def test_nobody_meets_their_own_group_in_the_first_round_of_a_playoff(size, groups, advance, kind):
    for seed in range(12):
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


def level_until(number, scores=(0.0, 0.0)):
    """All games are drawn until one of this number."""
    return lambda spec: result_of(spec.names.index("bot002") if spec.number == number else None, scores=scores)


def cup(result, **settings):
    """The matches, the result and the table of a cup of two bots."""
    contest = played(2, StageConfig("cup", "single_elimination", extra_pairs=1, **settings), result=result)
    run = run_of(contest)
    return [spec for spec, _ in run.matches()], run.decided()[0], run.rank()


def test_games_rather_than_the_seed_decide_a_cup():
    specs, result, rows = cup(level_until(9), best_of=2, sudden_death=3)
    assert (result.winner_name, result.decided, len(specs)) == ("bot002", "games", 10)
    assert rows[0].explained == "champion"


def test_where_the_seed_decides_the_table_says_so():
    for pairs, points in ((0, "2:2"), (2, "4:4")):
        _, _, rows = cup(lambda spec: result_of(None), best_of=2, sudden_death=pairs)
        assert rows[0].explained == f"champion by seed after {points}"
        assert rows[1].explained == f"out in round 1 by seed after {points}"


def test_scores_decide_before_sudden_death():
    decide = lambda spec: result_of(None, scores=tuple(float(name == "bot002") for name in spec.names))  # noqa: E731
    specs, _, rows = cup(decide, best_of=2)
    assert len(specs) == 4
    assert rows[0].explained == "champion by scores after 2:2"


def test_a_level_best_of_three_gets_whole_pairs():
    specs, result, _ = cup(level_until(3), best_of=3)
    assert len(specs) == 4, "the fourth game completes the second pair"
    assert result.winner_name == "bot002"
    specs, _, _ = cup(level_until(5), best_of=3)
    assert Counter(spec.seed for spec in specs) == dict.fromkeys({spec.seed for spec in specs}, 2)
