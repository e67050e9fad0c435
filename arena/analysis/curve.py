"""Estimate values along a match, for example shares of the win, from a few samples at some places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt
from statistics import fmean
from typing import NamedTuple

from arena.analysis.estimates import Estimate, standard_errors

STEPS = (2e-4, 1e-3, 2e-3, 4e-3, 8e-3, 2e-2, 4e-2)
"""The possible variances of one step of a curve. The curve is the mean of the curves for these variances, weighted by
their likelihood."""
CAUTION = 0.5
"""The penalty for large variances: from one variance in `STEPS` to the next, the logarithm of the weight falls by this
number. With a smaller penalty, the curve would follow noise. With a larger penalty, it would be too smooth."""
NEGLIGIBLE = 0.01
"""Variances with at most this share of the greatest weight are left out."""
GUESS_MEMORY = 1.0
"""After this share of a match, the expected error of a guess (see `Curve`) has fallen to 1/e."""
PRIOR_SAMPLES = 4
"""This many artificial samples are added to estimate the noise of a place. They equal the guess; without guesses, they
are equal shares. If none were added, two equal samples would look certain."""
LEAST_NOISE = 1e-4
GUESS_VARIANCE = 0.03
"""The assumed variance of the error of the guess at the first place."""


class _Walk(NamedTuple):
    likelihood: float
    means: list[list[float]]
    variances: list[float]


class Curve:
    """Estimate the values along a match from samples at some places. The model is a random walk with noisy samples.

    All steps of the walk have the same unknown variance. So the result is the mean of the curves for several variances,
    weighted by their likelihood. All components have the same variances, so that estimates of shares add up to 1. The
    result of the match is not used, since the winner was not always likely to win.

    Args:
        guesses: For each place, a guess of all components. If given, the random walk models the errors of the guesses,
            which tend to 0. If empty, the walk models the values.
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
            guess = self._guesses[at]
            expected = guess if guesses else [1 / components] * components
            shares = [
                (total + PRIOR_SAMPLES * one) / (len(rows) + PRIOR_SAMPLES)
                for total, one in zip(sums, expected, strict=True)
            ]
            noise = max(LEAST_NOISE, fmean(one * (1 - one) for one in shares) / len(rows))
            seen[at] = ([total / len(rows) - one for total, one in zip(sums, guess, strict=True)], noise)
        start = [0.0 if guesses else 1 / components] * components
        doubt = GUESS_VARIANCE if guesses else 0.25
        kept = exp(-1 / (GUESS_MEMORY * max(1, count - 1))) if guesses else 1.0
        self._means, self._variances = _weighted([_walk(count, seen, start, doubt, step, kept) for step in STEPS])

    def at(self, place: int, component: int, confidence: float = 0.95) -> Estimate:
        mean = min(1.0, max(0.0, self._guesses[place][component] + self._means[place][component]))
        half = standard_errors(confidence) * sqrt(self._variances[place])
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), self._playouts.get(place, 0))


def _walk(
    count: int,
    seen: Mapping[int, tuple[list[float], float]],
    start: list[float],
    doubt: float,
    step: float,
    kept: float,
) -> _Walk:
    """Filter the samples forwards (Kalman), then smooth the values backwards (Rauch-Tung-Striebel).

    Args:
        seen: For some places, the means of the samples (minus the guesses), and the variance of these means.
    """
    mean, variance, likelihood = start, doubt, 0.0
    means, variances = [], []
    for at in range(count):
        if at:
            mean, variance = [kept * one for one in mean], kept * kept * variance + step
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
        expected = kept * kept * variances[at] + step
        gain = kept * variances[at] / expected
        means[at] = [one + gain * (next_ - kept * one) for one, next_ in zip(means[at], means[at + 1], strict=True)]
        variances[at] += gain * gain * (variances[at + 1] - expected)
    return _Walk(likelihood, means, variances)


def _weighted(walks: Sequence[_Walk]) -> tuple[list[list[float]], list[float]]:
    scores = [walk.likelihood - CAUTION * at for at, walk in enumerate(walks)]
    chances = [exp(one - max(scores)) for one in scores]
    likely = [(chance, walk) for chance, walk in zip(chances, walks, strict=True) if chance > NEGLIGIBLE]
    total = sum(chance for chance, _ in likely)
    means: list[list[float]] = []
    variances: list[float] = []
    for place, first in enumerate(walks[0].means):
        mean = [sum(chance * walk.means[place][one] for chance, walk in likely) / total for one in range(len(first))]
        spread = 0.0
        for chance, walk in likely:
            apart = sum((one - other) ** 2 for one, other in zip(walk.means[place], mean, strict=True)) / len(mean)
            spread += chance * (walk.variances[place] + apart)
        means.append(mean)
        variances.append(spread / total)
    return means, variances
