"""Skill with uncertainty, for the ladder of a contest: the Plackett-Luce model of Weng and Lin (2011).

The skills are updated after each match. Without ties they are those of the package openskill. It divides the step of a
tie by the number of tied players, but not the steps below, so that two winners can end below the third.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MU = 25.0
SIGMA = MU / 3.0
"""The skill of a new player and its uncertainty, on the scale that TrueSkill made usual: so 0 is a lower bound."""
_TAU = 0.02
"""The uncertainty that each update adds, so that skills can always change.

A version of a bot does not learn, so it needs little. Simulated with 20 players: after 200 matches of each it makes no
difference; after 2,000, the uncertainty is 0.9, where it is 1.5 with the usual 25 / 300, and 0.7 without.
"""
BETA = SIGMA / 2.0
"""The standard deviation of a player's performance in one update: the usual half of the first uncertainty."""
_LEAST = 1e-4
"""The lower limit of the factor by which one update multiplies a variance: it only keeps the variance above zero."""


@dataclass(frozen=True, slots=True)
class Skill:
    mu: float = MU
    sigma: float = SIGMA

    @property
    def ordinal(self) -> float:
        """A lower bound of the strength: the estimate minus three standard deviations."""
        return self.mu - 3.0 * self.sigma

    @property
    def interval(self) -> tuple[float, float]:
        return self.mu - 1.959964 * self.sigma, self.mu + 1.959964 * self.sigma


def updated(skills: Sequence[Skill], points: Sequence[float], teams: Sequence[Sequence[int]] = ()) -> list[Skill]:
    """Return the skills after an encounter, a match or a game.

    From equal skills, more points never give less skill.

    Args:
        teams: The indexes of the players of each team; empty without teams.
    """
    sides = teams or [(player,) for player in range(len(skills))]
    variances = [skill.sigma * skill.sigma + _TAU * _TAU for skill in skills]
    side_variances = [sum([variances[player] for player in side]) for side in sides]
    spread = math.sqrt(sum(side_variances) + len(sides) * BETA * BETA)
    strengths = [math.exp(sum([skills[player].mu for player in side]) / spread) for side in sides]
    result = [*skills]
    steps = _steps(strengths, [points[side[0]] for side in sides])
    for side, variance, (change, loss) in zip(sides, side_variances, steps, strict=True):
        shrinking = loss / spread**2 * (math.sqrt(variance) / spread)
        for player in side:
            sigma = math.sqrt(variances[player] * max(1 - variances[player] * shrinking, _LEAST))
            result[player] = Skill(skills[player].mu + variances[player] / spread * change, sigma)
    return result


def _steps(strengths: Sequence[float], points: Sequence[float]) -> list[tuple[float, float]]:
    """Return for each side how far its skill moves and its variance shrinks, without the scale.

    A place is won with the chance of a side's strength among the strengths of those that have no place yet. Tied sides
    share their places: what each of several orders of them would give counts in equal parts.
    """
    changes: list[list[float]] = [[] for _ in strengths]
    losses: list[list[float]] = [[] for _ in strengths]
    for level in {*points}:
        worse = [side for side, side_points in enumerate(points) if side_points < level]
        orders = _orders([side for side, side_points in enumerate(points) if side_points == level])
        share = 1 / len(orders)
        for order in orders:
            for place, chosen in enumerate(order):
                candidates = [*order[place:], *worse]
                total = sum([strengths[side] for side in candidates])
                for side in candidates:
                    chance = strengths[side] / total
                    changes[side].append(share * ((side == chosen) - chance))
                    losses[side].append(share * chance * (1 - chance))
    # The order of the terms makes no difference: sides that were equal and did equally well stay equal.
    return [(math.fsum(change), math.fsum(loss)) for change, loss in zip(changes, losses, strict=True)]


def _orders(tied: Sequence[int]) -> list[Sequence[int]]:
    """Return orders of tied sides in which each side has each place equally often: all orders of up to three."""
    turned: list[Sequence[int]] = [[*tied[first:], *tied[:first]] for first in range(len(tied))]
    return [*turned, *(order[::-1] for order in turned)] if len(tied) > 2 else turned
