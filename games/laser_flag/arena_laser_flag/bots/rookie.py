"""Rookie: plays at random. The weakest of the bots that come with Laser Flag."""

from __future__ import annotations

from random import Random

from laser_flag import AI


class Rookie(AI):
    """Chooses among all legal actions, until it chooses the end of the turn."""

    wants_legal_actions = True

    def start(self) -> None:
        """Seed the random generator with the map and the side, so that the same match can be played again."""
        self.random = Random(f"{self.game.terrain} {self.index}")

    def run_turn(self) -> None:
        """Make random choices until the turn is over."""
        while True:
            action = self.random.choice(self.legal_actions)
            if action["type"] == "end_turn":
                return
            self.act(action)
            if not self.legal_actions:
                return
