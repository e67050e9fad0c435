"""Players who leave a game for more than two before it ends."""

from __future__ import annotations

from collections.abc import Mapping

from arena.game.outcome import Outcome
from arena.game.state import State

FORFEIT = "forfeit"
"""The reason of an outcome that failed programs decided, and not the rules."""


def outcome_of(state: State, left: Mapping[int, int], players: int) -> Outcome | None:
    """Return the outcome by the rules, or None. Rules without a `leave` of their own know nothing of those who left.

    Args:
        state: The state.
        left: The turn in which each player left.
        players: The number of players.
    """
    outcome = state.outcome()
    if outcome is None or not left or type(state).leave is not State.leave:
        return outcome
    return outcome.behind(left, players)


def forfeit(left: Mapping[int, int], players: int) -> Outcome:
    """Return the outcome of a match that ends since at most one player has not left."""
    return Outcome(None, FORFEIT).behind(left, players)
