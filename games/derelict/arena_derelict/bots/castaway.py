"""Castaway: plays at random. The weakest of the bots that come with Derelict, and a complete example."""

from __future__ import annotations

from random import Random

from derelict import AI


class Castaway(AI):
    """Chooses at random from the list of legal choices, and rarely passes."""

    def start(self) -> None:
        """Seed the random generator with the mission and the side, so that the same match can be played again."""
        self.random = Random(f"{self.game.cells} {self.index}")

    def run_turn(self) -> None:
        """Make one choice. The kit calls this again while there is a choice."""
        choices = self.game.choices
        others = [choice for choice in choices if choice.type != "pass"]
        if others and self.random.random() < 0.95:
            choices = others
        self.random.choice(choices).take()
