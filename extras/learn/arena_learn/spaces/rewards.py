"""What an outcome is worth to a player."""

from __future__ import annotations

from arena.game import Outcome


def outcome_reward(outcome: Outcome, player: int) -> float:
    """Return the reward of an outcome.

    It is the payoff in a game with payoffs, the common score in a cooperative game, and otherwise from -1 (behind all
    opponents) over 0 (a draw) to 1 (before all opponents).
    """
    if outcome.payoffs:
        return float(outcome.payoffs[player])
    points = outcome.points(player)
    return points if outcome.common is not None else 2.0 * points - 1.0
