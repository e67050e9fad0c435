"""One planted blunder, and the shape of the tables: the short version of explanations.py."""

import sys
from pathlib import Path
from random import Random

import pytest

from arena.analysis.probability import win_probability

sys.path.insert(0, str(Path(__file__).parent))
from explanations import SMALL, bins, examine, likeliest_power, pairs_of


@pytest.mark.slow
def test_a_planted_blunder_is_named():
    found = examine("saloon", 1, "planted", SMALL["saloon"], 300, "pianist")
    assert found["planted"]
    assert found["named"]


def test_bins_hold_all_turns_and_count_matches():
    rows = bins([[(0.0, 0.0), (0.05, 1.0)], [(0.95, 1.0), (1.0, 1.0), (0.05, 0.0)]])
    assert [row[:3] for row in rows] == [(0, 3, 2), (9, 2, 1)]
    assert rows[0][3:5] == pytest.approx((0.1 / 3, 1 / 3))
    assert rows[0][5] > rows[1][5] == 0


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_power_of_matches_that_are_more_certain_than_playouts(power):
    rng = Random(1)
    curves = []
    for _ in range(2_000):
        share = rng.random()
        won = rng.random() < win_probability([share, 1 - share], 0, power)
        curves.append({"shares": [[share, 1 - share]], "result": [float(won), float(not won)]})
    assert likeliest_power(curves) == pytest.approx(power, abs=0.2)
    rows = bins([pairs_of(curve, power) for curve in curves])
    assert all(abs(result - mean) < 0.1 for _, _, _, mean, result, _ in rows)
