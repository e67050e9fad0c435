"""Means with intervals, from few values."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

from arena.text.numbers import rounded


class Estimate(NamedTuple):
    value: float
    low: float
    high: float
    playouts: int

    def to_document(self) -> dict[str, float]:
        return {"value": rounded(self.value, 4), "low": rounded(self.low, 4), "high": rounded(self.high, 4)}


def share(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Estimate a mean of values from 0 to 1, by Wilson's interval.

    The interval is wider than needed if there are values other than 0 and 1. Without values, the mean is 0.5.
    """
    count = len(values)
    if not count:
        return Estimate(0.5, 0.0, 1.0, 0)
    z = standard_errors(confidence)
    mean = fmean(values)
    centre = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half), count)


def difference(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Estimate the mean of paired differences between -1 and 1.

    The width of the interval is computed as if there were two more differences, -1 and 1. Without them, a few equal
    values would look certain.
    """
    count = len(values)
    if not count:
        return Estimate(0.0, -1.0, 1.0, 0)
    mean = fmean(values)
    half = standard_errors(confidence) * stdev([*values, 1.0, -1.0]) / sqrt(count)
    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), count)


def standard_errors(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)
