"""Estimate who will win, from the points, the units and the lasers. Analyses use the estimate."""

from __future__ import annotations

from math import exp

from arena_laser_flag.entities import Player, Position

# These weights were fitted to matches of the Sergeant against itself, with random actions in every fifth turn.
LEAD = 0.52
"""The weight of the lead.

Here the lead is the difference of the scores, divided by sqrt(p). The player nearer to the target score
needs p more points. Without target scores, p is half of the turns left.
"""
UNITS = 1.8
"""The weight of the lead in units. This lead is divided by the number of units of the smaller team."""
CHARGED = 0.42
"""The weight of a charged laser."""
OVERWATCH = 0.13
"""The weight of a reaction shot."""
FIRST = 1.15
"""The weight of having the current turn."""


def shares(game: Position) -> tuple[float, float] | None:
    """Return the probabilities that the players win; None for an assault, whose teams have different aims."""
    if game.mode == "assault":
        return None
    first, second = game.players
    needed = [player.target_score - player.score for player in game.players if player.target_score is not None]
    points = min(needed, default=(game.last_turn - game.turn + 1) / 2)
    value = LEAD * (first.score - second.score) / max(1, points) ** 0.5
    value += UNITS * (len(first.units) - len(second.units)) / max(1, min(len(first.units), len(second.units)))
    value += _readiness(first) - _readiness(second)
    value += FIRST if game.active_player == 0 else -FIRST
    share = 1 / (1 + exp(-value))
    return share, 1 - share


def _readiness(player: Player) -> float:
    charged = sum(unit.laser == "charged" for unit in player.units)
    return CHARGED * charged + OVERWATCH * sum(unit.overwatch for unit in player.units)
