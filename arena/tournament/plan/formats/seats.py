"""Seats in formats that pair round by round: no player has one seat twice more often than the other seat."""

from collections import Counter
from dataclasses import dataclass, field

from arena.tournament.plan.config import PairingRules, StageConfig
from arena.tournament.plan.encounters import EncounterResult


@dataclass(slots=True)
class Seats:
    """How often each player has had each seat.

    Attributes:
        step: The change by one encounter: 0 if both play it from each seat equally often.
        surplus: How many more matches a player has had in the first seat than in the second.
    """

    step: int
    surplus: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, stage: StageConfig, rules: PairingRules) -> "Seats":
        """Return the seats at the start of a stage. Version 0.1.0 did not count them."""
        return cls(0 if rules.first else stage.games * rules.legs % 2)

    def add(self, result: EncounterResult) -> None:
        """Add one encounter of two players."""
        if result.played and len(result.encounter.players) == 2:
            first, second = result.encounter.players
            self.surplus[first] += self.step
            self.surplus[second] -= self.step

    def clash(self, one: str, other: str) -> bool:
        """Return whether one of the two players would get a surplus of two."""
        return self.surplus[one] * self.surplus[other] > 0

    def seated(self, pair: tuple[str, ...], turn: int) -> tuple[str, ...]:
        """Return a pair in order of its seats. If the order is free, it changes from turn to turn."""
        difference = self.surplus[pair[0]] - self.surplus[pair[-1]]
        return pair[::-1] if difference > 0 or (difference == 0 and turn % 2) else pair
