"""Extra methods for the objects of a Snakes bot.

`arena sdk snakes` copies these classes into the typed module of a bot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snakes import Direction, Game, Snake, Tile

    from arena_player import World

STEPS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""Maps a direction to its step in x and y; y counts from the top."""


class TileExtras:
    """Extra methods of tiles."""

    x: int
    y: int
    game: Game

    @property
    def snake(self) -> Snake | None:
        """The living snake whose body lies here; None if there is no snake."""
        return next((snake for snake in self.game.living if (self.x, self.y) in map(tuple, snake.body)), None)

    @property
    def has_food(self) -> bool:
        """Whether food lies here."""
        return (self.x, self.y) in map(tuple, self.game.food)

    def is_passable(self) -> bool:
        """Return whether no living snake lies here now."""
        return self.snake is None

    def towards(self, direction: Direction) -> Tile | None:
        """Return the neighbour in a direction; None at the edge of the board."""
        dx, dy = STEPS[direction]
        neighbour: Tile | None = self.game.tile(self.x + dx, self.y + dy)
        return neighbour

    def direction_to(self, other: Tile) -> Direction | None:
        """Return the direction of a neighbouring tile; None for any other tile."""
        x, y = other  # not `other.x`: the head of a snake that left the board is a pair of numbers
        step = (x - self.x, y - self.y)
        return next((direction for direction, one in STEPS.items() if one == step), None)


class SnakeExtras:
    """Extra methods of snakes."""

    owner: int
    body: list[Tile]
    cause: str
    world: World

    @property
    def is_mine(self) -> bool:
        """Whether the snake is yours."""
        return self.owner == self.world.player

    @property
    def is_alive(self) -> bool:
        """Whether the snake has not been eliminated."""
        return not self.cause

    @property
    def head(self) -> Tile:
        """The tile of the snake's head. If the snake has left the board, this is the tile where it left."""
        head, neck = self.body[:2]
        return head if isinstance(head, Tile) else neck

    @property
    def tail(self) -> Tile:
        """The last tile of the snake's body."""
        return self.body[-1]

    @property
    def length(self) -> int:
        """The length of the snake's body. The longer snake survives when two heads meet."""
        return len(self.body)

    @property
    def direction(self) -> Direction | None:
        """The direction of the snake's last move; None before the first move."""
        return self.body[1].direction_to(self.body[0])

    @property
    def tail_stays(self) -> bool:
        """Whether the tail stays in place in the next move: after a meal, and in the first two turns of the game."""
        return self.body[-1] == self.body[-2]

    @property
    def safe_moves(self) -> list[Direction]:
        """The directions that lead to a tile of the board where no body will lie after the move.

        A tail leaves its tile unless `tail_stays` is true for its snake. The moves of other heads are not considered.
        An eliminated snake has no safe moves.
        """
        if not self.is_alive:
            return []
        return [direction for direction in STEPS if self._is_safe(self.head.towards(direction))]

    def _is_safe(self, tile: Tile | None) -> bool:
        if tile is None:
            return False
        return all(tile not in snake.body[:-1] for snake in tile.game.living)


class GameExtras:
    """Extra methods of the game."""

    snakes: list[Snake]

    @property
    def living(self) -> list[Snake]:
        """The snakes that have not been eliminated."""
        return [snake for snake in self.snakes if snake.is_alive]


class AIExtras:
    """Shortcuts for bots."""

    game: Game
    index: int

    @property
    def snake(self) -> Snake:
        """Your own snake."""
        return self.game.snakes[self.index]

    @property
    def opponents(self) -> list[Snake]:
        """The other snakes that have not been eliminated."""
        return [snake for snake in self.game.living if not snake.is_mine]
