"""Swiss rounds of many players are paired among neighbours, and keep the promises of rounds of few."""

import random
from itertools import combinations

import pytest

from arena.contests.stages import swiss
from arena.contests.stages.pairing import EarlierRounds, Seats

pytestmark = pytest.mark.slow


def cost_of(pairs, ranked, history):
    places = {name: index for index, name in enumerate(ranked)}
    costs = {frozenset((one, other)): cost for one, other, cost in swiss._edges(ranked, history)}
    return sum(costs[frozenset((places[pair[0]], places[pair[1]] if len(pair) == 2 else swiss._BYE))] for pair in pairs)


def rounds_of(count, rounds, seed, leaving=0.0):
    """Play rounds, and yield the players, what had happened before, and the pairs of each round."""
    rng = random.Random(seed)
    names = [f"bot{number:04}" for number in range(count)]
    strength = {name: rng.gauss(0.0, 1.0) for name in names}
    history = EarlierRounds(seats=Seats(1))
    for number in range(rounds):
        names = [name for name in names if rng.random() >= leaving]
        ranked = sorted(names, key=lambda name: (-history.points[name], name))
        pairs = swiss.pair_round(ranked, history)
        yield ranked, history, pairs
        for index, pair in enumerate(pairs):
            if len(pair) == 1:
                history.points[pair[0]] += 1
                history.byes[pair[0]] += 1
                continue
            first, second = history.seats.seated(pair, number + index)
            history.seats.surplus[first] += 1
            history.seats.surplus[second] -= 1
            history.met[frozenset(pair)] += 1
            winner = first if rng.random() < 1 / (1 + 10 ** (strength[second] - strength[first])) else second
            share = (0.5, 0.5) if rng.random() < 0.2 else (1.0, 0.0) if winner == first else (0.0, 1.0)
            history.points[first] += share[0]
            history.points[second] += share[1]


@pytest.mark.parametrize(
    ("count", "rounds", "leaving"),
    [(10, 5, 0.0), (33, 9, 0.02), (128, 12, 0.0), (200, 40, 0.01), (501, 9, 0.03)],
)
def test_nobody_meets_twice_sits_out_twice_or_has_one_seat_too_often(count, rounds, leaving):
    for ranked, history, pairs in rounds_of(count, rounds, 7, leaving):
        assert sorted(name for pair in pairs for name in pair) == sorted(ranked)
        byes = [pair[0] for pair in pairs if len(pair) == 1]
        assert len(byes) == len(ranked) % 2
        assert all(not history.byes[name] for name in byes)
        assert all(not history.met[frozenset(pair)] for pair in pairs)
        for name in byes:  # the bye goes to few points among those who have had none, within the cost of other pairs
            assert history.points[name] <= 2 + min(history.points[one] for one in ranked if not history.byes[one])
        surplus = [history.seats.surplus[name] for name in ranked]
        crowd = max(sum(one > 0 for one in surplus), sum(one < 0 for one in surplus))
        unbalanced = max(0, (2 * crowd - len(ranked)) // 2)  # more than half have a surplus in the same seat
        assert sum(history.seats.clash(*pair) for pair in pairs if len(pair) == 2) == unbalanced
        assert leaving or max(map(abs, surplus)) <= 1
        apart = [abs(history.points[pair[0]] - history.points[pair[1]]) for pair in pairs if len(pair) == 2]
        assert rounds > 20 or sum(apart) / len(apart) <= (0.6 if count < 50 else 0.35)


@pytest.mark.parametrize(("count", "leaving"), [(130, 0.0), (145, 0.02)])
def test_neighbours_are_as_good_as_all_pairs(count, leaving):
    for ranked, history, pairs in rounds_of(count, 10, count, leaving):
        best = cost_of(swiss._cheapest(ranked, history), ranked, history)
        assert cost_of(pairs, ranked, history) <= best * 1.01 + 200  # a few places within a group


def test_the_same_rounds_give_the_same_pairs():
    once, again = ([pairs for _, _, pairs in rounds_of(200, 5, 3)] for _ in range(2))
    assert once == again


def test_the_work_of_a_round_grows_with_the_players_and_not_with_their_pairs(monkeypatch):
    compared = []
    matching = swiss.cheapest_matching

    def counted(count, edges, seed):
        edges = list(edges)
        compared.append(len(edges))
        return matching(count, edges, seed)

    monkeypatch.setattr(swiss, "cheapest_matching", counted)
    for count in (200, 600):
        compared.clear()
        rounds = list(rounds_of(count, 6, 1))
        assert len(compared) <= 7  # once a round, and seldom again in a larger neighbourhood
        assert max(compared) <= 30 * count
        assert len(rounds) == 6


def history_of(met, points):
    history = EarlierRounds(seats=Seats(0))
    history.points.update(points)
    history.met.update(frozenset(pair) for pair in met)
    return history


def test_who_has_met_all_neighbours_meets_somebody_far_away():
    names = [f"bot{number:03}" for number in range(150)]
    points = {name: 40.0 - number // 3 for number, name in enumerate(names)}
    near = [(names[one], names[other]) for one, other in combinations(range(150), 2) if other - one < 70]
    history = history_of(near, points)
    pairs = swiss.pair_round(names, history)
    assert len(pairs) == 75
    assert not any(history.met[frozenset(pair)] for pair in pairs)


def test_if_a_rematch_cannot_be_avoided_there_is_only_one():
    names = [f"bot{number:03}" for number in range(132)]
    lonely = [pair for pair in combinations(names, 2) if not ({*pair} <= {*names[:131]}) or names[0] in pair]
    history = history_of([pair for pair in lonely if names[131] in pair], {})
    pairs = swiss.pair_round(names, history)
    assert sorted(name for pair in pairs for name in pair) == names
    assert sum(history.met[frozenset(pair)] for pair in pairs) == 1


def test_seats_that_cannot_all_be_balanced_need_no_search_among_all_pairs(monkeypatch):
    names = [f"bot{number:03}" for number in range(400)]
    history = EarlierRounds(seats=Seats(1))
    history.seats.surplus.update(dict.fromkeys(names[:260], 1) | dict.fromkeys(names[260:], -1))
    monkeypatch.setattr(swiss, "_edges", limited(swiss._edges))
    pairs = swiss.pair_round(names, history)
    assert sum(history.seats.clash(*pair) for pair in pairs) == 60


def limited(edges):
    def near(ranked, history, possible=None):
        assert possible is not None, "All pairs were compared."
        return edges(ranked, history, possible)

    return near
