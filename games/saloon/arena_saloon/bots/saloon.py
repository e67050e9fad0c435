"""Saloon 1.0: the objects of the game, for bots.

Written by `arena sdk saloon`. Do not change this file: it is replaced when the game changes.

    from saloon import AI


    class MyBot(AI):
        def run_turn(self) -> None:
            ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import arena_player
from arena_player import PlacedObject, Result, find_path, reachable

__all__ = [
    "AI",
    "GAME",
    "SCHEMA_HASH",
    "Bottle",
    "BottleDrunkDirection",
    "Cowboy",
    "Direction",
    "DrunkDirection",
    "Furnishing",
    "Game",
    "Job",
    "Player",
    "Result",
    "Tile",
    "YoungGun",
    "find_path",
    "reachable",
]

GAME = "saloon"
SCHEMA_HASH = "1fccba9a3cb2d87c"

Job = Literal["Sharpshooter", "Bartender", "Brawler"]
DrunkDirection = Literal["", "North", "East", "South", "West"]
Direction = Literal["North", "East", "South", "West"]
BottleDrunkDirection = Literal["North", "East", "South", "West"]


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
        """The player's cowboys in `game.cowboys`. The dead of this turn are included, newcomers are not."""
        return [cowboy for cowboy in self.game.cowboys if cowboy.owner == self.index]

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
        return sum(1 for cowboy in self.cowboys if cowboy.job == job and not cowboy.is_dead)


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
    young_gun: YoungGun | None
    """The YoungGun on this tile, or None."""
    cowboy: Cowboy | None
    """The Cowboy on this tile, or None."""
    furnishing: Furnishing | None
    """The Furnishing on this tile, or None."""
    bottle: Bottle | None
    """The Bottle on this tile, or None."""


class Game(GameExtras, arena_player.RootObject):
    """Two gangs share one saloon. The player with more piano plays wins."""

    current_turn: int
    """The turn being played, from 0; both players' turns count."""
    current_player: int
    """The player whose turn it is, 0 or 1."""
    width: int
    """Columns of the map, balcony included."""
    height: int
    """Rows of the map, balcony included."""
    players: list[Player]
    """Both players."""
    cowboys: list[Cowboy]
    """All cowboys except newcomers, in order of arrival. The dead are removed at the end of the turn."""
    arrivals: list[Cowboy]
    """Newcomers: cowboys called in during this turn. They join `cowboys` when the turn ends."""
    furnishings: list[Furnishing]
    """Pianos and other furnishings, in order of creation."""
    bottles: list[Bottle]
    """All bottles in flight, in order of creation."""
    hazards: list[Tile]
    """Tiles that hurt the cowboys on them at the end of every turn."""
    jobs: list[str]
    """All jobs."""
    next_cowboy: int
    """The number of the next cowboy's id."""
    next_furnishing: int
    """The number of the next furnishing's id."""
    next_bottle: int
    """The number of the next bottle's id."""
    winner: int | None
    """The player who has won; null while the game goes on."""
    reason: str
    """Why the game is over, such as max_turns/score; empty while it goes on."""
    tiles: list[Tile]
    """All tiles, row by row."""

    def tile(self, x: int, y: int) -> Tile | None:
        """Return the tile at (x, y), or None if it is off the board."""
        found: Tile | None = super().tile(x, y)
        return found

    def end_turn(self) -> Result[None]:
        """End the turn.

        Your drunk cowboys stagger, your idle Sharpshooters gain focus, and your Brawlers punch. All
        bottles fly, and hazards hurt all cowboys on them. Your young gun goes one step. Then it is the
        other player's turn.
        """
        return self.world.act({"type": "end_turn"})


class Player(PlayerExtras, arena_player.GameObject):
    """One of the two gangs."""

    game: Game
    """The game."""
    index: int
    """0 or 1."""
    score: int
    """Points: the number of piano plays."""
    kills: int
    """Deaths of enemy cowboys, whatever the cause."""
    rowdiness: int
    """Bottle hits on own cowboys since the last siesta began."""
    siesta: int
    """Own turns until the siesta is over; 0 when there is none."""
    young_gun: YoungGun
    """The young gun, who calls in this player's cowboys."""


class YoungGun(YoungGunExtras, PlacedObject):
    """The player's young gun on the balcony. It goes one step clockwise after each turn of this player."""

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    owner: int
    """The player it belongs to, 0 or 1."""
    x: int
    """Column, always on the balcony."""
    y: int
    """Row, always on the balcony."""
    can_call_in: bool
    """False after a call-in, until the end of that turn."""
    call_in_tile: Tile
    """The tile where a cowboy lands if he is called in now."""

    def call_in(self, job: Job) -> Result[Cowboy]:
        """Call a cowboy in, once per turn.

        He lands on `call_in_tile` and can be commanded at once. He kills a cowboy on that tile (friend
        or foe) or destroys a furnishing. A bottle on that tile hits him. The option
        `max_cowboys_per_job` limits the living cowboys of each job.

        Args:
            job: The newcomer's job: a Sharpshooter, a Bartender or a Brawler.

        Returns:
            A true result if the action is carried out. Its `value` is the Cowboy.
        """
        return self.world.act({"type": "call_in", "young_gun": self.id, "job": job})


class Cowboy(CowboyExtras, PlacedObject):
    """A member of a gang.

    All cowboys walk and play pianos. Sharpshooters shoot along a line, Bartenders throw bottles.
    Brawlers punch everything next to them at the end of each turn of their player.
    """

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    owner: int
    """The player he belongs to, 0 or 1."""
    job: Job
    """His job."""
    x: int | None
    """Column; null once dead."""
    y: int | None
    """Row; null once dead."""
    health: int
    """Damage he can still take."""
    is_dead: bool
    """Whether he is dead; he leaves the list at the end of the turn."""
    can_move: bool
    """Whether he can still move in this turn or, during the opponent's turn, in his owner's next turn."""
    is_drunk: bool
    """Drunk or napping: he cannot be commanded."""
    drunk_direction: DrunkDirection
    """The direction in which he staggers; empty when sober or napping."""
    turns_busy: int
    """Number of own turns, the current one included, in which he cannot act or play."""
    focus: int
    """Range of his next shot, in tiles; always 0 unless he is a Sharpshooter."""

    def move(self, tile: Tile) -> Result[None]:
        """Walk to a neighbouring tile, once per turn.

        The tile must have no cowboy and no furnishing, and must not be on the balcony. The cowboy
        drinks a bottle on the tile at once. Moving costs a Sharpshooter all his focus. A busy cowboy
        can move.

        Args:
            tile: The tile to walk to.
        """
        return self.world.act({"type": "move", "cowboy": self.id, "x": tile.x, "y": tile.y})

    def play(self, furnishing: Furnishing) -> Result[None]:
        """Play a piano on a neighbouring tile. This scores one point.

        Each piano can be played once per turn. Each play does 1 damage to the piano.

        Args:
            furnishing: The piano.
        """
        return self.world.act({"type": "play", "cowboy": self.id, "furnishing": furnishing.id})

    def act(self, tile: Tile, drunk_direction: DrunkDirection = "") -> Result[None]:
        """Shoot, or throw a bottle.

        A Sharpshooter shoots towards the tile. His shot goes as many tiles as he has focus. Only the
        balcony stops it. A Bartender throws a bottle towards the tile. It hits a cowboy on that tile at
        once. Brawlers cannot act: they punch at the end of the turn.

        Args:
            tile: A neighbouring tile; it can be on the balcony.
            drunk_direction: The direction in which a cowboy hit by the bottle will stagger. Only
                Bartenders need it.
        """
        return self.world.act(
            {
                "type": "act",
                "cowboy": self.id,
                "x": tile.x,
                "y": tile.y,
                "drunk_direction": drunk_direction,
            }
        )


class Furnishing(FurnishingExtras, PlacedObject):
    """A piano or another piece of furniture. It blocks its tile until it is destroyed."""

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    x: int | None
    """Column; null once destroyed."""
    y: int | None
    """Row; null once destroyed."""
    health: int
    """Damage it can still take."""
    is_piano: bool
    """Whether it is a piano."""
    is_playing: bool
    """Whether it has been played in this turn."""
    is_destroyed: bool
    """Whether it is destroyed; it leaves the list at the end of the turn."""


class Bottle(BottleExtras, PlacedObject):
    """A bottle in flight. It moves one tile at the end of every turn, whoever's turn it is."""

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    x: int
    """Column."""
    y: int
    """Row."""
    direction: Direction
    """The direction in which it flies."""
    drunk_direction: BottleDrunkDirection
    """The direction in which a cowboy hit by it will stagger."""


class AI(AIExtras, arena_player.AI):
    """A bot for Saloon. Write a subclass with a method `run_turn`."""

    game: Game
    """The game, always current."""
    player: Player
    """Your player object."""
    me: Player
    """Another name for `player`."""

    schema_hash: ClassVar[str | None] = SCHEMA_HASH
    game_classes: ClassVar[Mapping[str, type[arena_player.GameObject]]] = {
        "Game": Game,
        "Player": Player,
        "YoungGun": YoungGun,
        "Cowboy": Cowboy,
        "Furnishing": Furnishing,
        "Bottle": Bottle,
    }
    tile_class: ClassVar[type[arena_player.Tile]] = Tile
