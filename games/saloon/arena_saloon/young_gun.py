"""Young guns, who stroll around the balcony and call cowboys in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, IllegalAction, Tile, action, field
from arena_saloon import bottle_hits
from arena_saloon.cowboy import Cowboy
from arena_saloon.words import Job

if TYPE_CHECKING:
    from arena_saloon.game import Game


class YoungGun(Entity):
    """The player's figure on the balcony. After each own turn it goes one step clockwise."""

    game: Game
    owner: int = field("The player it belongs to, 0 or 1.")
    x: int = field("Column, always on the balcony.")
    y: int = field("Row, always on the balcony.")
    can_call_in: bool = field("False after a call-in, until the end of that turn.", True)
    call_in_tile: Tile = field("The tile where a cowboy called in now would land.")

    @action
    def call_in(self, job: Job) -> Cowboy:
        """Call a cowboy in, once per turn.

        He lands on `call_in_tile` and can be commanded at once. A cowboy who stands there (friend or foe) is crushed
        to death, a furnishing is destroyed, and a bottle hits the newcomer.

        Args:
            job: What he is: a Sharpshooter, a Bartender or a Brawler.
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
