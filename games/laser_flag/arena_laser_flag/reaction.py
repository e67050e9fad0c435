"""Reaction shots of units on overwatch at an enemy that acts in their sight."""

from __future__ import annotations

from arena.game import Integers
from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.hits import hit, shoot_at
from arena_laser_flag.orders import is_legal_target
from arena_laser_flag.to_hit import parts_against


def react(game: Position, unit: Unit) -> None:
    """Fire one round of reaction shots at a unit that has just acted.

    The shooters are all enemies on overwatch that see the unit. They shoot in a random order until one hits. The
    remaining shooters keep their shots.
    """
    if not is_legal_target(game.rules, unit):
        return
    watchers = watchers_of(game, 1 - unit.player, unit.x, unit.y)
    if not watchers:
        return
    order = _draw_order(game, watchers)
    game.event("reaction_round", unit=unit.id, order=[shooter.id for shooter in order])
    for shooter in order:
        if _shoot(game, shooter, unit):
            hit(game, unit)
            return


def watchers_of(game: Position, player: int, x: int, y: int) -> list[Unit]:
    """Return a player's units on overwatch that see a tile, in the order of their ids."""
    units = [unit for unit in game.players[player].units if unit.overwatch]
    if not units:
        return units
    board = game.board
    seen = board.seen_from(x, y)
    return [unit for unit in units if seen & board.bit(unit.x, unit.y)]


def _draw_order(game: Position, watchers: list[Unit]) -> list[Unit]:
    order = []
    while len(watchers) > 1:
        order.append(watchers.pop(game.chance.draw(Integers(0, len(watchers) - 1), "reaction_order", public=True)))
    return order + watchers


def _shoot(game: Position, shooter: Unit, target: Unit) -> bool:
    """Roll for one reaction shot, and return whether it hits."""
    parts = parts_against(game, shooter, target, shooter.overwatch_mode)
    shooter.overwatch -= 1
    if not shooter.overwatch:
        shooter.overwatch_mode = None
    return shoot_at(game, shooter, target, parts, reaction=True)
