"""Young guns: they call cowboys in, and walk around the balcony."""

from __future__ import annotations

from arena.game import IllegalAction, action
from arena_saloon import bottle_hits, damage
from arena_saloon.entities import Cowboy, YoungGun, inwards
from arena_saloon.words import Job


@action
def call_in(gun: YoungGun, job: Job) -> Cowboy:
    """Call a cowboy in, once per turn.

    He lands on `call_in_tile` and can be commanded at once. He kills a cowboy on that tile (friend or foe) or
    destroys a furnishing. A bottle on that tile hits him. The option `max_cowboys_per_job` limits the living
    cowboys of each job.

    Args:
        job: The newcomer's job: a Sharpshooter, a Bartender or a Brawler.
    """
    game = gun.game
    if gun.owner != game.actor:
        raise IllegalAction("not_yours", "not your young gun")
    if not gun.can_call_in:
        raise IllegalAction("already_called_in", "only one call-in per turn")
    limit = game.options.max_cowboys_per_job
    if game.living_with_job(gun.owner, job) >= limit:
        raise IllegalAction("job_limit", f"no more than {limit} of that job")
    _crush(gun)
    gun.can_call_in = False
    newcomer = _land(gun, job)
    bottle_hits.pick_up(newcomer)
    return newcomer


def _crush(gun: YoungGun) -> None:
    game = gun.game
    x, y = gun.call_in_tile
    victim = game.cowboy_at(x, y) or game.furnishing_at(x, y)
    if victim is None:
        return
    game.event("crush", young_gun=gun.id, target=victim.id, tile=[x, y])
    if isinstance(victim, Cowboy):
        damage.hurt(victim, victim.health, "crush")
    else:
        damage.wear(victim, victim.health)


def _land(gun: YoungGun, job: Job) -> Cowboy:
    game = gun.game
    number = game.next_cowboy
    game.next_cowboy = number + 1
    x, y = gun.call_in_tile
    health = game.options.cowboy_health
    newcomer = game.create(Cowboy, f"c{number}", owner=gun.owner, job=job, x=x, y=y, health=health)
    game.arrivals = (*game.arrivals, newcomer)
    return newcomer


def step(gun: YoungGun) -> None:
    """Go one step clockwise around the balcony, and be ready to call in again."""
    game = gun.game
    right, bottom = game.width - 1, game.height - 1
    gun.can_call_in = True
    if gun.y == 0 and gun.x < right:
        gun.x += 1
    elif gun.x == right and gun.y < bottom:
        gun.y += 1
    elif gun.y == bottom and gun.x > 0:
        gun.x -= 1
    else:
        gun.y -= 1
    gun.call_in_tile = inwards(gun.x, gun.y, game.width, game.height)
