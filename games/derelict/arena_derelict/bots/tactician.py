"""Tactician: tries the best choices in copies of the game, and plays on for both sides with random dice.

The numbers of aliens in blips are hidden from the marines. For each decision of the marines, Tactician samples three
sets of numbers.
"""

from __future__ import annotations

from random import Random
from typing import Any

from derelict import AI
from foresight import Foresight

Document = dict[str, Any]


class Tactician(AI):
    """Looks ahead to the end of the aliens' turn."""

    def start(self) -> None:
        """Seed the random generator with the mission and the side, so that the same match can be played again."""
        self.random = Random(f"{self.game.cells} {self.index}")
        self.foresight: Foresight | None = None

    def run_turn(self) -> None:
        """Make one choice. The kit calls this again while there is a choice."""
        choice = self.legal_actions[0] if len(self.legal_actions) == 1 else self.consider()
        self.act({key: choice[key] for key in ("type", "x", "y") if key in choice})

    def consider(self) -> Document:
        """Return the choice with the best result."""
        worlds: list[Any] = [self.game.fork(self.random)]  # states of the rules, which Foresight reads in full
        if self.foresight is None and self.plays_marines:
            self.foresight = Foresight(worlds[0])
        elif self.foresight is None:
            # Aliens have far more choices in a turn than marines. To save time, try fewer, and each less often.
            self.foresight = Foresight(worlds[0], width=6, tries=4, doubt=2.5, pull=60.0)
        time_left = self.time_left
        if time_left is not None and time_left < 4:
            return self.foresight.quick(worlds[0])
        if self.plays_marines:
            worlds += [self.game.fork(self.random) for _ in range(2)]
        return self.foresight.best(worlds, self.random)
