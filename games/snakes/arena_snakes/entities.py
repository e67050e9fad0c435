"""What the game is made of: the snakes, and the fields of the state."""

from __future__ import annotations

from arena.game import Entity, State, Tile, field, shared
from arena_snakes.words import Cause, Direction, Reason

FULL_HEALTH = 100


class Snake(Entity):
    """A snake. An eliminated snake keeps its last body, which does not block others."""

    game: Position
    owner: int = field("The player, from 0.")
    body: tuple[Tile, ...] = field("Its tiles, head first. A tile is repeated if several parts of the body lie on it.")
    health: int = field(
        "Health, 0 to 100. Each turn takes 1, and food restores 100. At 0 the snake is eliminated.", FULL_HEALTH
    )
    chosen: Direction | None = field(
        "The chosen move of this turn, until all have chosen; else null. Other players always see null.",
        None,
        secret="owner",
    )
    cause: Cause = field("Why it was eliminated; empty while it lives.", "")
    eliminated_by: Snake | None = field(
        "The snake that eliminated it (itself after a self-collision); null if no snake did.", None
    )
    eliminated_on: int | None = field("The number of turns played when it was eliminated; null while it lives.", None)


class Position(State):
    """The fields of the state. The rules act on a position, and `Game` adds what the framework calls."""

    classes = (Snake,)
    grid = ("width", "height")

    width: int = field("Columns of the board.", 0)
    height: int = field("Rows of the board.", 0)
    turn: int = field("Number of turns played.", 0)
    food: tuple[Tile, ...] = field("The tiles with food.", ())
    snakes: tuple[Snake, ...] = field("All snakes, in order of their players.", ())
    reason: Reason = field("Why the game is over; empty while it goes on.", "")
    tiles: tuple[Tile, ...] = shared("All tiles of the board, row by row.")

    def out(self) -> tuple[int, ...]:
        """Return the players whose snakes are eliminated."""
        return tuple(number for number, snake in enumerate(self.snakes) if snake.eliminated_on is not None)

    def living(self) -> list[Snake]:
        """Return the snakes that are not eliminated."""
        return [snake for snake in self.snakes if not snake.cause]
