"""Ratings against an independent implementation, and their intervals against simulated truth."""

import itertools
import math
import random
from collections import Counter

import pytest

from arena.contests.ratings.plackett_luce import ELO, Unit, plackett_luce, units
from arena.contests.ratings.skill import Skill, updated
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec, Participant


def chance(difference):
    return 1.0 / (1.0 + math.exp(-difference))


def pair(one, other, points, games):
    """Results of a pair of games of two."""
    return Unit(Counter({one: points, other: games - points}), Counter({frozenset({(one,), (other,)}): games}))


def simulate(strengths, pairs_each, draw, together, rng):
    """Pairs of games whose expected score follows the model, with draws, and with games that hang together."""
    names = [f"b{number}" for number in range(len(strengths))]
    pairs = []
    for one, first in enumerate(strengths):
        for other in range(one):
            expected = chance(first - strengths[other])
            half = draw * min(expected, 1.0 - expected)
            for _ in range(pairs_each):
                luck = rng.random()
                points = 0.0
                for game in range(2):
                    toss = luck if game == 0 or rng.random() < together else rng.random()
                    points += 1.0 if toss < expected - half else 0.5 if toss < expected + half else 0.0
                pairs.append(pair(names[one], names[other], points, 2))
    return names, pairs


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_choix(seed):
    choix = pytest.importorskip("choix")
    rng = random.Random(seed)
    names, pairs = simulate([rng.gauss(0.0, 1.0) for _ in range(12)], 6, 0.0, 0.0, rng)
    data = []
    for unit in pairs:
        (one, won), (other, lost) = unit.wins.items()
        data += [(int(one[1:]), int(other[1:]))] * int(won) + [(int(other[1:]), int(one[1:]))] * int(lost)
    expected = choix.ilsr_pairwise(12, data)
    ours = plackett_luce(names, pairs, spreads=(1e5,))
    assert ours.elo == pytest.approx([ELO * (value - expected.mean()) for value in expected], abs=0.01)


def test_ratings_of_orders_are_those_of_choix():
    choix = pytest.importorskip("choix")
    rng = random.Random(0)
    orders = [rng.sample(range(8), 4) for _ in range(60)]
    expected = choix.ilsr_rankings(8, orders)
    found = []
    for order in orders:
        unit = Unit()
        unit.add([str(number) for number in order], Outcome(None, "", (1, 2, 3, 4)))
        found.append(unit)
    ours = plackett_luce([str(number) for number in range(8)], found, spreads=(1e5,))
    assert ours.elo == pytest.approx([ELO * (value - expected.mean()) for value in expected], abs=0.05)


def test_a_shared_place_counts_as_the_mean_of_its_orders():
    tied, orders = Unit(), Unit()
    tied.add(("a", "b", "c"), Outcome(None, "", (1, 1, 3)))
    orders.add(("a", "b", "c"), Outcome(None, "", (1, 2, 3)))
    orders.add(("a", "b", "c"), Outcome(None, "", (2, 1, 3)))
    assert {sides: 2 * weight for sides, weight in tied.choices.items()} == dict(orders.choices)
    assert {name: 2 * wins for name, wins in tied.wins.items()} == dict(orders.wins)


def test_a_team_is_as_strong_as_the_mean_of_its_members():
    found = []
    for teams in itertools.permutations("abcd"):
        unit = Unit()
        ahead = [[0, 1], [2, 3]]
        ranks = [1, 2] if "a" in teams[:2] else [2, 1]
        unit.add(teams, Outcome.of_teams("", ahead, ranks))
        found.append(unit)
    ratings = dict(zip("abcd", plackett_luce("abcd", found).elo, strict=True))
    assert ratings["a"] > 100.0 > ratings["b"]
    assert ratings["b"] == pytest.approx(ratings["c"]) == pytest.approx(ratings["d"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "pairs_each", "draw", "together", "spread"),
    [
        (8, 5, 0.3, 0.5, 0.7),
        (16, 1, 0.2, 0.0, 1.0),
        # The spread of a field of two is hardly known, so that their intervals are a little too wide.
        (2, 10, 0.3, 0.0, 0.5),
    ],
)
def test_the_interval_of_95_percent_covers_93_to_97_percent(bots, pairs_each, draw, together, spread):
    """A short version: tests/stats/interval_coverage.py has the figures of the documents."""
    inside = total = 0
    for trial in range(max(100, 800 // bots)):
        rng = random.Random(trial)
        strengths = [rng.gauss(0.0, spread) for _ in range(bots)]
        mean = sum(strengths) / bots
        names, pairs = simulate(strengths, pairs_each, draw, together, rng)
        ratings = plackett_luce(names, pairs)
        for index, strength in enumerate(strengths):
            low, high = ratings.interval(index)
            inside += low <= ELO * (strength - mean) <= high
            total += 1
    assert 0.93 <= inside / total <= (0.98 if bots == 2 else 0.97)


@pytest.mark.slow
def test_likelihood_of_superiority_is_calibrated():
    """Among all pairs said to be 80-90 % sure, the stronger one is named in about that share."""
    right = total = 0
    for trial in range(150):
        rng = random.Random(trial)
        strengths = [rng.gauss(0.0, 0.5) for _ in range(8)]
        names, pairs = simulate(strengths, 3, 0.2, 0.0, rng)
        matrix = plackett_luce(names, pairs).superior
        for one in range(8):
            assert matrix[one][one] == 0.5
            for other in range(one):
                assert matrix[one][other] + matrix[other][one] == pytest.approx(1.0)
                sure = max((matrix[one][other], one, other), (matrix[other][one], other, one))
                if 0.8 <= sure[0] < 0.9:
                    total += 1
                    right += strengths[sure[1]] > strengths[sure[2]]
    assert total > 250
    # The prior spread of the strengths is narrow, so the truth is a little nearer than the data alone say.
    assert 0.75 <= right / total <= 0.95


def test_who_won_everything_has_a_finite_rating():
    pairs = [pair("a", "b", 2.0, 2)] * 5
    ratings = plackett_luce(("a", "b", "c"), pairs)
    assert ratings.elo[0] > 200.0
    assert all(map(math.isfinite, ratings.elo))
    low, high = ratings.interval(2)
    assert high - low > 500.0, "about somebody who has not played nothing is known"


def test_only_draws_do_not_make_anybody_sure():
    ratings = plackett_luce(("a", "b"), [pair("a", "b", 1.0, 2)] * 3)
    low, high = ratings.interval(0)
    assert low < -20.0 < 20.0 < high
    assert ratings.superiority(0, 1) == pytest.approx(0.5)


def test_nobody():
    assert plackett_luce((), []).names == ()


def test_pairs_are_gathered_by_seed():
    def game(number, first, second, winner):
        seats = (Participant(first, first), Participant(second, second))
        spec = MatchSpec("t", "s", 1, 0, number, "toy", "", (), seats, 5)
        return spec, MatchResult((PlayerResult("x"), PlayerResult("x")), Outcome(winner, "x"))

    matches = [game(0, "b", "a", 0), game(1, "a", "b", None), game(2, "b", "a", 1)]
    assert units(matches) == [pair("a", "b", 0.5, 2), pair("a", "b", 1.0, 1)]


def test_skill_grows_by_winning_and_uncertainty_shrinks():
    one, other = updated([Skill(), Skill()], [2.0, 0.0])
    assert one.mu > Skill().mu > other.mu
    assert one.sigma < Skill().sigma
    three = updated([Skill()] * 3, [3.0, 2.0, 1.0])
    assert [skill.mu for skill in three] == sorted((skill.mu for skill in three), reverse=True)
    low, high = one.interval
    assert low < one.mu < high


def test_members_of_a_team_share_its_result():
    after = updated([Skill()] * 4, [1.0, 0.0, 1.0, 0.0], teams=[(0, 2), (1, 3)])
    assert after[0] == after[2]
    assert after[1] == after[3]
    assert after[0].mu > Skill().mu > after[1].mu
    assert all(skill.sigma < Skill().sigma for skill in after)


def test_without_a_game_all_are_equal():
    ratings = plackett_luce(("a", "b"), [])
    assert list(ratings.elo) == [0.0, 0.0]
    low, high = ratings.interval(0)
    assert low < -100 < 100 < high


@pytest.mark.parametrize("teams", [[(0,), (1,)], [(0,), (1,), (2,), (3,), (4,), (5,)], [(0, 3), (4, 1), (2,)]], ids=str)
def test_without_ties_of_three_skills_are_those_of_openskill(teams):
    from openskill.models import PlackettLuce

    players = sum(map(len, teams))
    rng = random.Random(players)
    model = PlackettLuce(mu=25.0, sigma=25.0 / 3.0, tau=0.02)
    for _ in range(20):
        skills = [Skill(rng.uniform(5, 45), rng.uniform(0.5, 8.3)) for _ in range(players)]
        scores = rng.choice([[0.5] * 2, [1.0, 0.0]]) if len(teams) == 2 else rng.sample(range(len(teams)), len(teams))
        points = [
            float(scores[side]) for player in range(players) for side in range(len(teams)) if player in teams[side]
        ]
        before = [[model.rating(mu=skills[one].mu, sigma=skills[one].sigma) for one in side] for side in teams]
        rated = model.rate(before, scores=list(map(float, scores)))
        alone = all(len(side) == 1 for side in teams)
        after = updated(skills, points, () if alone else teams)
        for side, team in zip(teams, rated, strict=True):
            for player, one in zip(side, team, strict=True):
                assert (after[player].mu, after[player].sigma) == pytest.approx((one.mu, one.sigma), rel=1e-12)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("sides", range(2, 7))
def test_from_equal_skills_more_points_never_give_less(sides, size):
    teams = [tuple(range(side * size, (side + 1) * size)) for side in range(sides)]
    for ties in itertools.product((0, 1), repeat=sides - 1):
        places = list(itertools.accumulate(ties, initial=0))
        after = updated([Skill()] * (sides * size), [-float(place) for place in places for _ in range(size)], teams)
        skills = [after[team[0]] for team in teams]
        for (one, better), (other, worse) in itertools.combinations(zip(places, skills, strict=True), 2):
            assert better == worse if one == other else better.mu > worse.mu


def test_tied_players_have_the_mean_of_all_their_orders():
    skills = [Skill(20, 4), Skill(31, 2), Skill(25, 7), Skill(24, 3)]
    orders = [updated(skills, [*order, 0]) for order in itertools.permutations((1, 2, 3))]
    for player, after in enumerate(updated(skills, [1, 1, 1, 0])):
        assert after.mu == pytest.approx(sum(order[player].mu for order in orders) / len(orders))
