"""What the game is made of: bottles, furnishings, cowboys, young guns, players, and the fields of the state."""

from __future__ import annotations

from arena.game import Entity, State, Tile, field
from arena_saloon.words import JOBS, Direction, DirectionOrNone, Job, direction_to

_MANY = 40
"""A loop over so few objects is as fast as the index of places, which must follow each move."""


class Bottle(Entity):
    """A bottle in flight. It moves one tile at the end of every turn, whoever's turn it is."""

    located_by = ("x", "y")

    game: Position
    x: int = field("Column.")
    y: int = field("Row.")
    direction: Direction = field("The direction in which it flies.")
    drunk_direction: Direction = field("The direction in which a cowboy hit by it will stagger.")


class Furnishing(Entity):
    """A piano or another piece of furniture. It blocks its tile until it is destroyed."""

    located_by = ("x", "y")

    game: Position
    x: int | None = field("Column; null once destroyed.")
    y: int | None = field("Row; null once destroyed.")
    health: int = field("Damage it can still take.")
    is_piano: bool = field("Whether it is a piano.")
    is_playing: bool = field("Whether it has been played in this turn.", False)
    is_destroyed: bool = field("Whether it is destroyed; it leaves the list at the end of the turn.", False)


class Cowboy(Entity):
    """A member of a gang.

    All cowboys walk and play pianos. Sharpshooters shoot along a line, Bartenders throw bottles. Brawlers punch
    everything next to them at the end of each turn of their player.
    """

    located_by = ("x", "y")

    game: Position
    owner: int = field("The player he belongs to, 0 or 1.")
    job: Job = field("His job.")
    x: int | None = field("Column; null once dead.")
    y: int | None = field("Row; null once dead.")
    health: int = field("Damage he can still take.")
    is_dead: bool = field("Whether he is dead; he leaves the list at the end of the turn.", False)
    can_move: bool = field(
        "Whether he can still move in this turn or, during the opponent's turn, in his owner's next turn.", True
    )
    is_drunk: bool = field("Drunk or napping: he cannot be commanded.", False)
    drunk_direction: DirectionOrNone = field("The direction in which he staggers; empty when sober or napping.", "")
    turns_busy: int = field("Number of own turns, the current one included, in which he cannot act or play.", 0)
    focus: int = field("Range of his next shot, in tiles; always 0 unless he is a Sharpshooter.", 0)

    @property
    def is_napping(self) -> bool:
        """Whether he sleeps in a siesta. `is_drunk` is also true for a napping cowboy."""
        return self.is_drunk and self.drunk_direction == ""

    def direction_to(self, x: int, y: int) -> Direction | None:
        """Return the direction of a neighbouring tile, or None if the tile is not next to him."""
        if self.x is None or self.y is None:
            return None
        return direction_to(x - self.x, y - self.y)


class YoungGun(Entity):
    """The player's young gun on the balcony. It goes one step clockwise after each turn of this player."""

    game: Position
    owner: int = field("The player it belongs to, 0 or 1.")
    x: int = field("Column, always on the balcony.")
    y: int = field("Row, always on the balcony.")
    can_call_in: bool = field("False after a call-in, until the end of that turn.", True)
    call_in_tile: Tile = field("The tile where a cowboy lands if he is called in now.")


class Player(Entity):
    """One of the two gangs."""

    game: Position
    index: int = field("0 or 1.")
    score: int = field("Points: the number of piano plays.", 0)
    kills: int = field("Deaths of enemy cowboys, whatever the cause.", 0)
    rowdiness: int = field("Bottle hits on own cowboys since the last siesta began.", 0)
    siesta: int = field("Own turns until the siesta is over; 0 when there is none.", 0)
    young_gun: YoungGun = field("The young gun, who calls in this player's cowboys.")


class Position(State):
    """The fields of the state. The rules act on a position, and `Game` adds what the framework calls."""

    classes = (Player, YoungGun, Cowboy, Furnishing, Bottle)
    grid = ("width", "height")

    current_turn: int = field("The turn being played, from 0; both players' turns count.", 0)
    current_player: int = field("The player whose turn it is, 0 or 1.", 0)
    width: int = field("Columns of the map, balcony included.", 0)
    height: int = field("Rows of the map, balcony included.", 0)
    players: tuple[Player, ...] = field("Both players.", ())
    cowboys: tuple[Cowboy, ...] = field(
        "All cowboys except newcomers, in order of arrival. The dead are removed at the end of the turn.", ()
    )
    arrivals: tuple[Cowboy, ...] = field(
        "Newcomers: cowboys called in during this turn. They join `cowboys` when the turn ends.", ()
    )
    furnishings: tuple[Furnishing, ...] = field("Pianos and other furnishings, in order of creation.", ())
    bottles: tuple[Bottle, ...] = field("All bottles in flight, in order of creation.", ())
    hazards: tuple[Tile, ...] = field("Tiles that hurt the cowboys on them at the end of every turn.", ())
    jobs: tuple[str, ...] = field("All jobs.", JOBS)
    next_cowboy: int = field("The number of the next cowboy's id.", 1)
    next_furnishing: int = field("The number of the next furnishing's id.", 1)
    next_bottle: int = field("The number of the next bottle's id.", 1)
    winner: int | None = field("The player who has won; null while the game goes on.", None)
    reason: str = field("Why the game is over, such as max_turns/score; empty while it goes on.", "")

    def is_balcony(self, x: int, y: int) -> bool:
        """Return whether a tile is on the edge, where only young guns are."""
        return x == 0 or y == 0 or x == self.width - 1 or y == self.height - 1

    def cowboy_at(self, x: int | None, y: int | None) -> Cowboy | None:
        """Return the living cowboy on a tile, newcomers included, or None."""
        if len(self.cowboys) > _MANY:
            return self.one_at(Cowboy, x, y)
        for cowboy in self.cowboys:
            if cowboy.x == x and cowboy.y == y:
                return cowboy
        for cowboy in self.arrivals:
            if cowboy.x == x and cowboy.y == y:
                return cowboy
        return None

    def furnishing_at(self, x: int | None, y: int | None) -> Furnishing | None:
        """Return the furnishing on a tile, or None. A destroyed furnishing is on no tile."""
        if len(self.furnishings) > _MANY:
            return self.one_at(Furnishing, x, y)
        for furnishing in self.furnishings:
            if furnishing.x == x and furnishing.y == y:
                return furnishing
        return None

    def bottle_at(self, x: int | None, y: int | None) -> Bottle | None:
        """Return the bottle on a tile, or None."""
        if len(self.bottles) > _MANY:
            return self.one_at(Bottle, x, y)
        for bottle in self.bottles:
            if bottle.x == x and bottle.y == y:
                return bottle
        return None

    def thing_at(self, x: int, y: int) -> Cowboy | Furnishing | Bottle | None:
        """Return the object on a floor tile, or None. A tile has two objects only while bottles fly."""
        return self.cowboy_at(x, y) or self.furnishing_at(x, y) or self.bottle_at(x, y)

    def living_with_job(self, player: int, job: str) -> int:
        """Count a player's living cowboys of one job. Newcomers do not count."""
        living = [cowboy for cowboy in self.cowboys if cowboy.owner == player and not cowboy.is_dead]
        return len([cowboy for cowboy in living if cowboy.job == job])

    def piano_count(self) -> int:
        """Count the pianos that are not destroyed."""
        pianos = [furnishing for furnishing in self.furnishings if furnishing.is_piano]
        return len([piano for piano in pianos if not piano.is_destroyed])


def inwards(x: int, y: int, width: int, height: int) -> Tile:
    """Return the floor tile next to a balcony tile: straight inwards from an edge, diagonally from a corner."""
    return Tile(min(max(x, 1), width - 2), min(max(y, 1), height - 2))
