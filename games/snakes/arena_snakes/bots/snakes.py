"""Snakes 1.0: the objects of the game, for bots.

Written by `arena sdk snakes`. Do not change this file: it is replaced when the game changes.

    from snakes import AI


    class MyBot(AI):
        def run_turn(self) -> None:
            ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import arena_player
from arena_player import Result, World, find_path, reachable

__all__ = [
    "AI",
    "GAME",
    "SCHEMA_HASH",
    "Cause",
    "Chosen",
    "Direction",
    "Game",
    "Reason",
    "Result",
    "Snake",
    "Tile",
    "find_path",
    "reachable",
]

GAME = "snakes"
SCHEMA_HASH = "840e6df44e24881d"

Reason = Literal["", "last_snake", "all_eliminated"]
Chosen = Literal["up", "down", "left", "right"]
Cause = Literal[
    "",
    "out-of-health",
    "wall-collision",
    "snake-self-collision",
    "snake-collision",
    "head-collision",
    "left",
]
Direction = Literal["up", "down", "left", "right"]


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
        """The tile of the snake's head. If the snake left the board, this is a pair (x, y) and not a tile."""
        return self.body[0]

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
        return self.body[1].direction_to(self.head)

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


class Tile(TileExtras, arena_player.Tile):
    """One square of the board. x grows to the right, y grows downwards, (0, 0) is top left."""

    game: Game
    """The game."""
    north: Tile | None
    """The tile above, or None at the edge."""
    south: Tile | None
    """The tile below, or None at the edge."""
    east: Tile | None
    """The tile to the right, or None at the edge."""
    west: Tile | None
    """The tile to the left, or None at the edge."""
    neighbors: list[Tile]
    """The tiles to the north, south, east and west that exist."""


class Game(GameExtras, arena_player.RootObject):
    """Two to eight snakes on a square board; the last one wins."""

    width: int
    """Columns of the board."""
    height: int
    """Rows of the board."""
    turn: int
    """Number of turns played."""
    food: list[Tile]
    """The tiles with food."""
    snakes: list[Snake]
    """All snakes, in order of their players."""
    reason: Reason
    """Why the game is over; empty while it goes on."""
    tiles: list[Tile]
    """All tiles, row by row."""

    def tile(self, x: int, y: int) -> Tile | None:
        """Return the tile at (x, y), or None if it is off the board."""
        found: Tile | None = super().tile(x, y)
        return found


class Snake(SnakeExtras, arena_player.GameObject):
    """A snake. An eliminated snake keeps its last body, which does not block others."""

    game: Game
    """The game."""
    owner: int
    """The player, from 0."""
    body: list[Tile]
    """Its tiles, head first. A tile is repeated if several parts of the body lie on it."""
    health: int
    """Health, 0 to 100. Each turn takes 1, and food restores 100. At 0 the snake is eliminated."""
    chosen: Chosen | None
    """The chosen move of this turn, until all have chosen; else null. Other players always see null."""
    cause: Cause
    """Why it was eliminated; empty while it lives."""
    eliminated_by: Snake | None
    """The snake that eliminated it (itself after a self-collision); null if no snake did."""
    eliminated_on: int | None
    """The number of turns played when it was eliminated; null while it lives."""

    def move(self, direction: Direction) -> Result[None]:
        """Choose the move of this turn. All snakes move at the same time, when the last snake has chosen.

        Args:
            direction: up, down, left or right. Up is towards row 0.
        """
        return self.world.act({"type": "move", "snake": self.id, "direction": direction})


class AI(AIExtras, arena_player.AI):
    """A bot for Snakes. Write a subclass with a method `run_turn`."""

    game: Game
    """The game, always current."""
    player: int
    """Your number, from 0."""
    me: int
    """Another name for `player`."""

    schema_hash: ClassVar[str | None] = SCHEMA_HASH
    game_classes: ClassVar[Mapping[str, type[arena_player.GameObject]]] = {
        "Game": Game,
        "Snake": Snake,
    }
    tile_class: ClassVar[type[arena_player.Tile]] = Tile
