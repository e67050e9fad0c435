"""Bradley-Terry ratings with 95 % intervals, from pairs of games.

The chance that i beats j is 1 / (1 + exp(r_j - r_i)); a draw counts as half a win. Every entrant also has `prior`
drawn games against an opponent of rating 0, which keeps the rating of somebody who won everything finite.

The intervals take the scatter from the pairs themselves: draws make results scatter less than coin tosses do, and two
games on one seed are not independent. One factor for all, the ratio of the scatter seen to the scatter of
independent coin tosses, corrects for both.
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
_NORMAL_95 = 1.959964
_STEPS = 100
_LONGEST_STEP = 2.0
_PSEUDO_PAIRS = 2.0


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of all who have played, in Elo, with mean zero.

    Attributes:
        names: The entrants, in the order that was given.
        elo: The ratings.
        covariance: Their covariance, in Elo squared.
        scatter: Scatter of the pairs against that of independent coin tosses.
    """

    names: tuple[str, ...]
    elo: tuple[float, ...]
    covariance: list[list[float]]
    scatter: float

    def interval(self, index: int) -> tuple[float, float]:
        """Return the 95 % interval of one rating."""
        half = _NORMAL_95 * math.sqrt(max(0.0, self.covariance[index][index]))
        return self.elo[index] - half, self.elo[index] + half

    def superiority(self, one: int, other: int) -> float:
        """Return the likelihood that one is really stronger than the other."""
        if one == other:
            return 0.5
        covariance = self.covariance
        variance = covariance[one][one] + covariance[other][other] - 2.0 * covariance[one][other]
        if variance <= 0.0:
            return 0.5
        return 0.5 * (1.0 + math.erf((self.elo[one] - self.elo[other]) / math.sqrt(2.0 * variance)))

    def superiority_matrix(self) -> list[list[float]]:
        """Return for each entrant the likelihood of superiority over each other."""
        count = range(len(self.names))
        return [[self.superiority(one, other) for other in count] for one in count]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Games of each pair of opponents (a symmetric matrix), points of each entrant, and the prior."""

    games: Array
    points: Array
    prior: float


def bradley_terry(names: Sequence[str], pairs: Sequence[PairResult], *, prior: float = 0.5) -> Ratings:
    """Return the ratings of the entrants who take part in the pairs (others get the rating 0 and a wide interval).

    Args:
        names: All entrants.
        pairs: Results of pairs of games.
        prior: Drawn games against an opponent of rating 0 that everybody is given.
    """
    import numpy  # only tournaments need it, and it takes a tenth of a second

    if not names:
        return Ratings((), (), [], 1.0)
    sums = _sums(names, pairs, prior)
    ratings = numpy.zeros(len(names))
    for _ in range(_STEPS):
        step = numpy.linalg.solve(*_slopes(sums, ratings))
        longest = float(abs(step).max())
        ratings += min(1.0, _LONGEST_STEP / longest) * step if longest else 0.0
        if longest < 1e-9:
            break
    scatter = _scatter(names, pairs, ratings.tolist())
    covariance = numpy.linalg.inv(_slopes(sums, ratings)[0])
    centred = covariance - covariance.mean(0) - covariance.mean(1, keepdims=True) + covariance.mean()
    elo = ELO * (ratings - ratings.mean())
    return Ratings(tuple(names), tuple(elo.tolist()), (scatter * ELO * ELO * centred).tolist(), scatter)


def _sums(names: Sequence[str], pairs: Sequence[PairResult], prior: float) -> _Sums:
    import numpy

    index = {name: number for number, name in enumerate(names)}
    games, points = numpy.zeros((len(names), len(names))), numpy.zeros(len(names))
    for pair in pairs:
        one, other = index[pair.one], index[pair.other]
        games[one, other] += pair.games
        games[other, one] += pair.games
        points[one] += pair.points
        points[other] += pair.games - pair.points
    # A trace of prior stays in any case: without it the ratings are known only up to a constant.
    return _Sums(games, points, max(prior, 1e-9))


def _slopes(sums: _Sums, ratings: Array) -> tuple[Array, Array]:
    """Return the negative Hessian of the log-likelihood, and its gradient."""
    import numpy

    chances = _chances(ratings[:, None] - ratings[None, :])
    against_prior = _chances(ratings)
    gradient = sums.points - (sums.games * chances).sum(1) + sums.prior * (0.5 - against_prior)
    weights = sums.games * chances * (1.0 - chances)
    diagonal = weights.sum(1) + sums.prior * against_prior * (1.0 - against_prior)
    return numpy.diag(diagonal) - weights, gradient


def _chances(differences: Array) -> Array:
    import numpy

    return 1.0 / (1.0 + numpy.exp(-numpy.clip(differences, -500.0, 500.0)))


def _chance(difference: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-500.0, min(500.0, difference))))


def _scatter(names: Sequence[str], pairs: Sequence[PairResult], ratings: list[float]) -> float:
    """Return scatter of the pairs' points around what the ratings say, against that of independent coin tosses."""
    index = {name: number for number, name in enumerate(names)}
    seen = expected = 0.0
    for pair in pairs:
        chance = _chance(ratings[index[pair.one]] - ratings[index[pair.other]])
        seen += (pair.points - pair.games * chance) ** 2
        expected += pair.games * chance * (1.0 - chance)
    if not pairs or expected == 0.0:
        return 1.0
    freedom = len(pairs) - (len({name for pair in pairs for name in (pair.one, pair.other)}) - 1)
    if freedom <= 0:
        return 1.0
    # A few imagined pairs of coin tosses keep the factor from nought when all that was seen are draws.
    imagined = _PSEUDO_PAIRS * expected / len(pairs)
    return (seen * len(pairs) / freedom + imagined) / (expected + imagined)
