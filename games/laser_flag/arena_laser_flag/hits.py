"""Dice, hits and points."""

from __future__ import annotations

from arena.game import Integers
from arena_laser_flag.ending import can_recharge, end_on_checkmate, end_on_elimination, end_on_score
from arena_laser_flag.entities import Position, Unit

_DIE = Integers(1, 6)


def roll(game: Position) -> list[int]:
    """Roll the two dice of a shot."""
    chance = game.chance
    return [chance.draw(_DIE, "die", public=True), chance.draw(_DIE, "die", public=True)]


def shoot_at(game: Position, shooter: Unit, target: Unit, parts: dict[str, int], *, reaction: bool) -> bool:
    """Roll for a shot at a unit, and record the shot. Return whether it hits; the caller applies the hit.

    Args:
        game: The game.
        shooter: The unit that shoots.
        target: The unit that is shot at.
        parts: The summands of the number that the dice must reach, by name.
        reaction: Whether it is a reaction shot.
    """
    needed = sum(parts.values())
    dice = roll(game)
    is_hit = sum(dice) >= needed
    game.event(
        "shot",
        shooter=shooter.id,
        target=target.id,
        line=segment(game, shooter.place, target.place),
        dice=dice,
        needed=needed,
        parts=parts,
        hit=is_hit,
        reaction=reaction,
    )
    return is_hit


def score(game: Position, player: int, points: int) -> None:
    """Give points to a player."""
    scorer = game.players[player]
    scorer.score += points
    game.event("score", player=player, points=points, score=scorer.score)


def hit(game: Position, target: Unit) -> bool:
    """Apply a hit on a unit.

    Returns:
        Whether the game is over.
    """
    loser = target.player
    score(game, 1 - loser, game.rules.hit_points)
    target.laser = "deactivated"
    target.overwatch, target.overwatch_mode = 0, None
    if can_recharge(game, loser):
        game.event("deactivated", unit=target.id)
    else:
        _eliminate(game, target)
    return end_on_score(game, 1 - loser) or end_on_elimination(game, loser) or end_on_checkmate(game, loser)


def segment(game: Position, start: tuple[int, int], end: tuple[int, int]) -> list[float]:
    """Return a clear line of sight between two tiles for drawing: x, y, x, y of its ends, in tiles."""
    line = game.board.sight_line(start, end)
    if line is None:  # a fallback: callers have checked that there is a line of sight
        return [start[0] + 0.5, start[1] + 0.5, end[0] + 0.5, end[1] + 0.5]
    return [coordinate / 2 for point in line for coordinate in point]


def _eliminate(game: Position, unit: Unit) -> None:
    owner = game.players[unit.player]
    owner.units = tuple(other for other in owner.units if other is not unit)
    game.units = tuple(other for other in game.units if other is not unit)
    game.eliminated = (*game.eliminated, unit.id)
    game.event("eliminated", unit=unit.id, x=unit.x, y=unit.y)
    game.remove(unit)
