"""Estimate who will win, from the points, the turns left and the cowboys. Analyses use the estimate."""

from __future__ import annotations

from math import exp

from arena_saloon.entities import Position

# These weights were fitted to matches of the Sheriff against itself, with random actions in every fifth turn.
LEAD = 3.1
"""The weight of the lead.

Here the lead is the difference of the points, divided by sqrt(5 + p). p is the number of points that both players
together can still score.
"""
HEALTH = 0.00013
"""The weight of a cowboy's health times the number of turns left."""
DRUNK = -0.35
"""The weight of a cowboy who is drunk or napping."""
FIRST = 0.16
"""The weight of having the current turn."""


def shares(game: Position) -> tuple[float, float]:
    """Return the probabilities that the players win."""
    first, second = game.players
    turns = game.options.max_turns - game.current_turn
    value = LEAD * (first.score - second.score) / (turns * game.piano_count() + 5) ** 0.5
    value += FIRST if game.current_player == 0 else -FIRST
    for cowboy in game.cowboys:
        if not cowboy.is_dead:
            worth = HEALTH * cowboy.health * turns + DRUNK * cowboy.is_drunk
            value += worth if cowboy.owner == 0 else -worth
    share = 1 / (1 + exp(-value))
    return share, 1 - share
