"""The actions of cowboys, with the checks in the order of the rules."""

from __future__ import annotations

from arena.game import IllegalAction, Tile, action
from arena_saloon import bottle_hits, damage, shooting, throwing
from arena_saloon.entities import Cowboy, Furnishing
from arena_saloon.words import Direction, DirectionOrNone


@action
def move(cowboy: Cowboy, tile: Tile) -> None:
    """Walk to a neighbouring tile, once per turn.

    The tile must have no cowboy and no furnishing, and must not be on the balcony. The cowboy drinks a bottle on
    the tile at once. Moving costs a Sharpshooter all his focus. A busy cowboy can move.

    Args:
        tile: The tile to walk to.
    """
    _check_command(cowboy)
    if not cowboy.can_move:
        raise IllegalAction("already_moved", "he has moved already")
    _check_way(cowboy, tile)
    cowboy.x = tile.x
    cowboy.y = tile.y
    cowboy.can_move = False
    bottle_hits.pick_up(cowboy)
    if cowboy.job == "Sharpshooter":
        cowboy.focus = 0


@action
def play(cowboy: Cowboy, furnishing: Furnishing) -> None:
    """Play a piano on a neighbouring tile. This scores one point.

    Each piano can be played once per turn. Each play does 1 damage to the piano.

    Args:
        furnishing: The piano.
    """
    _check_command(cowboy)
    _check_idle(cowboy)
    if not furnishing.is_piano:
        raise IllegalAction("not_a_piano", "it is not a piano")
    if furnishing.is_playing:
        raise IllegalAction("already_playing", "already played this turn")
    if furnishing.is_destroyed:
        raise IllegalAction("destroyed", "it is destroyed")
    if furnishing.x is None or furnishing.y is None or cowboy.direction_to(furnishing.x, furnishing.y) is None:
        raise IllegalAction("not_adjacent", "not adjacent")
    game = cowboy.game
    game.event("play", cowboy=cowboy.id, piano=furnishing.id, tile=[furnishing.x, furnishing.y])
    furnishing.is_playing = True
    cowboy.turns_busy = 1
    game.players[cowboy.owner].score += 1
    damage.wear(furnishing, 1)


@action
def act(cowboy: Cowboy, tile: Tile, drunk_direction: DirectionOrNone = "") -> None:
    """Shoot, or throw a bottle.

    A Sharpshooter shoots towards the tile. His shot goes as many tiles as he has focus. Only the balcony stops it.
    A Bartender throws a bottle towards the tile. It hits a cowboy on that tile at once. Brawlers cannot act: they
    punch at the end of the turn.

    Args:
        tile: A neighbouring tile; it can be on the balcony.
        drunk_direction: The direction in which a cowboy hit by the bottle will stagger. Only Bartenders need it.
    """
    _check_command(cowboy)
    _check_idle(cowboy)
    if cowboy.job == "Brawler":
        raise IllegalAction("brawler_cannot_act", "brawlers cannot act")
    if cowboy.job == "Sharpshooter":
        if cowboy.focus < 1:
            raise IllegalAction("no_focus", "no focus")
        shooting.shoot(cowboy, _check_adjacent(cowboy, tile))
        return
    if drunk_direction == "":
        raise IllegalAction("no_direction", "a direction is needed")
    throwing.throw(cowboy, _check_adjacent(cowboy, tile), drunk_direction)


def _check_command(cowboy: Cowboy) -> None:
    if cowboy.owner != cowboy.game.actor:
        raise IllegalAction("not_yours", "not your cowboy")
    if cowboy.is_dead:
        raise IllegalAction("dead", "he is dead")
    if cowboy.is_drunk:
        raise IllegalAction("drunk", "he is drunk")


def _check_idle(cowboy: Cowboy) -> None:
    if cowboy.turns_busy > 0:
        raise IllegalAction("busy", "he is busy")


def _check_adjacent(cowboy: Cowboy, tile: Tile) -> Direction:
    direction = cowboy.direction_to(tile.x, tile.y)
    if direction is None:
        raise IllegalAction("not_adjacent", "not adjacent")
    return direction


def _check_way(cowboy: Cowboy, tile: Tile) -> None:
    _check_adjacent(cowboy, tile)
    game = cowboy.game
    if game.is_balcony(tile.x, tile.y):
        raise IllegalAction("balcony", "no cowboys on the balcony")
    if game.cowboy_at(tile.x, tile.y) is not None:
        raise IllegalAction("occupied_by_cowboy", "tile is occupied")
    if game.furnishing_at(tile.x, tile.y) is not None:
        raise IllegalAction("occupied_by_furnishing", "tile is occupied")
