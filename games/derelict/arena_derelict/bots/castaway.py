"""Castaway: takes any choice. The weakest of the bots that come with Derelict, and a complete one."""

from __future__ import annotations

from random import Random

from derelict import AI


class Castaway(AI):
    """Chooses at random from the list; passes only once in a while."""

    def start(self) -> None:
        """Seed the dice by the mission and the side, so that the same match can be played again."""
        self.random = Random(f"{self.game.cells} {self.index}")

    def run_turn(self) -> None:
        """Make one choice; this is called again for as long as there is one."""
        choices = self.game.choices
        others = [choice for choice in choices if choice.type != "pass"]
        if others and self.random.random() < 0.95:
            choices = others
        self.random.choice(choices).take()
