"""Cowboys: what they are, and what they can be told to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, IllegalAction, Tile, action, field
from arena_saloon import bottle_hits, gunfire, throwing
from arena_saloon.furnishing import Furnishing
from arena_saloon.words import Direction, DirectionOrNone, Job, direction_to

if TYPE_CHECKING:
    from arena_saloon.game import Game


class Cowboy(Entity):
    """A member of a gang.

    Sharpshooters shoot along a line as long as their focus, Bartenders throw bottles, Brawlers punch everything next
    to them at the end of each own turn. All of them walk and play pianos.
    """

    game: Game
    owner: int = field("The player he belongs to, 0 or 1.")
    job: Job = field("What he is.")
    x: int | None = field("Column; null once dead.")
    y: int | None = field("Row; null once dead.")
    health: int = field("Damage he can still take.")
    is_dead: bool = field("Whether he is dead; he leaves the list at the end of the turn.", False)
    can_move: bool = field("Whether he may still be moved in this turn (his owner's) or in the next.", True)
    is_drunk: bool = field("Drunk or napping: he cannot be commanded.", False)
    drunk_direction: DirectionOrNone = field("The way he staggers; empty when sober and while napping.", "")
    turns_busy: int = field("While above 0 he cannot act or play; counted down at each end of an own turn.", 0)
    focus: int = field("How many tiles his next shot reaches; above 0 for Sharpshooters only.", 0)

    @action
    def move(self, tile: Tile) -> None:
        """Walk to a neighbouring tile, once per turn.

        The tile must be free of cowboys and furnishings and not on the balcony. A bottle there is drunk at once.
        Moving costs a Sharpshooter all his focus. Being busy does not hinder.

        Args:
            tile: Where to.
        """
        self._check_command()
        if not self.can_move:
            raise IllegalAction("already_moved", "he has moved already")
        self._check_way(tile)
        self.x = tile.x
        self.y = tile.y
        self.can_move = False
        bottle_hits.pick_up(self)
        if self.job == "Sharpshooter":
            self.focus = 0

    @action
    def play(self, furnishing: Furnishing) -> None:
        """Play a piano on a neighbouring tile: one point.

        Each piano can be played once per turn, and takes 1 damage from it.

        Args:
            furnishing: The piano.
        """
        self._check_command()
        self._check_idle()
        if not furnishing.is_piano:
            raise IllegalAction("not_a_piano", "it is not a piano")
        if furnishing.is_playing:
            raise IllegalAction("already_playing", "already played this turn")
        if furnishing.is_destroyed:
            raise IllegalAction("destroyed", "it is destroyed")
        if furnishing.x is None or furnishing.y is None or self.direction_to(furnishing.x, furnishing.y) is None:
            raise IllegalAction("not_adjacent", "not adjacent")
        game = self.game
        game.event("play", cowboy=self.id, piano=furnishing.id, tile=[furnishing.x, furnishing.y])
        furnishing.is_playing = True
        self.turns_busy = 1
        game.players[self.owner].score += 1
        furnishing.take_damage(1)

    @action
    def act(self, tile: Tile, drunk_direction: DirectionOrNone = "") -> None:
        """Do what his job is, towards a neighbouring tile.

        A Sharpshooter shoots along that line as far as his focus reaches, through everybody. A Bartender throws a
        bottle, or empties it over the cowboy next to him. Brawlers cannot act: they punch by themselves.

        Args:
            tile: The neighbouring tile; it may be balcony.
            drunk_direction: For Bartenders: the way those who drink it will stagger.
        """
        self._check_command()
        self._check_idle()
        if self.job == "Brawler":
            raise IllegalAction("brawler_cannot_act", "brawlers cannot act")
        if self.job == "Sharpshooter":
            if self.focus < 1:
                raise IllegalAction("no_focus", "no focus")
            gunfire.shoot(self, self._check_adjacent(tile))
            return
        if drunk_direction == "":
            raise IllegalAction("no_direction", "a direction is needed")
        throwing.throw(self, self._check_adjacent(tile), drunk_direction)

    # -- what happens to him -------------------------------------------------------------------------

    @property
    def is_napping(self) -> bool:
        """Whether he sleeps through a siesta, rather than being drunk in the narrow sense."""
        return self.is_drunk and self.drunk_direction == ""

    def direction_to(self, x: int, y: int) -> Direction | None:
        """Return the direction of a neighbouring tile; None where it is none of his neighbours."""
        if self.x is None or self.y is None:
            return None
        return direction_to(x - self.x, y - self.y)

    def take_damage(self, amount: int, cause: str) -> None:
        """Lower the health; at 0 he dies, and the opponent of his owner gets a kill.

        Args:
            amount: How much.
            cause: ``shot``, ``punch``, ``hazard``, ``collision`` or ``crush``.
        """
        self.health = max(0, self.health - amount)
        if self.health == 0:
            self._die(cause)

    def _die(self, cause: str) -> None:
        game = self.game
        game.event("death", cowboy=self.id, tile=[self.x, self.y], cause=cause)
        self.is_dead = True
        self.can_move = False
        self.is_drunk = False
        self.drunk_direction = ""
        self.turns_busy = game.options.max_turns
        self.x = self.y = None
        game.players[1 - self.owner].kills += 1

    # -- checks, in the order of the rules -----------------------------------------------------------

    def _check_command(self) -> None:
        if self.owner != self.game.actor:
            raise IllegalAction("not_yours", "not your cowboy")
        if self.is_dead:
            raise IllegalAction("dead", "he is dead")
        if self.is_drunk:
            raise IllegalAction("drunk", "he is drunk")

    def _check_idle(self) -> None:
        if self.turns_busy > 0:
            raise IllegalAction("busy", "he is busy")

    def _check_adjacent(self, tile: Tile) -> Direction:
        direction = self.direction_to(tile.x, tile.y)
        if direction is None:
            raise IllegalAction("not_adjacent", "not adjacent")
        return direction

    def _check_way(self, tile: Tile) -> None:
        self._check_adjacent(tile)
        game = self.game
        if game.is_balcony(tile.x, tile.y):
            raise IllegalAction("balcony", "no cowboys on the balcony")
        if game.cowboy_at(tile.x, tile.y) is not None:
            raise IllegalAction("occupied_by_cowboy", "tile is occupied")
        if game.furnishing_at(tile.x, tile.y) is not None:
            raise IllegalAction("occupied_by_furnishing", "tile is occupied")
