"""Throws of Bartenders, and the flight of their bottles."""

from __future__ import annotations

from arena_saloon import bottle_hits
from arena_saloon.entities import Bottle, Cowboy, Position
from arena_saloon.words import STEPS, Direction


def throw(bartender: Cowboy, direction: Direction, drunk_direction: Direction) -> None:
    """Throw a bottle onto the neighbouring tile, or empty it over the cowboy on that tile.

    Args:
        bartender: A sober Bartender who is not busy.
        direction: The direction of the throw.
        drunk_direction: The direction in which a cowboy hit by the bottle will stagger.
    """
    game = bartender.game
    dx, dy = STEPS[direction]
    x, y = (bartender.x or 0) + dx, (bartender.y or 0) + dy
    cowboy = game.cowboy_at(x, y)
    bottle = game.bottle_at(x, y)
    if cowboy is not None:
        game.event("splash", cowboy=bartender.id, target=cowboy.id, tile=[x, y], drunk_direction=drunk_direction)
        bottle_hits.hit(cowboy, drunk_direction)
    elif bottle is not None:
        bottle_hits.shatter(bottle, "throw", None)
    elif game.is_balcony(x, y):
        game.event("bottle_broken", bottle=None, tile=[x, y], on="balcony", target=None)
    elif (furnishing := game.furnishing_at(x, y)) is not None:
        game.event("bottle_broken", bottle=None, tile=[x, y], on="furnishing", target=furnishing.id)
    else:
        _add_bottle(game, x, y, direction, drunk_direction)
    bartender.turns_busy = game.options.bartender_cooldown


def _add_bottle(game: Position, x: int, y: int, direction: Direction, drunk_direction: Direction) -> None:
    number = game.next_bottle
    game.next_bottle = number + 1
    bottle = game.create(Bottle, f"b{number}", x=x, y=y, direction=direction, drunk_direction=drunk_direction)
    game.bottles = (*game.bottles, bottle)


def fly(game: Position) -> None:
    """Move all bottles one tile at the same time. Break those that hit something or each other."""
    if not game.bottles:
        return
    for bottle in game.bottles:
        dx, dy = STEPS[bottle.direction]
        bottle.x += dx
        bottle.y += dy
    for bottle in game.bottles:
        _arrive(bottle)
    here: dict[tuple[int, int], list[Bottle]] = {}
    for bottle in game.bottles:
        here.setdefault((bottle.x, bottle.y), []).append(bottle)
    for bottles in here.values():
        if len(bottles) > 1:
            for bottle in bottles:
                bottle_hits.shatter(bottle, "bottle", None)


def _arrive(bottle: Bottle) -> None:
    game = bottle.game
    x, y = bottle.x, bottle.y
    cowboy = game.cowboy_at(x, y)
    if cowboy is not None:
        bottle_hits.shatter(bottle, "cowboy", cowboy.id)
        bottle_hits.hit(cowboy, bottle.drunk_direction)
    elif (furnishing := game.furnishing_at(x, y)) is not None:
        bottle_hits.shatter(bottle, "furnishing", furnishing.id)
    elif game.is_balcony(x, y):
        bottle_hits.shatter(bottle, "balcony", None)
