"""Constrictor: takes space from the others and eats in time. The strongest of the bots that come with Snakes.

For each possible move, Constrictor finds the tiles that it would reach before all other snakes. A tile with a body
counts if the body has left the tile by then. A move is better with more such tiles and with food on them. Constrictor
avoids tiles next to the heads of snakes of at least its own length.
"""

from __future__ import annotations

from typing import NamedTuple

from snakes import AI, STEPS, Direction, Snake

Place = tuple[int, int]

LOST = -1000.0
"""Added to the value of a move if an equally long or longer snake can move its head to the same tile."""
HUNGRY = 45
"""Below this health, food comes before space."""
HUNT = 12.0
"""Added to the value of a move if only shorter snakes can move their heads to the same tile."""
TRAPPED = -400.0
"""Added to the value of a move into a space that is smaller than the snake, unless a body there moves away in time."""


class Realm(NamedTuple):
    """The tiles that a snake reaches before all others.

    Attributes:
        size: The number of tiles.
        food: The number of steps from the snake's new head to the nearest food on the other tiles; None without food.
        tail: Whether a body is on one of these tiles now, and will have left the tile when the snake arrives.
    """

    size: int
    food: int | None
    tail: bool


class Constrictor(AI):
    """Counts the tiles that it reaches first."""

    def run_turn(self) -> None:
        """Take the move of the greatest value."""
        me = self.snake
        moves = me.safe_moves
        if not moves:
            me.move("up")
            return
        self.size = self.game.width
        self.foods = {(tile.x, tile.y) for tile in self.game.food}
        self.free_after = self.when_free()
        me.move(max(moves, key=self.value))

    def when_free(self) -> dict[Place, int]:
        """Return for each tile of a body the number of moves until it is free, if nobody eats."""
        free: dict[Place, int] = {}
        for snake in self.game.living:
            for at, tile in enumerate(snake.body):
                free.setdefault((tile.x, tile.y), snake.length - at)
        return free

    def value(self, direction: Direction) -> float:
        """Return the value of a move. One more tile of space has the value 1."""
        me = self.snake
        dx, dy = STEPS[direction]
        head = (me.head.x + dx, me.head.y + dy)
        worth = 0.0
        rivals = [snake for snake in self.opponents if abs(snake.head.x - head[0]) + abs(snake.head.y - head[1]) == 1]
        if any(snake.length >= me.length for snake in rivals):
            worth += LOST
        elif rivals:
            worth += HUNT
        realm = self.realm(head)
        worth += realm.size
        if realm.size < me.length and not realm.tail:
            worth += TRAPPED + 10.0 * realm.size
        return worth + self.appetite() * self.nearness(realm, head)

    def appetite(self) -> float:
        """Return the value of food.

        The value is higher if the snake is hungry, or less than two tiles longer than the longest other snake.
        """
        me = self.snake
        if me.health < HUNGRY:
            return 400.0
        longest = max((snake.length for snake in self.opponents), default=0)
        return 30.0 if me.length < longest + 2 else 10.0

    def nearness(self, realm: Realm, head: Place) -> float:
        """Return 1 if this move eats food, less if the food is further away, and 0 without food."""
        if head in self.foods:
            return 1.0
        return 0.0 if realm.food is None else 1.0 / (1 + realm.food)

    def realm(self, head: Place) -> Realm:
        """Return the tiles that the snake reaches first after a move, if all others move at the same time."""
        me = self.snake
        reached: dict[Place, int] = {head: me.owner}
        fronts: list[tuple[Snake, list[Place]]] = [(me, [head])]
        for snake in sorted(self.opponents, key=lambda snake: -snake.length):
            fronts.append((snake, self.spread(snake, [(snake.head.x, snake.head.y)], 1, reached)))
        fronts.sort(key=lambda front: (-front[0].length, front[0] is me))
        size, food, tail, steps = 1, None, False, 1
        while any(front for _, front in fronts):
            steps += 1
            grown: list[tuple[Snake, list[Place]]] = []
            for snake, front in fronts:
                tiles = self.spread(snake, front, steps, reached)
                if snake is me:
                    size += len(tiles)
                    tail = tail or any(tile in self.free_after for tile in tiles)
                    if food is None and any(tile in self.foods for tile in tiles):
                        food = steps - 1
                grown.append((snake, tiles))
            fronts = grown
        return Realm(size, food, tail)

    def spread(self, snake: Snake, front: list[Place], steps: int, reached: dict[Place, int]) -> list[Place]:
        """Find the tiles that a snake reaches in one more step, add them to `reached`, and return them.

        Args:
            snake: The snake.
            front: The tiles that the snake reached in the step before.
            steps: The number of this step, from 1. A tile must be free after this number of moves.
            reached: Maps each tile that a snake has reached to the player of that snake.
        """
        found = []
        for x, y in front:
            for place in ((x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)):
                if place in reached or not (0 <= place[0] < self.size and 0 <= place[1] < self.size):
                    continue
                if self.free_after.get(place, 0) > steps:
                    continue
                reached[place] = snake.owner
                found.append(place)
        return found
