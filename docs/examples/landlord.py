from collections import deque

from snakes import AI, Direction, Tile


class Landlord(AI):
    """Takes space, keeps away from longer heads, and eats when it is hungry or short."""

    def run_turn(self) -> None:
        me = self.snake
        me.move(max(me.safe_moves, key=self.value, default="up"))

    def value(self, direction: Direction) -> float:
        me = self.snake
        tile = me.head.towards(direction)
        steps = self.first_steps(tile)
        mine = [one for one, (_, owner) in steps.items() if owner == self.index]
        value = min(len(mine), 3 * me.length) + 0.1 * len(mine)
        for other in self.opponents:
            if tile in other.head.neighbors:  # both heads may come here: the longer snake survives
                value += 5 if me.length > other.length else -100
        hungry = me.health < 40 or any(me.length <= other.length + 1 for other in self.opponents)
        foods = [steps[food][0] for food in self.game.food if food in mine]
        if hungry and foods:
            value += (40 if me.health < 20 else 12) / (1 + min(foods))
        return value

    def first_steps(self, start: Tile) -> dict[Tile, tuple[int, int]]:
        """Return for each tile in how many steps the first snake reaches it, and which; longer ones come first."""
        blocked = {tile for snake in self.game.living for tile in snake.body[:-1]}
        heads = [(start, self.index), *((other.head, other.owner) for other in self.opponents)]
        length = {snake.owner: snake.length for snake in self.game.living}
        heads.sort(key=lambda one: (-length[one[1]], one[1] == self.index))
        steps = {tile: (0, owner) for tile, owner in heads}
        queue = deque(heads)
        while queue:
            tile, owner = queue.popleft()
            for near in tile.neighbors:
                if near not in steps and near not in blocked:
                    steps[near] = (steps[tile][0] + 1, owner)
                    queue.append((near, owner))
        return steps
