"""Means with intervals, from few values."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple


class Estimate(NamedTuple):
    """A mean with its interval.

    Attributes:
        value: The mean.
        low: The lower end.
        high: The upper end.
        playouts: How many values there were.
    """

    value: float
    low: float
    high: float
    playouts: int

    @classmethod
    def known(cls, value: float) -> Estimate:
        """Return a value that needs no estimate."""
        return cls(value, value, value, 0)

    def to_document(self) -> dict[str, float]:
        """Return rounded values for JSON."""
        return {"value": round(self.value, 4), "low": round(self.low, 4), "high": round(self.high, 4)}


def share(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Estimate a mean of values between 0 and 1, by Wilson's interval. For values that are not 0 or 1 it is wide."""
    count = len(values)
    if not count:
        return Estimate(0.5, 0.0, 1.0, 0)
    z = _z(confidence)
    mean = fmean(values)
    centre = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half), count)


def difference(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Estimate a mean of paired differences between -1 and 1.

    Two pairs with the largest differences are added, one of each sign, so that few equal values do not look certain.
    """
    count = len(values)
    if not count:
        return Estimate(0.0, -1.0, 1.0, 0)
    mean = fmean(values)
    half = _z(confidence) * stdev([*values, 1.0, -1.0]) / sqrt(count)
    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), count)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)
