"""Hatchling: moves at random, but into nothing that it sees."""

from __future__ import annotations

from random import Random

from snakes import AI


class Hatchling(AI):
    """Avoids walls and bodies, and looks for nothing."""

    def start(self) -> None:
        """Seed the choices with the starting position: the same match is played the same way."""
        places = [tuple(tile) for tile in (*self.game.food, self.snake.head)]
        self.random = Random(f"{places} {self.index}")

    def run_turn(self) -> None:
        """Choose one of the safe moves."""
        moves = self.snake.safe_moves
        self.snake.move(self.random.choice(moves) if moves else "up")
