"""Skill with uncertainty, for seasons and for stages without an end: the Plackett-Luce model of openskill.

A season updates the skills after each match, and a stage after each encounter. With teams, a stage updates them after
each game. Only games with teams use the package openskill.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MU = 25.0
SIGMA = MU / 3.0
_TAU = 0.02
"""The uncertainty that each update adds, so that skills can always change."""
_BETA = SIGMA / 2.0
"""The standard deviation of a player's performance in one update."""
_LEAST = 1e-4
"""The lower limit of the factor by which one update multiplies a variance."""


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

    Args:
        teams: The indexes of the players of each team; empty without teams.
    """
    if not teams:
        return _alone(skills, points)
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=MU, sigma=SIGMA, tau=_TAU)
    before = [[model.rating(mu=skills[player].mu, sigma=skills[player].sigma) for player in side] for side in teams]
    rated = model.rate(before, scores=[points[side[0]] for side in teams])
    after = {player: Skill(one.mu, one.sigma) for side, team in zip(teams, rated, strict=True)
             for player, one in zip(side, team, strict=True)}  # fmt: skip
    return [after[player] for player in range(len(skills))]


def _alone(skills: Sequence[Skill], points: Sequence[float]) -> list[Skill]:
    """Return the skills that openskill returns for teams of one player. This function needs a fifth of the time.

    A season computes the skills of tens of thousands of matches when it starts.
    """
    players = range(len(skills))
    variances = [one.sigma * one.sigma + _TAU * _TAU for one in skills]
    spread = math.sqrt(sum(variances) + len(skills) * _BETA * _BETA)
    strengths = [math.exp(one.mu / spread) for one in skills]
    # Each place is won against the players who have the same number of points or fewer.
    among = [sum([strengths[other] for other in players if points[other] <= points[place]]) for place in players]
    tied = [sum(other == own for other in points) for own in points]
    result = []
    for player in players:
        change = loss = 0.0
        for place in players:
            if points[place] < points[player]:
                continue
            chance = strengths[player] / among[place]
            change += ((1 - chance) if place == player else -chance) / tied[place]
            loss += chance * (1 - chance) / tied[place]
        change *= variances[player] / spread
        loss *= variances[player] / spread**2 * (math.sqrt(variances[player]) / spread)
        sigma = math.sqrt(variances[player]) * math.sqrt(max(1 - loss, _LEAST))
        result.append(Skill(skills[player].mu + change, sigma))
    return result
