"""Fog of war: guess the units that a player does not see."""

from __future__ import annotations

from random import Random

from arena_laser_flag.documents import muster
from arena_laser_flag.entities import Position, Unit, settle
from arena_laser_flag.turns import go_on_overwatch
from arena_laser_flag.visibility import seen_tiles


def guess_hidden_units(game: Position, player: int, rng: Random) -> None:
    """Create the enemies that are hidden from a player, on random tiles that the player does not see.

    Their classes come from the map in the options. If the map does not list the enemies, the classes are guessed. The
    reaction shots are guessed too.

    Args:
        game: A state that holds only what the player sees.
        player: The player.
        rng: A random generator for the guesses.
    """
    board = game.board
    free = board.walkable & ~seen_tiles(game, player) & ~board.set_of(unit.place for unit in game.units)
    tiles = list(board.tiles(free))
    hidden = _roster(game, player, rng)
    places = rng.sample(tiles, min(len(hidden), len(tiles)))
    guessed = [
        _guess(game, id_, name, 1 - player, place, rng)
        for (id_, name), place in zip(hidden.items(), places, strict=False)
    ]
    if guessed:
        muster(game, [*game.units, *guessed])


def _guess(game: Position, id_: str, name: str, player: int, place: tuple[int, int], rng: Random) -> Unit:
    unit = game.create(Unit, id_, player=player, unit_class=name, **settle(game.board, *place))
    if game.active_player == player:
        unit.ap = game.rules.max_ap
    else:
        points = rng.randint(0, game.rules.max_ap)
        if points:
            go_on_overwatch(game, unit, points)
    return unit


def _roster(game: Position, player: int, rng: Random) -> dict[str, str]:
    """Return the ids and classes of the enemies that a player does not see.

    If the map in the options lists the enemies, use that list. Otherwise assume that both teams started with equal
    sizes, give hidden enemies the lowest unused ids, and guess their classes.
    """
    known = {unit.id for unit in game.units} | set(game.eliminated)
    listed = game.options.map["units"]
    enemies = {f"u{number}": unit["class"] for number, unit in enumerate(listed) if unit["player"] != player}
    if enemies:
        return {id_: name for id_, name in enemies.items() if id_ not in known}
    missing = 2 * len(listed) - len(known)
    names = sorted(game.rules.classes)
    unheard = (f"u{number}" for number in range(2 * len(listed) + len(known)))
    ids = [id_ for id_ in unheard if id_ not in known][: max(0, missing)]
    return {id_: rng.choice(names) for id_ in ids}
