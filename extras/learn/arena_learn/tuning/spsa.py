"""SPSA: climb by the difference of two points that lie on both sides of the present one, whatever the number of values.

Spall's method with his exponents. Values run from 0 to 1 here, the ends of each parameter's range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

ALPHA, GAMMA = 0.602, 0.101
"""Spall's exponents for the falling steps and distances."""
STABILITY = 0.1
"""The steps begin to fall after this share of all iterations."""

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Spsa:
    """The plan of a tuning.

    Attributes:
        iterations: How many iterations are planned.
        distance: The distance of both points from the present one, in the first iteration.
        step: How far the first iteration goes, if one point wins all games.
        seed: The seed of the directions.
    """

    iterations: int
    distance: float = 0.15
    step: float = 0.08
    seed: str = "0"

    def points(self, values: Values, number: int) -> tuple[Values, Values]:
        """Return the two points to compare in an iteration."""
        away = self.distance / (number + 1) ** GAMMA
        signs = self._signs(number, len(values))
        return (
            tuple(_inside(value + away * sign) for value, sign in zip(values, signs, strict=True)),
            tuple(_inside(value - away * sign) for value, sign in zip(values, signs, strict=True)),
        )

    def next(self, values: Values, number: int, lead: float) -> Values:
        """Return the values after an iteration.

        Args:
            values: The values before it.
            number: The number of the iteration, from 0.
            lead: The first point's lead over the second one: 1 if it won all games, -1 if it lost all.
        """
        late = STABILITY * self.iterations
        step = self.step * ((late + 1) / (late + number + 1)) ** ALPHA * (number + 1) ** GAMMA
        signs = self._signs(number, len(values))
        return tuple(_inside(value + step * lead * sign) for value, sign in zip(values, signs, strict=True))

    def _signs(self, number: int, count: int) -> list[int]:
        rng = Random(f"{self.seed}/direction/{number}")
        return [rng.choice((-1, 1)) for _ in range(count)]


def mean_of(history: Sequence[Values]) -> Values:
    """Return the mean of the later half of an iteration's values: it is less noisy than the last ones."""
    late = history[len(history) // 2 :]
    return tuple(sum(column) / len(late) for column in zip(*late, strict=True))


def _inside(value: float) -> float:
    return min(1.0, max(0.0, value))
