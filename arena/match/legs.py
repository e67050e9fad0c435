"""Matches of two legs. A game with unequal sides is played twice, with swapped seats; both legs count as one match."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from arena.match.result import MatchResult


@dataclass(frozen=True, slots=True)
class LegsResult:
    """The result of two legs. Contestant 0 had seat 0 in the first leg.

    Attributes:
        winner: The number of the contestant who won, 0 or 1; None for a draw.
        points: The points of both contestants: 1 for each leg won, 0.5 for each draw, 0 for a void leg.
        scores: The sum of each contestant's scores in the game, without void legs. If the points are equal, the higher
            sum wins.
    """

    winner: int | None
    names: tuple[str, str]
    points: tuple[float, float]
    scores: tuple[float, float]
    void: tuple[int, ...] = ()

    def to_document(self) -> dict[str, Any]:
        return asdict(self)


def decide(first: MatchResult, second: MatchResult) -> LegsResult:
    """Decide a match of two legs: by points, then by the sums of the scores. A void leg does not count."""
    points = (first.points(0) + second.points(1), first.points(1) + second.points(0))
    scores = (_score(first, 0) + _score(second, 1), _score(first, 1) + _score(second, 0))
    winner = next((int(two > one) for one, two in (points, scores) if one != two), None)
    void = tuple(number for number, leg in enumerate((first, second), 1) if not leg.has_verdict)
    return LegsResult(winner, (first.players[0].name, first.players[1].name), points, scores, void)


def _score(leg: MatchResult, seat: int) -> float:
    return leg.players[seat].score if leg.has_verdict else 0.0
