"""Bottles break: the effects of a hit, and the siesta after too many hits."""

from __future__ import annotations

from arena_saloon.entities import Bottle, Cowboy, Player
from arena_saloon.words import Direction


def shatter(bottle: Bottle, on: str, target: str | None) -> None:
    """Take a bottle out of the game.

    Args:
        bottle: The bottle.
        on: What broke it: ``cowboy``, ``furnishing``, ``balcony``, ``bottle``, ``shot`` or ``throw``.
        target: The id of the cowboy or furnishing that it broke on; None if it broke on something else.
    """
    game = bottle.game
    game.event("bottle_broken", bottle=bottle.id, tile=[bottle.x, bottle.y], on=on, target=target)
    game.bottles = tuple([other for other in game.bottles if other is not bottle])
    game.remove(bottle)


def pick_up(cowboy: Cowboy) -> None:
    """Let a cowboy drink the bottle on the tile where he now stands, if there is one."""
    bottle = cowboy.game.bottle_at(cowboy.x, cowboy.y)
    if bottle is not None:
        shatter(bottle, "cowboy", cowboy.id)
        hit(cowboy, bottle.drunk_direction)


def hit(cowboy: Cowboy, direction: Direction) -> None:
    """Raise the rowdiness of a cowboy's gang, which can start a siesta. Then make him drunk, unless he naps.

    Args:
        cowboy: The cowboy who is hit.
        direction: The direction in which he will stagger.
    """
    game = cowboy.game
    owner = game.players[cowboy.owner]
    owner.rowdiness += 1
    if owner.rowdiness >= game.options.rowdiness_to_siesta:
        _begin_siesta(owner)
    if not cowboy.is_napping:
        cowboy.is_drunk = True
        cowboy.drunk_direction = direction
        cowboy.turns_busy = game.options.turns_drunk
        cowboy.can_move = False
        cowboy.focus = 0


def _begin_siesta(player: Player) -> None:
    """Send a player's living cowboys to sleep, except the newcomers called in during this turn."""
    game = player.game
    length = game.options.siesta_length
    player.rowdiness = 0
    player.siesta = length
    game.event("siesta_begins", player=player.index, turns=length)
    for cowboy in game.cowboys:
        if cowboy.owner == player.index and not cowboy.is_dead:
            cowboy.is_drunk = True
            cowboy.drunk_direction = ""
            cowboy.turns_busy = length
            cowboy.can_move = False
            cowboy.focus = 0
