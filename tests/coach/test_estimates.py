"""Means with intervals."""

from __future__ import annotations

from arena.study.coach.probability import difference, share


def test_intervals_narrow_with_more_values():
    few, many = share([1.0, 0.0] * 4), share([1.0, 0.0] * 40)
    assert few.low < many.low < 0.5 < many.high < few.high
    assert share([1.0] * 6).low < 0.7
    assert difference([0.0] * 5).low < 0 < difference([0.0] * 5).high
    assert difference([1.0, 0.0] * 40).low > 0
