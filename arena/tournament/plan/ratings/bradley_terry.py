"""Bradley-Terry ratings with 95 % intervals, from pairs of games.

The chance that i beats j is 1 / (1 + exp(r_j - r_i)); a draw counts as half a win. Every entrant also has `prior`
drawn games against an opponent of rating 0, which keeps the rating of somebody who won everything finite.

The intervals take the scatter from the pairs themselves: draws make results scatter less than coin tosses do, and two
games on one seed are not independent. One factor for all, the ratio of the scatter seen to the scatter of
independent coin tosses, corrects for both.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.tournament.plan.ratings.matrices import Matrix, cholesky, inverse, solve
from arena.tournament.plan.ratings.pairs import PairResult

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
    covariance: Matrix
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
        """For each entrant the likelihood of superiority over each other."""
        count = range(len(self.names))
        return [[self.superiority(one, other) for other in count] for one in count]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Games and points of each pair of opponents (i < j), and of each entrant."""

    count: int
    games: Mapping[tuple[int, int], float]
    points: list[float]
    prior: float


def bradley_terry(names: Sequence[str], pairs: Sequence[PairResult], *, prior: float = 0.5) -> Ratings:
    """Return the ratings of the entrants who take part in the pairs (others get the rating 0 and a wide interval).

    Args:
        names: All entrants.
        pairs: Results of pairs of games.
        prior: Drawn games against an opponent of rating 0 that everybody is given.
    """
    sums = _sums(names, pairs, prior)
    if not names:
        return Ratings((), (), [], 1.0)
    ratings = [0.0] * sums.count
    for _ in range(_STEPS):
        gradient, hessian = _slopes(sums, ratings)
        step = solve(cholesky(hessian), gradient)
        longest = max(map(abs, step))
        scale = min(1.0, _LONGEST_STEP / longest) if longest else 0.0
        ratings = [rating + scale * change for rating, change in zip(ratings, step, strict=True)]
        if longest < 1e-9:
            break
    _, hessian = _slopes(sums, ratings)
    scatter = _scatter(names, pairs, ratings)
    covariance = _centred(inverse(cholesky(hessian)), scatter * ELO * ELO)
    mean = sum(ratings) / len(ratings)
    return Ratings(tuple(names), tuple(ELO * (rating - mean) for rating in ratings), covariance, scatter)


def _sums(names: Sequence[str], pairs: Sequence[PairResult], prior: float) -> _Sums:
    index = {name: number for number, name in enumerate(names)}
    games: dict[tuple[int, int], float] = {}
    points = [0.0] * len(names)
    for pair in pairs:
        one, other = index[pair.one], index[pair.other]
        key = (one, other) if one < other else (other, one)
        games[key] = games.get(key, 0.0) + pair.games
        points[one] += pair.points
        points[other] += pair.games - pair.points
    # A trace of prior stays in any case: without it the ratings are known only up to a constant.
    return _Sums(len(names), games, points, max(prior, 1e-9))


def _slopes(sums: _Sums, ratings: list[float]) -> tuple[list[float], Matrix]:
    """Return gradient of the log-likelihood and negative Hessian."""
    gradient = list(sums.points)
    hessian = [[0.0] * sums.count for _ in range(sums.count)]
    for index, rating in enumerate(ratings):
        chance = _chance(rating)
        gradient[index] += sums.prior * (0.5 - chance)
        hessian[index][index] += sums.prior * chance * (1.0 - chance)
    for (one, other), games in sums.games.items():
        chance = _chance(ratings[one] - ratings[other])
        gradient[one] -= games * chance
        gradient[other] -= games * (1.0 - chance)
        weight = games * chance * (1.0 - chance)
        hessian[one][one] += weight
        hessian[other][other] += weight
        hessian[one][other] -= weight
        hessian[other][one] -= weight
    return gradient, hessian


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


def _centred(covariance: Matrix, factor: float) -> Matrix:
    """Return the covariance of the ratings less their mean."""
    count = len(covariance)
    means = [sum(row) / count for row in covariance]
    mean = sum(means) / count
    return [
        [factor * (value - means[i] - means[j] + mean) for j, value in enumerate(row)]
        for i, row in enumerate(covariance)
    ]
