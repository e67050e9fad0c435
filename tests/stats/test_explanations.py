"""One planted blunder, and the shape of the tables: the short version of explanations.py."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from explanations import SMALL, bins, examine


@pytest.mark.slow
def test_a_planted_blunder_is_named():
    found = examine("saloon", 1, plants=True, most=500, options=SMALL["saloon"])
    assert found.planted
    assert found.named
    assert not found.blamed_the_other


def test_bins_hold_all_predictions():
    rows = bins([(0.0, 0.0), (0.05, 1.0), (0.95, 1.0), (1.0, 1.0)])
    assert [(at, count) for at, count, _, _ in rows] == [(0, 2), (9, 2)]
    assert rows[0][2:] == (0.025, 0.5)
