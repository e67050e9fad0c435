"""Matches of two legs: games with unequal sides are played once each way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.referee.result import MatchResult


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two legs together ended; contestant 0 sat on seat 0 in the first.

    Attributes:
        winner: The contestant who won; None for a draw.
        names: Of both contestants.
        points: 1 for each leg won, half for each draw.
        scores: The game's scores added up, which decide between equal points.
    """

    winner: int | None
    names: tuple[str, str]
    points: tuple[float, float]
    scores: tuple[float, float]

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "winner": self.winner,
            "names": list(self.names),
            "points": list(self.points),
            "scores": list(self.scores),
        }


def decide(first: MatchResult, second: MatchResult) -> Verdict:
    """Decide a match of two legs: by points, then by the scores reached in both.

    Args:
        first: The leg in which contestant 0 sat on seat 0.
        second: The leg with swapped seats.
    """
    pairs = [(first.players[one], second.players[1 - one]) for one in (0, 1)]
    points = tuple(sum(player.points for player in pair) for pair in pairs)
    scores = tuple(sum(player.score for player in pair) for pair in pairs)
    winner = next((int(two > one) for one, two in (points, scores) if one != two), None)
    names = (first.players[0].name, first.players[1].name)
    return Verdict(winner, names, (points[0], points[1]), (scores[0], scores[1]))
