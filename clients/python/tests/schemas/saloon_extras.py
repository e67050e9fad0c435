"""What Saloon adds to the objects of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saloon import Cowboy, Furnishing, Game, Player


class TileExtras:
    x: int
    y: int
    game: Game
    cowboy: Cowboy | None
    furnishing: Furnishing | None

    @property
    def is_balcony(self) -> bool:
        """True at the edge of the map, where only young guns walk."""
        return self.x in (0, self.game.width - 1) or self.y in (0, self.game.height - 1)

    # A bottle does not block.
    def is_passable(self) -> bool:
        """Whether a cowboy could step here."""
        return not self.is_balcony and self.cowboy is None and self.furnishing is None


class GameExtras:
    furnishings: list[Furnishing]

    @property
    def pianos(self) -> list[Furnishing]:
        """All pianos that still stand."""
        return [item for item in self.furnishings if item.is_piano and not item.is_destroyed]


class AIExtras:
    """Short cuts."""

    game: Game
    player: Player

    @property
    def opponent(self) -> Player:
        """The other player."""
        return self.game.players[1 - self.player.index]
