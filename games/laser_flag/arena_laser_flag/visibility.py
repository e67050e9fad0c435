"""Fog of war: find out which units a player sees."""

from __future__ import annotations

from arena_laser_flag.entities import Position, Unit


def sees(game: Position, player: int, unit: Unit) -> bool:
    """Return whether a player sees a unit: an own unit always, an enemy if an own unit sees its tile."""
    if unit.player == player or not game.rules.fog_of_war:
        return True
    board = game.board
    bit = board.bit(unit.x, unit.y)
    return any(board.seen_from(own.x, own.y) & bit for own in game.players[player].units)


def witnesses(game: Position, unit: Unit) -> tuple[int, ...] | None:
    """Return the players who see a unit, or None if everybody sees everything."""
    if not game.rules.fog_of_war:
        return None
    return tuple(player for player in (0, 1) if sees(game, player, unit))


def seen_tiles(game: Position, player: int) -> int:
    """Return the tiles that a player's units see, as a set of the board."""
    board = game.board
    seen = 0
    for unit in game.players[player].units:
        seen |= board.seen_from(unit.x, unit.y)
    return seen


def known_units(game: Position, player: int) -> tuple[Unit, ...]:
    """Return the units on the board that a player sees, in the order of their ids."""
    if not game.rules.fog_of_war:
        return game.units
    board = game.board
    seen = seen_tiles(game, player)
    return tuple(unit for unit in game.units if unit.player == player or seen & board.bit(unit.x, unit.y))
