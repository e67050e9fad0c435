"""Curves from few samples."""

from __future__ import annotations

from random import Random

import pytest

from arena.analysis.curve import Curve


def test_a_curve_joins_what_is_known_and_is_uncertain_in_gaps():
    samples = {at: [(1.0, 0.0), (0.0, 1.0)] * 20 for at in (0, 10)} | {30: [(1.0, 0.0)] * 40}
    curve = Curve(41, samples, 2)
    found = [curve.at(at, 0) for at in range(41)]
    assert found[5].value == pytest.approx(0.5, abs=0.05)
    assert found[10].value < found[20].value < found[30].value
    assert found[20].high - found[20].low > found[10].high - found[10].low
    assert found[40].high - found[40].low > found[30].high - found[30].low
    assert all(one.value + curve.at(at, 1).value == pytest.approx(1) for at, one in enumerate(found))


def test_a_curve_follows_a_guess_and_corrects_it():
    guesses = [(0.9, 0.1)] * 20 + [(0.1, 0.9)] * 20
    samples = {at: [(1.0, 0.0)] * 8 + [(0.0, 1.0)] * 2 for at in (0, 8)} | {at: [(0.0, 1.0)] * 10 for at in (30, 38)}
    curve = Curve(40, samples, 2, guesses)
    assert curve.at(19, 0).value - curve.at(20, 0).value > 0.7, "it falls where the guess falls"
    assert curve.at(4, 0).value == pytest.approx(0.8, abs=0.06)
    assert curve.at(34, 0).value == pytest.approx(0.0, abs=0.06)


def test_a_guess_that_is_wrong_in_the_opening_only_does_not_outweigh_its_samples():
    guesses = [(one, 1 - one) for one in (0.46, 0.15, 0.19, 0.16)]  # as in a match of Laser Flag
    samples = {at: [(1.0, 0.0)] * won + [(0.0, 1.0)] * (15 - won) for at, won in enumerate((3, 1, 0, 0))}
    curve = Curve(4, samples, 2, guesses)
    assert curve.at(0, 0).value == pytest.approx(0.2, abs=0.06)
    assert curve.at(3, 0).value == pytest.approx(0.0, abs=0.06)


def test_the_error_of_a_guess_fades_where_nothing_is_sampled():
    curve = Curve(41, {0: [(1.0, 0.0)] * 40}, 2, [(0.5, 0.5)] * 41)
    found = [curve.at(at, 0) for at in (0, 10, 20, 40)]
    assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    assert found[0].value > 0.9
    assert found[-1].value < 0.75
    assert found[-1].high - found[-1].low > found[0].high - found[0].low


def test_a_curve_does_not_follow_the_noise_of_few_samples():
    rng = Random(1)
    errors = []
    for _ in range(20):
        samples = {}
        for at in range(0, 100, 2):
            won = [float(rng.random() < 0.5) for _ in range(2)]
            samples[at] = [(one, 1 - one) for one in won]
        curve = Curve(100, samples, 2, [(0.5, 0.5)] * 100)
        errors += [abs(curve.at(at, 0).value - 0.5) for at in range(100)]
    assert sum(errors) / len(errors) < 0.06
