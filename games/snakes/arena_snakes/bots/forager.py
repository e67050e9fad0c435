"""Forager: takes the shortest way to food, and avoids dead ends."""

from __future__ import annotations

from collections import deque

from snakes import AI, Direction, Tile


class Forager(AI):
    """Goes to the nearest food where it has enough space, and avoids the heads of snakes of its length or longer."""

    def run_turn(self) -> None:
        """Take the safe move that leads to enough space and is nearest to food."""
        me = self.snake
        moves = me.safe_moves
        if not moves:
            me.move("up")
            return
        self.blocked = {tile for snake in self.game.living for tile in snake.body[:-1]}
        me.move(max(moves, key=self.value))

    def value(self, direction: Direction) -> tuple[bool, int, int]:
        """Return the value of a move, as a tuple.

        - Whether the move avoids the heads of equally long and longer snakes.
        - The number of reachable tiles, at most the snake's length.
        - The distance to the nearest food, negative.
        """
        start = self.snake.head.towards(direction)
        assert start is not None
        steps = self.steps_from(start)
        foods = [steps[food] for food in self.game.food if food in steps]
        is_met = any(snake.length >= self.snake.length and start in snake.head.neighbors for snake in self.opponents)
        return not is_met, min(len(steps), self.snake.length), -min(foods, default=1000)

    def steps_from(self, start: Tile) -> dict[Tile, int]:
        """Return the number of steps from a tile to each tile that can be reached past the bodies."""
        steps = {start: 0}
        queue = deque([start])
        while queue:
            tile = queue.popleft()
            for near in tile.neighbors:
                if near not in steps and near not in self.blocked:
                    steps[near] = steps[tile] + 1
                    queue.append(near)
        return steps
