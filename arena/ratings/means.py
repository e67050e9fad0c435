"""Means of scores with their intervals."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

_NORMAL_95 = 1.959964


def mean_and_margin(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % interval (Student's t); the margin of one value is infinite."""
    freedom = len(values) - 1
    if freedom < 1:
        return fmean(values), math.inf
    return fmean(values), quantile_95(freedom) * stdev(values) / math.sqrt(len(values))


def quantile_95(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t, within 0.5 % (the series of Cornish and Fisher)."""
    if freedom < 4:
        return (12.7062, 4.3027, 3.1824)[freedom - 1]
    z = _NORMAL_95
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
