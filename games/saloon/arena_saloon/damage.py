"""Damage to cowboys and furnishings."""

from __future__ import annotations

from arena_saloon import ending
from arena_saloon.entities import Cowboy, Furnishing


def hurt(cowboy: Cowboy, amount: int, cause: str) -> None:
    """Lower the health of a cowboy. At 0 he dies, and his owner's opponent gets a kill.

    Args:
        cowboy: The cowboy.
        amount: The damage.
        cause: ``shot``, ``punch``, ``hazard``, ``collision`` or ``crush``.
    """
    cowboy.health = max(0, cowboy.health - amount)
    if cowboy.health == 0:
        _die(cowboy, cause)


def _die(cowboy: Cowboy, cause: str) -> None:
    game = cowboy.game
    game.event("death", cowboy=cowboy.id, tile=[cowboy.x, cowboy.y], cause=cause)
    cowboy.is_dead = True
    cowboy.can_move = False
    cowboy.is_drunk = False
    cowboy.drunk_direction = ""
    cowboy.turns_busy = game.options.max_turns
    cowboy.x = cowboy.y = None
    game.players[1 - cowboy.owner].kills += 1


def wear(furnishing: Furnishing, amount: int) -> None:
    """Lower the health of a furnishing. At 0 it is destroyed.

    If it was the last piano, the game is decided. The current action is still completed.
    """
    furnishing.health = max(0, furnishing.health - amount)
    if furnishing.health == 0:
        _destroy(furnishing)


def _destroy(furnishing: Furnishing) -> None:
    place = [furnishing.x, furnishing.y]
    furnishing.is_destroyed = True
    furnishing.is_playing = False
    furnishing.x = furnishing.y = None
    if furnishing.is_piano:
        game = furnishing.game
        game.event("piano_destroyed", piano=furnishing.id, tile=place)
        if game.piano_count() == 0:
            ending.decide(game, "pianos_destroyed")
