"""Furnishings: pianos, and things that only stand in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, field

if TYPE_CHECKING:
    from arena_saloon.game import Game


class Furnishing(Entity):
    """A piano or another piece of furniture. It blocks its tile until it is destroyed."""

    game: Game
    x: int | None = field("Column; null once destroyed.")
    y: int | None = field("Row; null once destroyed.")
    health: int = field("Damage it can still take.")
    is_piano: bool = field("Whether it is a piano.")
    is_playing: bool = field("Whether it has been played in the present turn.", False)
    is_destroyed: bool = field("Whether it is destroyed; it leaves the list at the end of the turn.", False)

    def take_damage(self, amount: int) -> None:
        """Lower the health; at 0 the furnishing is destroyed, and with the last piano the game is decided."""
        self.health = max(0, self.health - amount)
        if self.health == 0:
            self._destroy()

    def _destroy(self) -> None:
        place = [self.x, self.y]
        self.is_destroyed = True
        self.is_playing = False
        self.x = self.y = None
        if self.is_piano:
            self.game.event("piano_destroyed", piano=self.id, tile=place)
            self.game.piano_is_gone()
