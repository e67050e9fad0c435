"""The sequential test against published values, against its own promises, and at its edges."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.ratings.sequential import SCORES, PairScores, Sprt, elo_of, score_of


# Counts and log-likelihood ratios from the tests of fastchess (app/tests/sprt_test.cpp, commit 0cbac49). It keeps
# win-loss and draw-draw pairs apart; they are summed here. A trinomial result is a pentanomial one without the pairs
# that mix a draw with a decided game. Its cases of normalised Elo are left out: `Sprt` has Elo only.
@pytest.mark.parametrize(
    ("elo0", "elo1", "counts", "published"),
    [
        (0.5, 2.5, (223, 9863, 20279 + 1000, 10037, 246), -3.07),
        (0.0, 2.0, (871, 26175, 55003 + 980, 26678, 821), -4.98),
        (0.5, 2.5, (21184, 0, 40708, 0, 21404), -1.57),
        (0.0, 2.0, (57030, 0, 106593, 0, 57433), -2.59),
    ],
)
def test_published_values_of_fastchess(elo0, elo1, counts, published):
    assert Sprt(elo0, elo1).ratio(counts) == pytest.approx(published, rel=0.01)


def simulate(elo, test, rng, most=20_000):
    """One sequential test on games that are drawn in a third of the cases; says how it ended and after how long."""
    score = score_of(elo)
    counts = [0] * 5
    for number in range(most):
        points = 0
        for _ in range(2):
            toss = rng.random()
            points += 2 if toss < score - 1 / 6 else 1 if toss < score + 1 / 6 else 0
        counts[points] += 1
        if number % 8 == 7 and (decision := test.decision(counts)):
            return decision, number + 1
    return "", most


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "elo1"), (40.0, "elo0")])
def test_error_rates_are_as_promised(elo, wrong):
    test = Sprt(0.0, 40.0)
    rng = random.Random(7)
    ends = [simulate(elo, test, rng) for _ in range(400)]
    errors = sum(decision == wrong for decision, _ in ends)
    assert all(decision for decision, _ in ends)
    # 5 % of 400 are 20; three standard deviations above are 33.
    assert errors <= 33
    # It stops long before a fixed number of games with the same error rates would have been played (570 pairs).
    assert sum(length for _, length in ends) / len(ends) < 400


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5))
def test_mirrored_results_have_mirrored_ratios(counts):
    one = Sprt(-5.0, 5.0).ratio(counts)
    other = Sprt(-5.0, 5.0).ratio(counts[::-1])
    assert math.isfinite(one)
    assert one == pytest.approx(-other, abs=1e-6)


def test_bounds():
    low, high = Sprt(alpha=0.05, beta=0.05).bounds
    assert (low, high) == pytest.approx((-2.944, 2.944), abs=0.001)
    test = Sprt(0.0, 10.0)
    assert test.decision((0, 0, 0, 0, 0)) == ""
    assert test.decision((0, 0, 0, 0, 2000)) == "elo1"
    assert test.decision((2000, 0, 0, 0, 0)) == "elo0"


def test_elo_and_score_are_inverse():
    for elo in (-400.0, -10.0, 0.0, 35.0, 700.0):
        assert elo_of(score_of(elo)) == pytest.approx(elo)
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)


def test_a_comparison_counts_pairs():
    comparison = PairScores()
    assert comparison.interval == (0.0, 1.0)
    for points in (2.0, 1.5, 1.0, 1.0, 0.0):
        comparison.add(points / 2)
    assert comparison.counts == [1, 0, 2, 1, 1]
    assert comparison.score == pytest.approx(0.55)
    low, high = comparison.interval
    assert low < 0.55 < high
    assert comparison.superiority > 0.5
    only_won = PairScores(Counter({1.0: 50}), 50)
    low, high = only_won.interval
    assert 0.9 < low < high == 1.0


@pytest.mark.parametrize("pairs", [30, 200])
def test_the_interval_of_a_comparison_covers(pairs):
    inside = 0
    for trial in range(1000):
        rng = random.Random(trial)
        score = 0.4 + 0.3 * rng.random()
        comparison = PairScores()
        for _ in range(pairs):
            tosses = [rng.random() for _ in range(2)]
            points = [1.0 if toss < score - 0.1 else 0.5 if toss < score + 0.1 else 0.0 for toss in tosses]
            comparison.add(sum(points) / 2)
        low, high = comparison.interval
        inside += low <= score <= high
    assert 930 <= inside <= 975
    assert len(SCORES) == len(comparison.counts)
