"""One planted blunder, and the shape of the tables: the short version of explanations.py."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from explanations import SMALL, bins, examine


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
