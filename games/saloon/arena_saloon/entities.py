"""The objects of the game and their actions: bottles, furnishings, cowboys, young guns, players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, IllegalAction, Tile, action, field
from arena_saloon import bottle_hits, shooting, throwing
from arena_saloon.words import Direction, DirectionOrNone, Job, direction_to

if TYPE_CHECKING:
    from arena_saloon.state import Game


class Bottle(Entity):
    """A bottle in flight. It moves one tile at the end of every turn, whoever's turn it is."""

    game: Game
    x: int = field("Column.")
    y: int = field("Row.")
    direction: Direction = field("The direction in which it flies.")
    drunk_direction: Direction = field("The direction in which a cowboy hit by it will stagger.")

    def shatter(self, on: str, target: str | None) -> None:
        """Take the bottle out of the game.

        Args:
            on: What broke it: ``cowboy``, ``furnishing``, ``balcony``, ``bottle``, ``shot`` or ``throw``.
            target: The id of the cowboy or furnishing that it broke on; None if it broke on something else.
        """
        game = self.game
        game.event("bottle_broken", bottle=self.id, tile=[self.x, self.y], on=on, target=target)
        game.bottles = tuple([bottle for bottle in game.bottles if bottle is not self])
        game.remove(self)


class Furnishing(Entity):
    """A piano or another piece of furniture. It blocks its tile until it is destroyed."""

    game: Game
    x: int | None = field("Column; null once destroyed.")
    y: int | None = field("Row; null once destroyed.")
    health: int = field("Damage it can still take.")
    is_piano: bool = field("Whether it is a piano.")
    is_playing: bool = field("Whether it has been played in this turn.", False)
    is_destroyed: bool = field("Whether it is destroyed; it leaves the list at the end of the turn.", False)

    def take_damage(self, amount: int) -> None:
        """Lower the health. At 0 the furnishing is destroyed. If it was the last piano, the game is decided."""
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


class Cowboy(Entity):
    """A member of a gang.

    All cowboys walk and play pianos. Sharpshooters shoot along a line, Bartenders throw bottles. Brawlers punch
    everything next to them at the end of each turn of their player.
    """

    game: Game
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

    @action
    def move(self, tile: Tile) -> None:
        """Walk to a neighbouring tile, once per turn.

        The tile must have no cowboy and no furnishing, and must not be on the balcony. The cowboy drinks a bottle on
        the tile at once. Moving costs a Sharpshooter all his focus. A busy cowboy can move.

        Args:
            tile: The tile to walk to.
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
        """Play a piano on a neighbouring tile. This scores one point.

        Each piano can be played once per turn. Each play does 1 damage to the piano.

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
        """Shoot, or throw a bottle.

        A Sharpshooter shoots towards the tile. His shot goes as many tiles as he has focus. Only the balcony stops it.
        A Bartender throws a bottle towards the tile. It hits a cowboy on that tile at once. Brawlers cannot act: they
        punch at the end of the turn.

        Args:
            tile: A neighbouring tile; it can be on the balcony.
            drunk_direction: The direction in which a cowboy hit by the bottle will stagger. Only Bartenders need it.
        """
        self._check_command()
        self._check_idle()
        if self.job == "Brawler":
            raise IllegalAction("brawler_cannot_act", "brawlers cannot act")
        if self.job == "Sharpshooter":
            if self.focus < 1:
                raise IllegalAction("no_focus", "no focus")
            shooting.shoot(self, self._check_adjacent(tile))
            return
        if drunk_direction == "":
            raise IllegalAction("no_direction", "a direction is needed")
        throwing.throw(self, self._check_adjacent(tile), drunk_direction)

    # -- what happens to him -------------------------------------------------------------------------

    @property
    def is_napping(self) -> bool:
        """Whether he sleeps in a siesta. `is_drunk` is also true for a napping cowboy."""
        return self.is_drunk and self.drunk_direction == ""

    def direction_to(self, x: int, y: int) -> Direction | None:
        """Return the direction of a neighbouring tile, or None if the tile is not next to him."""
        if self.x is None or self.y is None:
            return None
        return direction_to(x - self.x, y - self.y)

    def take_damage(self, amount: int, cause: str) -> None:
        """Lower the health. At 0 he dies, and his owner's opponent gets a kill.

        Args:
            amount: The damage.
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


class YoungGun(Entity):
    """The player's young gun on the balcony. It goes one step clockwise after each turn of this player."""

    game: Game
    owner: int = field("The player it belongs to, 0 or 1.")
    x: int = field("Column, always on the balcony.")
    y: int = field("Row, always on the balcony.")
    can_call_in: bool = field("False after a call-in, until the end of that turn.", True)
    call_in_tile: Tile = field("The tile where a cowboy lands if he is called in now.")

    @action
    def call_in(self, job: Job) -> Cowboy:
        """Call a cowboy in, once per turn.

        He lands on `call_in_tile` and can be commanded at once. He kills a cowboy on that tile (friend or foe) or
        destroys a furnishing. A bottle on that tile hits him. The option `max_cowboys_per_job` limits the living
        cowboys of each job.

        Args:
            job: The newcomer's job: a Sharpshooter, a Bartender or a Brawler.
        """
        game = self.game
        if self.owner != game.actor:
            raise IllegalAction("not_yours", "not your young gun")
        if not self.can_call_in:
            raise IllegalAction("already_called_in", "only one call-in per turn")
        limit = game.options.max_cowboys_per_job
        if game.living_with_job(self.owner, job) >= limit:
            raise IllegalAction("job_limit", f"no more than {limit} of that job")
        self._crush()
        self.can_call_in = False
        newcomer = self._land(job)
        bottle_hits.pick_up(newcomer)
        return newcomer

    def step(self) -> None:
        """Go one step clockwise around the balcony, and be ready to call in again."""
        game = self.game
        right, bottom = game.width - 1, game.height - 1
        self.can_call_in = True
        if self.y == 0 and self.x < right:
            self.x += 1
        elif self.x == right and self.y < bottom:
            self.y += 1
        elif self.y == bottom and self.x > 0:
            self.x -= 1
        else:
            self.y -= 1
        self.call_in_tile = inwards(self.x, self.y, game.width, game.height)

    def _crush(self) -> None:
        game = self.game
        x, y = self.call_in_tile
        victim = game.cowboy_at(x, y) or game.furnishing_at(x, y)
        if victim is None:
            return
        game.event("crush", young_gun=self.id, target=victim.id, tile=[x, y])
        if isinstance(victim, Cowboy):
            victim.take_damage(victim.health, "crush")
        else:
            victim.take_damage(victim.health)

    def _land(self, job: Job) -> Cowboy:
        game = self.game
        number = game.next_cowboy
        game.next_cowboy = number + 1
        x, y = self.call_in_tile
        health = game.options.cowboy_health
        newcomer = game.create(Cowboy, f"c{number}", owner=self.owner, job=job, x=x, y=y, health=health)
        game.arrivals = (*game.arrivals, newcomer)
        return newcomer


def inwards(x: int, y: int, width: int, height: int) -> Tile:
    """Return the floor tile next to a balcony tile: straight inwards from an edge, diagonally from a corner."""
    return Tile(min(max(x, 1), width - 2), min(max(y, 1), height - 2))


class Player(Entity):
    """One of the two gangs."""

    game: Game
    index: int = field("0 or 1.")
    score: int = field("Points: the number of piano plays.", 0)
    kills: int = field("Deaths of enemy cowboys, whatever the cause.", 0)
    rowdiness: int = field("Bottle hits on own cowboys since the last siesta began.", 0)
    siesta: int = field("Own turns until the siesta is over; 0 when there is none.", 0)
    young_gun: YoungGun = field("The young gun, who calls in this player's cowboys.")
