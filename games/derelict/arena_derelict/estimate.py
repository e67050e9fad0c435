"""Estimate who will win, from the units. Analyses use the estimate."""

from __future__ import annotations

from math import exp

from arena_derelict.position import Position

# These weights were fitted to matches of the Veteran against itself, with random actions in every fifth turn.
MARINES = 1.6
"""The weight of a marine."""
CONTACTS = -0.6
"""The weight of an alien. A blip counts as the number of its aliens, or as one alien if the number is hidden."""
START = -1.0


def shares(game: Position) -> tuple[float, float] | None:
    """Return the probabilities that the players win, or None if the mission has objectives or lurk cells."""
    if game.board.objectives or game.board.lurk_cells:
        return None
    value = START
    for unit in game.units:
        value += MARINES if unit.kind == "marine" else CONTACTS * (unit.count or 1)
    share = 1 / (1 + exp(-value))
    return share, 1 - share
