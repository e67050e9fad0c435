"""Plackett-Luce ratings with 95 % intervals. For games of two players, they are Bradley-Terry ratings.

Player i is first at a table with probability exp(r_i) / sum of exp(r_j) over all players. The second is chosen among
the others, and so on. A draw of two players counts as half a win for each. A team is as strong as the mean of its
members.

The prior of the ratings is a normal distribution. Because of the prior, even a bot that won every game has a finite
rating. The standard deviation of the prior is called the spread. The ratings are the mean over a grid of spreads,
weighted by how well each spread explains the results. Intervals stay valid if pairings depend on earlier results.

The variance of real results differs from the variance of the model, because of draws and because games with the same
seed are not independent. The scatter is the observed variance divided by the variance of the model. It is computed from
units of games with the same seed, and corrects the ratings and intervals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena.game import Outcome
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

# Results of games as a sequence of choices: the first place is chosen among all players, the second among the rest.

Side = tuple[str, ...]
"""A player, or the members of a team."""


@dataclass(slots=True)
class Unit:
    """The results of games with the same seed. These results are not independent of each other.

    Attributes:
        wins: How often each player was chosen. The members of a team share each choice of the team.
        choices: For each set of sides, the number of choices that were made among them. A side is a player or a team.
    """

    wins: Counter[str] = field(default_factory=Counter)
    choices: Counter[frozenset[Side]] = field(default_factory=Counter)

    def add(self, names: Sequence[str], outcome: Outcome) -> None:
        """Add a game.

        If players share a place, all cyclic rotations of these players count with equal weight.
        """
        if len(names) == 2 and not outcome.teams:  # fast path: most games have two players
            self.choices[frozenset((name,) for name in names)] += 1
            for seat, name in enumerate(names):
                self.wins[name] += outcome.points(seat)  # type: ignore[assignment]
            return
        ranks = outcome.ranks or tuple(1 if outcome.winner in (None, seat) else 2 for seat in range(len(names)))
        teams = outcome.teams or tuple((seat,) for seat in range(len(names)))
        sides = sorted((ranks[team[0]], tuple(sorted(names[seat] for seat in team))) for team in teams)
        self.wins.update(dict.fromkeys(names, 0))
        for rank in sorted({rank for rank, _ in sides}):
            tied = [side for side_rank, side in sides if side_rank == rank]
            behind = {side for side_rank, side in sides if side_rank > rank}
            for first in range(len(tied)):
                order = tied[first:] + tied[:first]
                for place, side in enumerate(order):
                    self._choose(side, behind.union(order[place:]), 1.0 / len(tied))

    def _choose(self, side: Side, among: set[Side], weight: float) -> None:
        if len(among) > 1:
            self.choices[frozenset(among)] += weight  # type: ignore[assignment]
            for name in side:
                self.wins[name] += weight / len(side)  # type: ignore[assignment]


def units(matches: Iterable[tuple[MatchSpec, MatchResult]]) -> list[Unit]:
    """Group results into units, in order of each unit's first game. Leave out void and cooperative matches."""
    by_seed: dict[tuple[object, ...], Unit] = {}
    for spec, result in matches:
        rotation = spec.number // len(spec.seats)  # games with the same seed: each player has each seat once
        key = (spec.stage, spec.round, spec.pairing, rotation, frozenset(spec.names))
        unit = by_seed.setdefault(key, Unit())
        if result.has_verdict and result.outcome.common is None:  # who plays together is not compared
            unit.add(spec.names, result.outcome)
    return [unit for unit in by_seed.values() if unit.choices]


if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Array = NDArray[numpy.float64]
    Indexes = NDArray[numpy.int64]

ELO = 400.0 / math.log(10.0)
"""Elo points in one natural unit of rating."""
_SPREADS = tuple(20.0 * 1.5**step / ELO for step in range(12))
"""The grid of spreads of the prior: 20 to 1,730 Elo.

From copies of one bot to a field whose ends win every game against each other.
"""
_STEPS = 100
"""The most steps of Newton's method: it needs about three, and one that does not end must not stop a contest."""
_LARGE = 1.5
_LARGE_AT_TABLES = 3.0
"""The weight of a spread is multiplied by spread ** `_LARGE`, at tables by spread ** `_LARGE_AT_TABLES`.

Without this factor, intervals are too narrow.
"""
_WIDENED = 0.1
"""An interval is widened by the factor 1 + `_WIDENED` * (1 - variance of the rating / variance of the prior).

`_LARGE`, `_LARGE_AT_TABLES` and `_WIDENED` were found by simulation of all formats (`make stats`).
"""
_LONGEST_STEP = 2.0
"""The longest change of a rating in one step, 350 Elo: from far away, Newton's method would overshoot."""
_PSEUDO_UNITS = 2.0
"""Virtual units in the estimate of the scatter, so that few results of one kind do not make it 0. Chosen: they weigh
less than the units of the shortest contest."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Elo, with mean zero.

    Attributes:
        superior: For each pair of entrants, the probability that the first of the pair is really stronger.
    """

    names: tuple[str, ...]
    elo: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    superior: list[list[float]]
    scatter: float

    def interval(self, index: int) -> tuple[float, float]:
        return self.low[index], self.high[index]

    def superiority(self, first: int, second: int) -> float:
        """Return the probability that the first entrant is really stronger than the second. Both are indexes."""
        return self.superior[first][second]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The most likely ratings for one spread, their covariance, and the logarithm of the spread's weight."""

    ratings: Array
    covariance: Array
    weight: float


@dataclass(frozen=True, slots=True)
class _Results:
    """All results as arrays. Sets and units are padded to the size of the largest set or unit.

    A set is a key of `Unit.choices`: the sides (players or teams) among whom a choice is made. A choice is an entry of
    `Unit.choices`, and its weight is the entry's value.

    Attributes:
        shares: For each set, side and member: the member's share of the side's strength.
        absent: For each set and side: 0; minus infinity if the side is only padding.
        positions: For each choice and player of its set: the player's position in the unit of the choice.
    """

    wins: Array
    members: Indexes
    shares: Array
    absent: Array
    counts: Array
    units: Indexes
    unit_wins: Array
    unit_of: Indexes
    set_of: Indexes
    weights: Array
    positions: Indexes


def plackett_luce(names: Sequence[str], units: Sequence[Unit], spreads: Sequence[float] = _SPREADS) -> Ratings:
    """Return the ratings of all entrants. An entrant without results gets the rating 0 and a wide interval."""
    import numpy  # only contests need it, and it takes a tenth of a second

    if not names:
        return Ratings((), (), (), (), [], 1.0)
    results = _results(names, units)
    scatter = _scatter(results, max(_fits(results, spreads[::3], 1.0), key=lambda fit: fit.weight))
    fits = _fits(results, spreads, scatter)
    best = max(fit.weight for fit in fits)
    weights = numpy.array([math.exp(fit.weight - best) for fit in fits])
    weights /= weights.sum()
    means = numpy.array([fit.ratings - fit.ratings.mean() for fit in fits])
    covariances = numpy.array([_centred(fit.covariance) for fit in fits])
    variances = numpy.maximum(numpy.diagonal(covariances, axis1=1, axis2=2), 1e-12)
    certainty = 1.0 - numpy.minimum(1.0, variances / numpy.square(spreads)[:, None])
    deviations = numpy.sqrt(variances) * (1.0 + _WIDENED * certainty)
    low, high = (_quantile(weights, means, deviations, share) for share in (0.025, 0.975))
    return Ratings(
        tuple(names),
        tuple((ELO * (weights @ means)).tolist()),
        tuple((ELO * low).tolist()),
        tuple((ELO * high).tolist()),
        _superiority(weights, means, covariances).tolist(),
        scatter,
    )


def _results(names: Sequence[str], units: Sequence[Unit]) -> _Results:
    import numpy

    index = {name: number for number, name in enumerate(names)}
    numbers: dict[frozenset[Side], int] = {}
    rows = [
        (number, numbers.setdefault(sides, len(numbers)), weight)
        for number, unit in enumerate(units)
        for sides, weight in unit.choices.items()
    ]
    sets = [sorted(tuple(index[name] for name in side) for side in sides) for sides in numbers]
    players = [sorted(player for side in sides for player in side) for sides in sets]
    in_unit = [{index[name]: position for position, name in enumerate(unit.wins)} for unit in units]
    width = max(map(len, players), default=1)
    members = numpy.zeros((len(sets), width), int)
    shares, absent = numpy.zeros((len(sets), width, width)), numpy.full((len(sets), width), -numpy.inf)
    for number, sides in enumerate(sets):
        members[number, : len(players[number])] = players[number]
        absent[number, : len(sides)] = 0.0
        for position, side in enumerate(sides):
            shares[number, position, [players[number].index(player) for player in side]] = 1.0 / len(side)
    positions = numpy.zeros((len(rows), width), int)
    for row, (number, chosen, _) in enumerate(rows):
        positions[row, : len(players[chosen])] = [in_unit[number][player] for player in players[chosen]]
    most = max(map(len, in_unit), default=1)
    unit_wins, unit_players = numpy.zeros((len(units), most)), numpy.zeros((len(units), most), int)
    for number, unit in enumerate(units):
        unit_players[number, : len(unit.wins)] = list(in_unit[number])
        unit_wins[number, : len(unit.wins)] = list(unit.wins.values())
    wins = numpy.zeros(len(names))
    numpy.add.at(wins, unit_players, unit_wins)
    columns = numpy.array(rows, dtype=float).reshape(-1, 3).T
    unit_of, set_of = (column.astype(int) for column in columns[:2])
    counts = numpy.bincount(set_of, columns[2], len(sets)).astype(float)
    return _Results(
        wins, members, shares, absent, counts, unit_players, unit_wins, unit_of, set_of, columns[2], positions
    )


def _fits(results: _Results, spreads: Sequence[float], scatter: float) -> list[_Fit]:
    """Return the ratings for each spread, in the given order. Each search starts from the previous ratings."""
    import numpy

    ratings = numpy.zeros(len(results.wins))
    fits = []
    for spread in spreads:
        fits.append(_fit(results, spread, scatter, ratings))
        ratings = fits[-1].ratings
    return fits


def _fit(results: _Results, spread: float, scatter: float, start: Array) -> _Fit:
    """Find the most likely ratings for one spread by Newton's method."""
    import numpy

    count, precision, members = len(start), spread**-2, results.members
    ratings = start.copy()
    for _ in range(_STEPS):
        chances, spreads, _ = _chances(results, ratings)
        expected = numpy.bincount(members.ravel(), (results.counts[:, None] * chances).ravel(), count)
        slope = (results.wins - expected) / scatter - precision * ratings
        cells = (members[:, :, None] * count + members[:, None, :]).ravel()
        weights = (results.counts[:, None, None] * spreads).ravel()
        curvature = numpy.bincount(cells, weights, count * count).reshape(count, count) / scatter
        curvature += precision * numpy.eye(count)
        step = numpy.linalg.solve(curvature, slope)
        longest = float(abs(step).max())
        if longest < 1e-7:
            break
        ratings += min(1.0, _LONGEST_STEP / longest) * step
    likelihood = (results.wins @ ratings - results.counts @ _chances(results, ratings)[2]) / scatter
    large = _LARGE_AT_TABLES if results.shares.shape[1] > 2 else _LARGE
    prior = (large - count) * math.log(spread) - 0.5 * precision * float(ratings @ ratings)
    weight = float(likelihood) + prior - 0.5 * float(numpy.linalg.slogdet(curvature)[1])
    return _Fit(ratings, numpy.linalg.inv(curvature).astype(float), weight)


def _chances(results: _Results, ratings: Array) -> tuple[Array, Array, Array]:
    """Return for each set: the expected wins of each member in one choice, their covariances, and the log denominator.

    The members of a team share a win of the team equally. The denominator is the sum of exp(strength) over the sides.
    """
    import numpy

    strengths = numpy.einsum("tsm,tm->ts", results.shares, ratings[results.members]) + results.absent
    top = strengths.max(axis=1, keepdims=True, initial=-700.0)
    chances = numpy.exp(strengths - top)
    total = chances.sum(axis=1, keepdims=True)
    chances /= total
    shares = numpy.einsum("ts,tsm->tm", chances, results.shares)
    products = numpy.einsum("ts,tsm,tsn->tmn", chances, results.shares, results.shares)
    covariances = products - shares[:, :, None] * shares[:, None, :]
    return shares, covariances, (numpy.log(total) + top)[:, 0]


def _scatter(results: _Results, fit: _Fit) -> float:
    """Return the variance of the units' results around the expected results, divided by the variance of the model."""
    import numpy

    if not len(results.units):
        return 1.0
    count, most = results.units.shape
    shares, covariances, _ = _chances(results, fit.ratings)
    cells = results.unit_of[:, None] * most + results.positions
    expected = numpy.bincount(cells.ravel(), (results.weights[:, None] * shares[results.set_of]).ravel(), count * most)
    observed = float(((results.unit_wins - expected.reshape(count, most)) ** 2).sum())
    squares = (cells[:, :, None] * most + results.positions[:, None, :]).ravel()
    weights = (results.weights[:, None, None] * covariances[results.set_of]).ravel()
    variances = numpy.bincount(squares, weights, count * most * most).reshape(count, most, most)
    variance = float(numpy.einsum("uii->", variances))
    # Fitting the ratings to the results has reduced the observed variance by so much.
    uncertainty = fit.covariance[results.units[:, :, None], results.units[:, None, :]]
    reduction = float(numpy.einsum("uij,ujk,uki->", variances, uncertainty, variances, optimize=True))
    # A few virtual units, with exactly the variance of the model, keep the factor above zero if all games were draws.
    virtual = _PSEUDO_UNITS * variance / count
    # With almost as many ratings as units, the rest would be near zero or below it, and the factor without limit.
    rest = max(variance - reduction, 0.05 * variance)
    return float((observed + virtual) / (rest + virtual))


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
        variance = numpy.diagonal(covariance)
        deviation = numpy.sqrt(numpy.maximum(variance[:, None] + variance[None, :] - 2.0 * covariance, 1e-12))
        total += weight * _normal((mean[:, None] - mean[None, :]) / deviation)
    numpy.fill_diagonal(total, 0.5)
    return total
