"""The results of one pair count only as far as chance explains them; those of a better version count."""

import random

import pytest

from arena.contests.ladder.collusion import Pairs

NAMES = [f"Team {number}" for number in range(8)]


def filled(rounds, seed=1, better=()):
    """A round-robin of equal teams; those in `better` win always."""
    pairs, rng = Pairs(), random.Random(seed)
    for _ in range(rounds):
        for place, one in enumerate(NAMES):
            for other in NAMES[place + 1 :]:
                won = one in better or (other not in better and rng.random() < 0.5)
                pairs.add(one, other, float(won), 0.5, trusted=False)
    return pairs


@pytest.mark.promise("agreed-winners")
def test_thrown_matches_of_one_pair_do_not_count():
    pairs = filled(10)
    weights = [pairs.add("Team 0", "Team 1", 1.0, 0.5, trusted=False) for _ in range(30)]
    assert min(weights) < 0, "what counted before is taken back"
    known = pairs.met["Team 0", "Team 1"]
    assert abs(known.counted) < 2.0 < 8.0 < known.surplus
    assert [(one, other) for one, other, _ in pairs.improbable()] == [("Team 0", "Team 1")]


def test_the_loser_may_come_first():
    pairs = filled(10)
    for _ in range(30):
        pairs.add("Team 0", "Team 1", 0.0, 0.5, trusted=False)
    (one, other, known), *more = pairs.improbable()
    assert (one, other, more) == ("Team 1", "Team 0", [])
    assert known.points > 30


def test_honest_results_count_and_no_pair_is_shown():
    for seed in range(5):
        pairs = filled(30, seed)
        assert not list(pairs.improbable())
        assert sum(known.counted == pytest.approx(known.surplus) for known in pairs.met.values()) >= 18


def test_a_better_version_counts_although_it_wins_against_all():
    pairs = filled(10)
    weights = []
    for _ in range(10):
        weights += [pairs.add("Team 0", other, 1.0, 0.6, trusted=False) for other in NAMES[1:]]
    assert sum(weights) / len(weights) > 0.7
    assert not [one for one in pairs.improbable() if "Team 0" in one[:2]] or sum(weights[:30]) > 27


def test_bots_that_always_beat_certain_others_are_not_improbable():
    pairs = Pairs()
    for _ in range(30):
        for place, one in enumerate(NAMES):
            for distance in (1, 2, 3):
                pairs.add(one, NAMES[(place + distance) % 8], 1.0, 0.5, trusted=False)
    assert not list(pairs.improbable())


def test_results_against_built_in_bots_count_in_any_case():
    pairs = filled(10)
    assert {pairs.add("Team 0", "weak (built-in)", 1.0, 0.5, trusted=True) for _ in range(30)} == {1.0}
