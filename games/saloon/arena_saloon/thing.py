"""What all objects of the game have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity

if TYPE_CHECKING:
    from arena_saloon.game import Game


class Thing(Entity):
    """An object of the game that knows the game it is in."""

    @property
    def game(self) -> Game:
        """The game this object belongs to."""
        game: Game = self._state
        return game
