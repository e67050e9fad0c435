"""Hatchling: moves at random, but avoids walls and bodies."""

from __future__ import annotations

from random import Random

from snakes import AI


class Hatchling(AI):
    """Avoids walls and bodies, and does not look for food."""

    def start(self) -> None:
        """Seed the random generator with the starting position, so that the same match can be played again."""
        places = [tuple(tile) for tile in (*self.game.food, self.snake.head)]
        self.random = Random(f"{places} {self.index}")

    def run_turn(self) -> None:
        """Choose a safe move at random; up if no move is safe."""
        moves = self.snake.safe_moves
        self.snake.move(self.random.choice(moves) if moves else "up")
