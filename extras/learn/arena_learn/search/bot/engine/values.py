"""What a position is worth for each player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.game import State

Values = tuple[float, ...]
"""Each player's share of opponents beaten, or of the win, from 0 to 1; in a cooperative game, the common score."""


def value_of(state: State, players: int) -> Values:
    """Return what a position is worth: the outcome, else the game's own estimate, else an estimate from the scores."""
    if not state.to_move() and (outcome := state.outcome()) is not None:
        return tuple(outcome.points(player) for player in range(players))
    if (estimate := state.evaluate()) is not None:
        return estimate
    scores = state.scores()
    if state.cooperative:
        return tuple(scores) or (0.0,) * players
    return value_of_scores(scores, state.out(), players)


def value_of_scores(scores: Sequence[float], out: Sequence[int], players: int) -> Values:
    """Estimate each player's share of opponents beaten. Players who are out have lost to those who are not.

    A lead of 6 against 2 counts 4/9 of a certain win: the lead, divided by the sum of both scores and 1.
    """
    scores = scores or (0.0,) * players
    return tuple(
        sum(_against(scores, out, player, other) for other in range(players) if other != player) / max(1, players - 1)
        for player in range(players)
    )


def _against(scores: Sequence[float], out: Sequence[int], player: int, other: int) -> float:
    if (player in out) != (other in out):
        return float(other in out)
    mine, theirs = scores[player], scores[other]
    return 0.5 + 0.5 * (mine - theirs) / (abs(mine) + abs(theirs) + 1)
