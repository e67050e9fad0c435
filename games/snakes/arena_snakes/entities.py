"""The objects of the game and their actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, IllegalAction, Tile, action, field
from arena_snakes import turns
from arena_snakes.words import Cause, Direction

if TYPE_CHECKING:
    from arena_snakes.state import Game


class Snake(Entity):
    """A snake. An eliminated snake keeps its last body, which does not block others."""

    game: Game
    owner: int = field("The player, from 0.")
    body: tuple[Tile, ...] = field("Its tiles, head first. A tile is repeated if several parts of the body lie on it.")
    health: int = field(
        "Health, 0 to 100. Each turn takes 1, and food restores 100. At 0 the snake is eliminated.", turns.FULL_HEALTH
    )
    chosen: Direction | None = field(
        "The chosen move of this turn, until all have chosen; else null. Other players always see null.",
        None,
        secret=True,
    )
    cause: Cause = field("Why it was eliminated; empty while it lives.", "")
    eliminated_by: Snake | None = field(
        "The snake that eliminated it (itself after a self-collision); null if no snake did.", None
    )
    eliminated_on: int | None = field("The number of turns played when it was eliminated; null while it lives.", None)

    @action
    def move(self, direction: Direction) -> None:
        """Choose the move of this turn. All snakes move at the same time, when the last snake has chosen.

        Args:
            direction: up, down, left or right. Up is towards row 0.
        """
        game = self.game
        if self.owner != game.actor:
            raise IllegalAction("not_yours", "It is not your snake.")
        self.chosen = direction
        if not game.to_move():
            turns.play(game)
