"""Extra methods for the objects of a Saloon bot.

`arena sdk saloon` copies these classes into the typed module of a bot.
Turn numbers count the turns of both players, as in the game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saloon import Cowboy, Furnishing, Game, Player, Tile, YoungGun

    from arena_player import find_path

STEPS = {"North": (0, -1), "South": (0, 1), "East": (1, 0), "West": (-1, 0)}
"""Maps a direction to its step in x and y. A Brawler punches the neighbours in this order."""


class TileExtras:
    """Extra methods of tiles."""

    x: int
    y: int
    game: Game
    north: Tile | None
    south: Tile | None
    east: Tile | None
    west: Tile | None
    cowboy: Cowboy | None
    furnishing: Furnishing | None

    @property
    def is_balcony(self) -> bool:
        """Whether the tile is on the edge of the map, where only young guns walk."""
        return self.x in (0, self.game.width - 1) or self.y in (0, self.game.height - 1)

    @property
    def has_hazard(self) -> bool:
        """Whether the tile has a hazard, which hurts a cowboy on the tile at the end of every turn."""
        return any(tile.x == self.x and tile.y == self.y for tile in self.game.hazards)

    def is_passable(self) -> bool:
        """Return whether a cowboy could step here: the tile is not on the balcony, and has no cowboy and no furnishing.

        A bottle does not block the tile.
        """
        return self.cowboy is None and self.furnishing is None and not self.is_balcony

    def towards(self, direction: str) -> Tile | None:
        """Return the neighbour in a direction, or None at the edge of the map."""
        neighbour: Tile | None = getattr(self, direction.lower())
        return neighbour

    def direction_to(self, other: Tile) -> str:
        """Return the direction of a neighbouring tile, or "" if the tile is not a neighbour."""
        step = (other.x - self.x, other.y - self.y)
        return next((direction for direction, one in STEPS.items() if one == step), "")


class CowboyExtras:
    """Extra methods of cowboys."""

    tile: Tile | None
    job: str
    is_dead: bool
    is_drunk: bool
    drunk_direction: str
    can_move: bool
    turns_busy: int
    focus: int

    @property
    def is_napping(self) -> bool:
        """Whether he sleeps in a siesta."""
        return self.is_drunk and not self.drunk_direction

    @property
    def is_ready(self) -> bool:
        """Whether he can be commanded: alive, not drunk and not napping."""
        return not self.is_dead and not self.is_drunk

    @property
    def is_idle(self) -> bool:
        """Whether he is ready and not busy, so that he could play or act now."""
        return self.is_ready and self.turns_busy == 0

    @property
    def pianos(self) -> list[Furnishing]:
        """The pianos next to him that have not been played in this turn."""
        things = [near.furnishing for near in self.tile.neighbors] if self.tile else []
        return [thing for thing in things if thing and thing.is_piano and not thing.is_playing]

    def path_to(self, goal: Tile) -> list[Tile]:
        """Return the path to a tile, without the start; empty when there is no way.

        The goal itself can be occupied: a path to a piano ends on the piano's tile.
        """
        return find_path(self.tile, goal) if self.tile else []

    def line(self, direction: str, length: int | None = None) -> list[Tile]:
        """Return the tiles that a shot in a direction visits, up to the balcony.

        Args:
            direction: North, South, East or West.
            length: The largest number of tiles. The default is his focus.
        """
        line: list[Tile] = []
        tile = self.tile.towards(direction) if self.tile else None
        while tile and not tile.is_balcony and len(line) < (self.focus if length is None else length):
            line.append(tile)
            tile = tile.towards(direction)
        return line

    def targets(self, direction: str, length: int | None = None) -> list[Cowboy | Furnishing]:
        """Return the cowboys (of both gangs) and furnishings that a shot in a direction would damage."""
        things = [tile.cowboy or tile.furnishing for tile in self.line(direction, length)]
        return [thing for thing in things if thing]

    @property
    def next_walk(self) -> Tile | None:
        """The tile where his next drunken walk ends, if nothing else moves; None if he is sober or napping.

        A drunk cowboy walks at the end of his owner's turn only. If something is in the way, he stays where he is.
        """
        if not self.tile or not self.is_drunk or not self.drunk_direction:
            return None
        ahead = self.tile.towards(self.drunk_direction)
        return ahead if ahead and ahead.is_passable() else self.tile

    @property
    def punched(self) -> list[Cowboy | Furnishing]:
        """The targets of a Brawler's next punch, if he stays where he is; empty for other jobs."""
        if self.job != "Brawler" or not self.tile:
            return []
        things = [near.cowboy or near.furnishing for near in self.tile.neighbors]
        return [thing for thing in things if thing]


class FurnishingExtras:
    """Extra methods of furnishings."""

    tile: Tile | None

    @property
    def places(self) -> list[Tile]:
        """The tiles next to the furnishing where a cowboy stands or could stand."""
        near = self.tile.neighbors if self.tile else []
        return [tile for tile in near if not tile.is_balcony and tile.furnishing is None]


class BottleExtras:
    """Extra methods of bottles."""

    tile: Tile | None
    direction: str

    def flight(self, turns: int) -> list[Tile]:
        """Return the bottle's tile at the end of each of the next turns, if nobody moves.

        The list ends with the tile where the bottle breaks: on a cowboy, a furnishing or the balcony. Other bottles are
        ignored.
        """
        tiles: list[Tile] = []
        tile = self.tile
        while tile and len(tiles) < turns:
            tile = tile.towards(self.direction)
            if tile:
                tiles.append(tile)
                if not tile.is_passable():
                    break
        return tiles


class YoungGunExtras:
    """Extra methods of young guns."""

    x: int
    y: int
    owner: int
    game: Game

    def call_in_tile_on(self, turn: int) -> Tile | None:
        """Return the tile where a newcomer lands if the owner calls him in on the given turn.

        The turn is numbered as in `game.current_turn`. For a turn of the opponent, return the tile for the owner's next
        turn after it.
        """
        turns = max(0, turn - self.game.current_turn)
        # The young gun steps at the end of each of the owner's turns.
        steps = (turns + 1) // 2 if self.owner == self.game.current_player else turns // 2
        return self.call_in_tile_in(steps)

    def call_in_tile_in(self, steps: int) -> Tile | None:
        """Return the tile where a newcomer lands after this many steps of the young gun, one per turn of its owner."""
        width, height = self.game.width, self.game.height
        right, bottom = width - 1, height - 1
        ring = [(x, 0) for x in range(right)] + [(right, y) for y in range(bottom)]
        ring += [(x, bottom) for x in range(right, 0, -1)] + [(0, y) for y in range(bottom, 0, -1)]
        x, y = ring[(ring.index((self.x, self.y)) + steps) % len(ring)]
        return self.game.tile(min(max(x, 1), right - 1), min(max(y, 1), bottom - 1))


class PlayerExtras:
    """Extra methods of players."""

    index: int
    score: int
    game: Game
    young_gun: YoungGun

    @property
    def opponent(self) -> Player:
        """The other player."""
        return self.game.players[1 - self.index]

    @property
    def cowboys(self) -> list[Cowboy]:
        """The player's living cowboys, without newcomers. One who dies in a loop over them has no tile from then on."""
        return [cowboy for cowboy in self.game.cowboys if cowboy.owner == self.index and not cowboy.is_dead]

    @property
    def gang(self) -> list[Cowboy]:
        """The player's living cowboys in order of arrival, newcomers last."""
        return [cowboy for cowboy in self.game.living_cowboys if cowboy.owner == self.index]

    @property
    def in_danger_of_crush(self) -> Cowboy | None:
        """The player's own cowboy whom the player's next newcomer would crush now, or None."""
        cowboy = self.young_gun.call_in_tile.cowboy
        return cowboy if cowboy and cowboy.owner == self.index else None

    def count(self, job: str) -> int:
        """Count the player's living cowboys of one job, except newcomers. The limit on call-ins uses this number."""
        return sum(1 for cowboy in self.cowboys if cowboy.job == job)


class GameExtras:
    """Extra methods of the game."""

    cowboys: list[Cowboy]
    arrivals: list[Cowboy]
    furnishings: list[Furnishing]

    @property
    def pianos(self) -> list[Furnishing]:
        """All pianos that are not destroyed."""
        return [thing for thing in self.furnishings if thing.is_piano and not thing.is_destroyed]

    @property
    def living_cowboys(self) -> list[Cowboy]:
        """All cowboys on the map, of both players, newcomers last."""
        return [cowboy for cowboy in (*self.cowboys, *self.arrivals) if not cowboy.is_dead]


class AIExtras:
    """Extra methods of bots."""

    player: Player

    @property
    def opponent(self) -> Player:
        """The other player."""
        return self.player.opponent
