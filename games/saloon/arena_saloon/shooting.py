"""Shots of Sharpshooters."""

from __future__ import annotations

from arena_saloon import bottle_hits, damage
from arena_saloon.entities import Cowboy, Position
from arena_saloon.words import STEPS, Direction


def shoot(shooter: Cowboy, direction: Direction) -> None:
    """Fire along a line of as many tiles as the shooter's focus. Only the balcony stops the bullet.

    Args:
        shooter: A sober Sharpshooter with focus.
        direction: The direction of the shot.
    """
    game = shooter.game
    line = _line(shooter, direction)
    targets = [thing for x, y in line if (thing := game.thing_at(x, y)) is not None]
    game.event("shot", cowboy=shooter.id, direction=direction, tiles=line, hits=[thing.id for thing in targets])
    for x, y in line:
        _strike(game, x, y)
    shooter.focus = 0
    shooter.turns_busy = 1


def _line(shooter: Cowboy, direction: Direction) -> list[list[int]]:
    game = shooter.game
    dx, dy = STEPS[direction]
    line: list[list[int]] = []
    x, y = shooter.x or 0, shooter.y or 0
    while len(line) < shooter.focus:
        x, y = x + dx, y + dy
        if game.is_balcony(x, y):
            break
        line.append([x, y])
    return line


def _strike(game: Position, x: int, y: int) -> None:
    amount = game.options.sharpshooter_damage
    cowboy = game.cowboy_at(x, y)
    if cowboy is not None:
        damage.hurt(cowboy, amount, "shot")
        return
    furnishing = game.furnishing_at(x, y)
    if furnishing is not None:
        damage.wear(furnishing, amount)
        return
    bottle = game.bottle_at(x, y)
    if bottle is not None:
        bottle_hits.shatter(bottle, "shot", None)
