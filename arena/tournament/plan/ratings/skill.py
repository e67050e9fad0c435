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


def updated(skills: Sequence[Skill], points: Sequence[float], teams: Sequence[Sequence[int]] = ()) -> list[Skill]:
    """Return the skills after an encounter with these points (more is better). Members of a team have equal points."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=MU, sigma=SIGMA, tau=_TAU)
    sides = teams or [[player] for player in range(len(skills))]
    before = [[model.rating(mu=skills[player].mu, sigma=skills[player].sigma) for player in side] for side in sides]
    rated = model.rate(before, scores=[points[side[0]] for side in sides])
    after = {player: Skill(one.mu, one.sigma) for side, team in zip(sides, rated, strict=True)
             for player, one in zip(side, team, strict=True)}  # fmt: skip
    return [after[player] for player in range(len(skills))]
