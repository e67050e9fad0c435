"""The rated matches of each pair of teams, and how much a further result of a pair counts.

Teams can agree that one of them loses. So improbable results of one pair count less, or not at all. The other matches
of both teams decide what is improbable: a team with a better version wins against all, and that counts.

For each pair, the *surplus* is what its results differ from what the skills before each match let expect, and its
*deviations* are the surplus in standard deviations. A result gets the weight with which the surplus that has counted
becomes the surplus that may count. So a weight can be negative: it takes back what earlier results of the pair counted.

What it achieves, in 40 simulated contests of ten teams; an honest team is first in about 4:

| attack | all results count | with these weights |
|---|---|---|
| one team throws all its matches to the attacker | first in 14 | 3 |
| the two strongest throw theirs to a middle team | 32 | 0 |
| two teams throw 40 % of their matches | 20 | 6 |
| two teams throw all matches of the last fifth | 24 | 21 |

The price is accuracy: for ten honest teams, the mean error of a rank grows from 0.95 to 1.07. Few thrown matches that
chance explains, and teams that begin late, are not prevented. The desk shows the pairs whose results are hardly chance.
"""

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

_FULL, _NONE = 1.5, 4.0
"""Results of a pair count as they are up to `_FULL` standard deviations from what is expected. Then they count less and
less; from `_NONE` on, the pair counts as if it had played as expected. Chance alone reaches 1.5 in one pair of seven,
so most honest pairs count in full, and 4 in one of 16,000. The table above was measured with these values."""
_KEEP = 0.97
"""The factor by which each match of a pair reduces the weight of the pair's earlier matches in this decision: half is
left after 23 matches. Without it, a pair with a long honest past could throw many matches before they stand out."""
_PRIOR = 1.0
"""The variance of a pair's points besides chance: the skills are estimates. With 1, the first match of a pair is never
improbable: its surplus is below one deviation."""
_MEAN = math.sqrt(2.0 / math.pi)
"""The mean absolute value of a standard normal distribution."""
_REPORTED = 4.0
"""The deviations, in units of what is usual, from which the desk shows a pair: where its results stop to count."""
_FEW_PAIRS = 2
"""With so few other pairs, nothing can be said about what is usual."""
_LITTLE_VARIANCE = 0.5
"""With less variance in its other matches, about two even ones, nothing is known about the trend of a team."""


@dataclass(slots=True)
class Meetings:
    """The rated matches of two teams, from the view of the team whose name comes first.

    Attributes:
        expected: The points that the skills before each match let expect.
        surplus: The difference of points and expected points; older matches have less weight.
        counted: The part of the surplus that counts for the ratings.
        variance: The variance of the surplus by chance.
    """

    count: int = 0
    points: float = 0.0
    expected: float = 0.0
    surplus: float = 0.0
    counted: float = 0.0
    variance: float = 0.0

    def turned(self) -> "Meetings":
        """Return the same from the view of the other team."""
        expected, points = self.count - self.expected, self.count - self.points
        return Meetings(self.count, points, expected, -self.surplus, -self.counted, self.variance)

    @property
    def deviations(self) -> float:
        return self.surplus / math.sqrt(self.variance + _PRIOR)


@dataclass(slots=True)
class Pairs:
    """The meetings of all pairs, and sums over them.

    Attributes:
        met: The meetings of each pair, by the two names in their order.
        counted: The surplus of each team that counts, over all its pairs.
        variance: Its variance.
        deviations: The sum of the absolute deviations of all pairs.
    """

    met: dict[tuple[str, str], Meetings] = field(default_factory=dict)
    counted: dict[str, float] = field(default_factory=dict)
    variance: dict[str, float] = field(default_factory=dict)
    deviations: float = 0.0

    def until_now(self) -> "Pairs":
        """Return a copy that later results do not change."""
        return Pairs(dict(self.met), dict(self.counted), dict(self.variance), self.deviations)

    def count(self, team: str, rival: str) -> int:
        """Return how often two teams met."""
        meetings = self.met.get((team, rival) if team < rival else (rival, team))
        return meetings.count if meetings else 0

    def add(self, team: str, rival: str, points: float, expected: float, *, trusted: bool) -> float:
        """Add the result of a match, and return its weight for the ratings.

        Args:
            points: The points of `team`, from 0 to 1.
            expected: The points that the skills before the match let expect.
            trusted: Whether the result counts in any case, since a built-in bot agrees on nothing.

        Returns:
            1 for a result that counts. A negative weight takes back what earlier results of the pair counted.
        """
        if team > rival:
            team, rival, points, expected = rival, team, 1.0 - points, 1.0 - expected
        # A new object: the copies of all pairs share the old one.
        meetings = self.met[team, rival] = copy(self.met.get((team, rival)) or Meetings())
        before = meetings.counted, meetings.variance
        self.deviations -= abs(meetings.deviations)
        surplus = points - expected
        meetings.count += 1
        meetings.points += points
        meetings.expected += expected
        meetings.surplus = _KEEP * meetings.surplus + surplus
        meetings.variance = _KEEP * _KEEP * meetings.variance + expected * (1.0 - expected)
        weight = 1.0
        if surplus and not trusted:
            target = self._target(team, rival, meetings, before)
            weight = max(-1.0, min(1.0, (target - _KEEP * meetings.counted) / surplus))
        meetings.counted = _KEEP * meetings.counted + weight * surplus
        self.deviations += abs(meetings.deviations)
        for name, sign in ((team, 1.0), (rival, -1.0)):
            self.counted[name] = self.counted.get(name, 0.0) + sign * (meetings.counted - before[0])
            self.variance[name] = self.variance.get(name, 0.0) + meetings.variance - before[1]
        return weight

    def improbable(self) -> Iterator[tuple[str, str, Meetings]]:
        """Yield the pairs whose results are hardly chance: winner, loser, and the meetings from the winner's view."""
        for (team, rival), meetings in self.met.items():
            if abs(meetings.deviations) < _REPORTED * self._usual(meetings.deviations):
                continue
            yield (team, rival, meetings) if meetings.surplus > 0 else (rival, team, meetings.turned())

    def _target(self, team: str, rival: str, meetings: Meetings, before: tuple[float, float]) -> float:
        """Return the surplus that the pair may count.

        Args:
            before: What of the sums of both teams is of the pair itself: the surplus that counted, and its variance.
        """
        center = meetings.variance * (self._trend(team, *before) - self._trend(rival, -before[0], before[1]))
        deviation = math.sqrt(meetings.variance + _PRIOR) * self._usual(0.0)
        return center + deviation * _counted((meetings.surplus - center) / deviation)

    def _trend(self, team: str, counted: float, variance: float) -> float:
        """Return by how much a team is better than its skill says in its other pairs: surplus for each variance."""
        rest = self.variance.get(team, 0.0) - variance
        return (self.counted.get(team, 0.0) - counted) / rest if rest > _LITTLE_VARIANCE else 0.0

    def _usual(self, own: float) -> float:
        """Return the usual deviation of the other pairs, at least 1. It is large if bots always beat certain others.

        Args:
            own: What the sum contains of the pair itself.
        """
        others = len(self.met) - 1
        return max(1.0, (self.deviations - abs(own)) / others / _MEAN) if others > _FEW_PAIRS else 1.0


def _counted(deviations: float) -> float:
    """Return how many of so many deviations count: all up to `_FULL`, none from `_NONE` on, with a line between."""
    size = abs(deviations)
    return math.copysign(min(size, _FULL, max(0.0, _FULL * (_NONE - size) / (_NONE - _FULL))), deviations)
