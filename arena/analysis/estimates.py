"""Means with intervals, from few values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

STEPS = (2e-4, 1e-3, 2e-3, 4e-3, 8e-3, 2e-2, 4e-2)
"""Variances of one step of a curve, to choose from."""
GUESS_VARIANCE = 0.03
"""The variance of what the first value differs from a guess."""


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


class Curve:
    """Values along a match, estimated from samples at some places: a random walk, seen with noise.

    A step from place to place has the same variance everywhere, which is chosen by maximum likelihood. Few samples at a
    place are completed by those near it, many samples stand for themselves, and gaps have wide intervals. All
    components share one variance, so that estimates of shares add up to 1. The result of the match is not used: who won
    in the end was not always likely to win.

    Args:
        count: The number of places.
        samples: The samples at some places; each has one value for each component.
        components: The number of components.
        guesses: A guess of all components for each place, which already follows the larger changes; only what the
            samples differ from it is a random walk then. Without guesses the values themselves are one.
    """

    def __init__(
        self,
        count: int,
        samples: Mapping[int, Sequence[Sequence[float]]],
        components: int,
        guesses: Sequence[Sequence[float]] = (),
    ) -> None:
        self._guesses = guesses or [[0.0] * components] * count
        self._playouts = {at: len(rows) for at, rows in samples.items()}
        seen: dict[int, tuple[list[float], float]] = {}
        for at, rows in samples.items():
            sums = [sum(column) for column in zip(*rows, strict=True)]
            shares = [(total + 0.5) / (len(rows) + 1) for total in sums]
            noise = fmean(one * (1 - one) for one in shares) / len(rows)
            guess = self._guesses[at]
            seen[at] = ([total / len(rows) - one for total, one in zip(sums, guess, strict=True)], noise)
        start = [0.0 if guesses else 1 / components] * components
        doubt = GUESS_VARIANCE if guesses else 0.25
        passes = [self._pass(count, seen, start, doubt, step) for step in STEPS]
        _, self._means, self._variances = max(passes, key=lambda one: one[0])

    def at(self, place: int, component: int, confidence: float = 0.95) -> Estimate:
        """Return the estimate at a place."""
        mean = min(1.0, max(0.0, self._guesses[place][component] + self._means[place][component]))
        half = _z(confidence) * sqrt(self._variances[place])
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), self._playouts.get(place, 0))

    @staticmethod
    def _pass(
        count: int, seen: Mapping[int, tuple[list[float], float]], start: list[float], doubt: float, step: float
    ) -> tuple[float, list[list[float]], list[float]]:
        """Filter forwards and smooth backwards (Kalman, Rauch-Tung-Striebel). Return the likelihood and the results."""
        mean, variance, likelihood = start, doubt, 0.0
        means, variances = [], []
        for at in range(count):
            if at:
                variance += step
            if at in seen:
                value, noise = seen[at]
                total = variance + noise
                for one, other in zip(value, mean, strict=True):
                    likelihood -= 0.5 * (log(total) + (one - other) ** 2 / total)
                gain = variance / total
                mean = [other + gain * (one - other) for one, other in zip(value, mean, strict=True)]
                variance *= 1 - gain
            means.append(mean)
            variances.append(variance)
        for at in range(count - 2, -1, -1):
            gain = variances[at] / (variances[at] + step)
            means[at] = [one + gain * (next_ - one) for one, next_ in zip(means[at], means[at + 1], strict=True)]
            variances[at] += gain * gain * (variances[at + 1] - variances[at] - step)
        return likelihood, means, variances


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)
