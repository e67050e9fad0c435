"""Win probabilities from shares of playouts."""

from itertools import pairwise
from random import Random

import pytest

from arena.study.coach.probability import difference, share, win_difference, win_of, win_probability

WON, LOST = (1.0, 0.0), (0.0, 1.0)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_equal_and_certain_shares_stay_as_they_are(players):
    equal = [1 / players] * players
    certain = [1.0] + [0.0] * (players - 1)
    assert [win_probability(equal, player, 2) for player in range(players)] == pytest.approx(equal)
    assert [win_probability(certain, player, 2) for player in range(players)] == certain


@pytest.mark.parametrize("players", [2, 3, 5])
def test_win_probabilities_add_up_to_1_and_are_more_certain_than_playouts(players):
    rng = Random(players)
    for _ in range(20):
        shares = [rng.random() for _ in range(players)]
        shares = [one / sum(shares) for one in shares]
        found = [win_probability(shares, player, 2) for player in range(players)]
        assert sum(found) == pytest.approx(1)
        assert max(found) > max(shares)
        assert min(found) < min(shares)
        assert sorted(range(players), key=found.__getitem__) == sorted(range(players), key=shares.__getitem__)


def test_a_larger_share_is_a_larger_probability():
    shares = [0.3, 0.3, 0.4]
    found = [win_probability(shares, 0, 2, at / 20) for at in range(21)]
    assert all(one < other for one, other in pairwise(found))
    assert (found[0], found[-1]) == (0, 1)
    assert win_probability(shares, 0, 2, 0.3) == win_probability(shares, 0, 2)
    assert win_probability(shares, 0, 2, 1.4) == 1


def test_an_interval_holds_its_probability_and_narrows():
    few, many = (win_of([WON] * count + [LOST] * 3 * count, 0, 2) for count in (4, 40))
    assert few.value == many.value < 0.25
    assert few.low < many.low < many.value < many.high < few.high
    assert win_of([], 0, 2) == share(())


def test_the_gain_is_the_difference_of_both_probabilities():
    before, after = [WON] * 30 + [LOST] * 70, [WON] * 60 + [LOST] * 40
    gain = win_difference(list(zip(before, after, strict=True)), 0, 2)
    assert gain.value == pytest.approx(win_of(after, 0, 2).value - win_of(before, 0, 2).value)
    assert 0.3 < gain.value < gain.high < 1
    assert 0 < gain.low < gain.value
    loss = win_difference(list(zip(before, after, strict=True)), 1, 2)
    assert (loss.low, loss.value, loss.high) == pytest.approx((-gain.high, -gain.value, -gain.low))
    assert win_difference([], 0, 2) == (0, -1, 1, 0)


def test_the_gains_of_all_players_add_up_to_nothing():
    rng = Random(1)
    before, after = ([tuple(float(at == won) for at in range(4)) for won in rng.choices(range(4), weights, k=60)]
                     for weights in ((1, 2, 3, 4), (4, 1, 2, 3)))  # fmt: skip
    gains = [win_difference(list(zip(before, after, strict=True)), player, 2) for player in range(4)]
    assert sum(gain.value for gain in gains) == pytest.approx(0)
    assert all(-1 <= gain.low <= gain.value <= gain.high <= 1 for gain in gains)


@pytest.mark.parametrize("power", [1, 1.4, 3])
def test_a_difference_is_certain_where_that_of_the_playouts_is(power):
    equal = win_difference([(WON, LOST), (LOST, WON)] * 10, 0, power)
    assert equal.low < 0 < equal.high
    assert equal.value == 0
    for better in range(1, 20):
        pairs = [(LOST, WON)] * better + [(LOST, LOST)] * (40 - better)
        playouts = difference([other[0] - one[0] for one, other in pairs])
        assert (win_difference(pairs, 0, power).low > 0) == (playouts.low > 0)
