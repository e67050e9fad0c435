"""The rated matches of each pair of teams, and how much a further result of a pair counts.

Teams can agree that one of them loses. So improbable results of one pair count less, or not at all. The other matches
of both teams decide what is improbable: a team with a better version wins against all, and that counts.
"""

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

_FULL, _NONE = 1.5, 4.0
"""Results of a pair count as they are up to `_FULL` standard deviations from what is expected. Then they count less and
less; from `_NONE` on, the pair counts as if it had played as expected."""
_KEEP = 0.97
"""The factor by which each match of a pair reduces the weight of the pair's earlier matches in this decision."""
_PRIOR = 1.0
"""The variance of a pair's points besides chance: the skills are estimates."""
_MEAN = math.sqrt(2.0 / math.pi)
"""The mean absolute value of a standard normal distribution."""
_SHOWN = 4.0


@dataclass(slots=True)
class Meetings:
    """The rated matches of two teams, from the view of the team whose name comes first.

    Attributes:
        expected: The points that the skills before each match let expect.
        surplus: The difference of points and expected points; older matches have less weight.
    """

    count: int = 0
    points: float = 0.0
    expected: float = 0.0
    surplus: float = 0.0
    counted: float = 0.0
    variance: float = 0.0

    def turned(self) -> "Meetings":
        expected, points = self.count - self.expected, self.count - self.points
        return Meetings(self.count, points, expected, -self.surplus, -self.counted, self.variance)

    @property
    def deviations(self) -> float:
        return self.surplus / math.sqrt(self.variance + _PRIOR)


@dataclass(slots=True)
class Pairs:
    met: dict[tuple[str, str], Meetings] = field(default_factory=dict)
    counted: dict[str, float] = field(default_factory=dict)
    variance: dict[str, float] = field(default_factory=dict)
    deviations: float = 0.0

    def until_now(self) -> "Pairs":
        """Return a copy that later results do not change."""
        return Pairs(dict(self.met), dict(self.counted), dict(self.variance), self.deviations)

    def count(self, one: str, other: str) -> int:
        """Return how often two teams met."""
        known = self.met.get((one, other) if one < other else (other, one))
        return known.count if known else 0

    def add(self, one: str, other: str, points: float, expected: float, *, trusted: bool) -> float:
        """Add the result of a match, and return its weight for the ratings.

        Returns:
            1 for a result that counts. A negative weight takes back what earlier results of the pair counted.
        """
        if one > other:
            one, other, points, expected = other, one, 1.0 - points, 1.0 - expected
        known = self.met[one, other] = copy(self.met.get((one, other)) or Meetings())  # copies of all pairs share it
        before = known.counted, known.variance
        self.deviations -= abs(known.deviations)
        surplus = points - expected
        known.count += 1
        known.points += points
        known.expected += expected
        known.surplus = _KEEP * known.surplus + surplus
        known.variance = _KEEP * _KEEP * known.variance + expected * (1.0 - expected)
        weight = 1.0
        if surplus and not trusted:
            target = self._target(one, other, known, before)
            weight = max(-1.0, min(1.0, (target - _KEEP * known.counted) / surplus))
        known.counted = _KEEP * known.counted + weight * surplus
        self.deviations += abs(known.deviations)
        for name, sign in ((one, 1.0), (other, -1.0)):
            self.counted[name] = self.counted.get(name, 0.0) + sign * (known.counted - before[0])
            self.variance[name] = self.variance.get(name, 0.0) + known.variance - before[1]
        return weight

    def improbable(self) -> Iterator[tuple[str, str, Meetings]]:
        """Yield the pairs whose results are hardly chance: winner, loser, and the meetings from the winner's view."""
        for (one, other), known in self.met.items():
            if abs(known.deviations) < _SHOWN * self._usual(known.deviations):
                continue
            yield (one, other, known) if known.surplus > 0 else (other, one, known.turned())

    def _target(self, one: str, other: str, known: Meetings, before: tuple[float, float]) -> float:
        """Return the surplus that the pair may count."""
        center = known.variance * (self._trend(one, *before) - self._trend(other, -before[0], before[1]))
        deviation = math.sqrt(known.variance + _PRIOR) * self._usual(0.0)
        return center + deviation * _counted((known.surplus - center) / deviation)

    def _trend(self, team: str, counted: float, variance: float) -> float:
        rest = self.variance.get(team, 0.0) - variance
        return (self.counted.get(team, 0.0) - counted) / rest if rest > 0.5 else 0.0

    def _usual(self, own: float) -> float:  # own: what the sum contains of the pair itself
        """Return the usual deviation of the other pairs, at least 1. It is large if bots always beat certain others."""
        others = len(self.met) - 1
        return max(1.0, (self.deviations - abs(own)) / others / _MEAN) if others > 2 else 1.0


def _counted(deviations: float) -> float:
    size = abs(deviations)
    return math.copysign(min(size, _FULL, max(0.0, _FULL * (_NONE - size) / (_NONE - _FULL))), deviations)
