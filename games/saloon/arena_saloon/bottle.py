"""Bottles, which fly between the turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, field
from arena_saloon.words import Direction

if TYPE_CHECKING:
    from arena_saloon.game import Game


class Bottle(Entity):
    """A bottle in flight. It moves one tile at the end of every turn, whoever's turn it is."""

    game: Game
    x: int = field("Column.")
    y: int = field("Row.")
    direction: Direction = field("The way it flies.")
    drunk_direction: Direction = field("The way those who drink it will walk.")

    def shatter(self, on: str, target: str | None) -> None:
        """Take the bottle out of the game.

        Args:
            on: What broke it: ``cowboy``, ``furnishing``, ``balcony``, ``bottle``, ``shot`` or ``throw``.
            target: The id of the cowboy or furnishing that it broke on.
        """
        game = self.game
        game.event("bottle_broken", bottle=self.id, tile=[self.x, self.y], on=on, target=target)
        game.bottles = tuple([bottle for bottle in game.bottles if bottle is not self])
        game.remove(self)
