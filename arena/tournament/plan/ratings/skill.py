"""Skill with uncertainty, updated after each encounter (Plackett-Luce, from openskill), for stages without an end."""

from collections.abc import Sequence
from dataclasses import dataclass

MU = 25.0
SIGMA = MU / 3.0
_TAU = 0.02
"""The uncertainty added in each encounter, so that ratings can always change."""


@dataclass(frozen=True, slots=True)
class Skill:
    """An estimate of a player's strength.

    Attributes:
        mu: The estimate.
        sigma: Its standard deviation.
    """

    mu: float = MU
    sigma: float = SIGMA

    @property
    def ordinal(self) -> float:
        """A lower bound of the strength: the estimate minus three standard deviations."""
        return self.mu - 3.0 * self.sigma

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.mu - 1.959964 * self.sigma, self.mu + 1.959964 * self.sigma


def updated(skills: Sequence[Skill], points: Sequence[float]) -> list[Skill]:
    """Return the skills after an encounter with these points (more is better)."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=MU, sigma=SIGMA, tau=_TAU)
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    rated = model.rate(teams, scores=list(points))
    return [Skill(team[0].mu, team[0].sigma) for team in rated]
