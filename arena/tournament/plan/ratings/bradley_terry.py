"""Bradley-Terry ratings with 95 % intervals, from pairs of games.

The chance that i beats j is 1 / (1 + exp(r_j - r_i)); a draw counts as half a win. The ratings of a field are taken as
normally distributed, with a spread that the results show as well: each spread of a grid is weighted by how well it
explains them. So nobody who won everything has an infinite rating, and an interval holds the true value as often as it
says, whoever was paired with whom because of earlier results: what is known after the results does not depend on why
they were played.

The pairs themselves show how much chance is in them: draws make results scatter less than coin tosses do, and two
games on one seed are not independent. One factor for all, the ratio of the scatter seen to the scatter of independent
coin tosses, corrects for both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournament.plan.ratings.pairs import PairResult

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Array = NDArray[numpy.float64]

ELO = 400.0 / math.log(10.0)
"""Elo points in one natural unit of rating."""
_SPREADS = tuple(20.0 * 1.5**step / ELO for step in range(12))
"""Spreads of a field that are considered: 20 to 1,730 Elo."""
_STEPS = 100
_LARGE = 1.5
"""The weight of a spread grows with this power of it: too small a spread makes all intervals too narrow."""
_WIDENED = 0.1
"""Intervals are wider by this share, as far as they follow from results rather than from the spread of the field.

Both numbers were found by simulation of all formats (`make stats`).
"""
_LONGEST_STEP = 2.0
_PSEUDO_PAIRS = 2.0


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of all who have played, in Elo, with mean zero.

    Attributes:
        names: The entrants, in the order that was given.
        elo: The ratings.
        low: The lower ends of their 95 % intervals.
        high: The upper ends.
        superior: For each entrant the likelihood that they are really stronger than each other one.
        scatter: Scatter of the pairs against that of independent coin tosses.
    """

    names: tuple[str, ...]
    elo: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    superior: list[list[float]]
    scatter: float

    def interval(self, index: int) -> tuple[float, float]:
        """Return the 95 % interval of one rating."""
        return self.low[index], self.high[index]

    def superiority(self, one: int, other: int) -> float:
        """Return the likelihood that one is really stronger than the other."""
        return self.superior[one][other]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The ratings for one spread of the field: mode, covariance around it, and the logarithm of its weight."""

    ratings: Array
    covariance: Array
    weight: float


@dataclass(frozen=True, slots=True)
class _Results:
    """All pairs as arrays: who met whom (indexes), points of the first, games; and games of each two in a matrix."""

    one: Array
    other: Array
    points: Array
    games: Array
    met: Array


def bradley_terry(names: Sequence[str], pairs: Sequence[PairResult], spreads: Sequence[float] = _SPREADS) -> Ratings:
    """Return the ratings of the entrants who take part in the pairs (others get the rating 0 and a wide interval).

    Args:
        names: All entrants.
        pairs: Results of pairs of games.
        spreads: Standard deviations of the field that are considered, in natural units.
    """
    import numpy  # only tournaments need it, and it takes a tenth of a second

    if not names:
        return Ratings((), (), (), (), [], 1.0)
    results = _results(names, pairs)
    scatter = _scatter(results, max(_fits(results, spreads[::3], 1.0), key=lambda fit: fit.weight))
    fits = _fits(results, spreads, scatter)
    best = max(fit.weight for fit in fits)
    weights = numpy.array([math.exp(fit.weight - best) for fit in fits])
    weights /= weights.sum()
    means = numpy.array([fit.ratings - fit.ratings.mean() for fit in fits])
    covariances = numpy.array([_centred(fit.covariance) for fit in fits])
    variances = numpy.maximum(numpy.diagonal(covariances, axis1=1, axis2=2), 1e-12)
    known = 1.0 - numpy.minimum(1.0, variances / numpy.square(spreads)[:, None])
    deviations = numpy.sqrt(variances) * (1.0 + _WIDENED * known)
    low, high = (_quantile(weights, means, deviations, share) for share in (0.025, 0.975))
    return Ratings(
        tuple(names),
        tuple((ELO * (weights @ means)).tolist()),
        tuple((ELO * low).tolist()),
        tuple((ELO * high).tolist()),
        _superiority(weights, means, covariances).tolist(),
        scatter,
    )


def _results(names: Sequence[str], pairs: Sequence[PairResult]) -> _Results:
    import numpy

    index = {name: number for number, name in enumerate(names)}
    one = numpy.array([index[pair.one] for pair in pairs], dtype=int)
    other = numpy.array([index[pair.other] for pair in pairs], dtype=int)
    games = numpy.array([pair.games for pair in pairs], dtype=float)
    met = numpy.zeros((len(names), len(names)))
    numpy.add.at(met, (one, other), games)
    return _Results(one, other, numpy.array([pair.points for pair in pairs], dtype=float), games, met + met.T)


def _fits(results: _Results, spreads: Sequence[float], scatter: float) -> list[_Fit]:
    """Return the ratings for each spread, the smallest first; each starts from the one before."""
    import numpy

    ratings = numpy.zeros(len(results.met))
    fits = []
    for spread in spreads:
        fits.append(_fit(results, spread, scatter, ratings))
        ratings = fits[-1].ratings
    return fits


def _fit(results: _Results, spread: float, scatter: float, start: Array) -> _Fit:
    """Find the likeliest ratings for one spread by Newton's method."""
    import numpy

    count, precision = len(start), spread**-2
    points = numpy.bincount(results.one, results.points, count)
    points += numpy.bincount(results.other, results.games - results.points, count)
    ratings = start.copy()
    for _ in range(_STEPS):
        chances = _chances(ratings[:, None] - ratings[None, :])
        slope = (points - (results.met * chances).sum(1)) / scatter - precision * ratings
        weights = results.met * chances * (1.0 - chances) / scatter
        curvature = numpy.diag(weights.sum(1) + precision) - weights
        step = numpy.linalg.solve(curvature, slope)
        longest = float(abs(step).max())
        if longest < 1e-7:
            break
        ratings += min(1.0, _LONGEST_STEP / longest) * step
    chances = _chances(ratings[results.one] - ratings[results.other])
    points_lost = results.games - results.points
    likelihood = (results.points * numpy.log(chances) + points_lost * numpy.log1p(-chances)).sum() / scatter
    prior = (_LARGE - count) * math.log(spread) - 0.5 * precision * float(ratings @ ratings)
    weight = float(likelihood) + prior - 0.5 * float(numpy.linalg.slogdet(curvature)[1])
    return _Fit(ratings, numpy.linalg.inv(curvature).astype(float), weight)


def _chances(differences: Array) -> Array:
    import numpy

    return 1.0 / (1.0 + numpy.exp(-numpy.clip(differences, -30.0, 30.0)))


def _scatter(results: _Results, fit: _Fit) -> float:
    """Return scatter of the pairs' points around what the ratings say, against that of independent coin tosses."""
    if not len(results.games):
        return 1.0
    covariance, one, other = fit.covariance, results.one, results.other
    uncertainty = covariance[one, one] + covariance[other, other] - 2.0 * covariance[one, other]
    chances = _chances(fit.ratings[one] - fit.ratings[other])
    variances = results.games * chances * (1.0 - chances)
    seen = float(((results.points - results.games * chances) ** 2).sum())
    expected = float(variances.sum())
    # What the ratings have taken from the scatter by following the results.
    taken = float((variances**2 * uncertainty).sum())
    # A few imagined pairs of coin tosses keep the factor from nought when all that was seen are draws.
    imagined = _PSEUDO_PAIRS * expected / len(results.games)
    return (seen + imagined) / (max(expected - taken, 0.05 * expected) + imagined)


def _centred(covariance: Array) -> Array:
    centred: Array = covariance - covariance.mean(0) - covariance.mean(1, keepdims=True) + covariance.mean()
    return centred


def _normal(values: Array) -> Array:
    """Return the standard normal distribution function; its error is below 2e-7 (Abramowitz and Stegun 7.1.26)."""
    import numpy

    size = abs(values) / math.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    upper = 0.5 * series * numpy.exp(-(size**2))
    result: Array = numpy.where(values < 0.0, upper, 1.0 - upper)
    return result


def _quantile(weights: Array, means: Array, deviations: Array, share: float) -> Array:
    """Return where a mixture of normal distributions reaches a share, for each entrant, by bisection."""
    import numpy

    low, high = (means - 6.0 * deviations).min(0), (means + 6.0 * deviations).max(0)
    for _ in range(40):
        middle = 0.5 * (low + high)
        below = weights @ _normal((middle - means) / deviations) < share
        low, high = numpy.where(below, middle, low), numpy.where(below, high, middle)
    result: Array = 0.5 * (low + high)
    return result


def _superiority(weights: Array, means: Array, covariances: Array) -> Array:
    import numpy

    total = numpy.zeros(covariances.shape[1:])
    for weight, mean, covariance in zip(weights, means, covariances, strict=True):
        own = numpy.diagonal(covariance)
        deviation = numpy.sqrt(numpy.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 1e-12))
        total += weight * _normal((mean[:, None] - mean[None, :]) / deviation)
    numpy.fill_diagonal(total, 0.5)
    return total
