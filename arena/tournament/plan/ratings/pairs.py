"""Results of pairs of games. Both games of a pair share map and seed, so pairs are the independent samples."""

from collections.abc import Iterable
from dataclasses import dataclass

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec


@dataclass(frozen=True, slots=True)
class PairResult:
    """The points of one player against another in the games of one pair.

    Attributes:
        one: An entrant.
        other: The opponent.
        points: Points of `one`, 0 to `games`.
        games: Games played, 1 or 2.
    """

    one: str
    other: str
    points: float
    games: int


def pair_results(matches: Iterable[tuple[MatchSpec, MatchResult]]) -> list[PairResult]:
    """Return the results of all pairs in matches of two, in order of their first game."""
    found: dict[tuple[str, int, int, int, str, str], list[float]] = {}
    for spec, result in matches:
        if len(spec.seats) != 2:
            continue
        first, second = spec.seats[0].name, spec.seats[1].name
        one, other = (first, second) if first < second else (second, first)
        tally = found.setdefault((spec.stage, spec.round, spec.pairing, spec.number // 2, one, other), [0.0, 0])
        tally[0] += result.points(0 if one == first else 1)
        tally[1] += 1
    return [PairResult(key[4], key[5], points, int(games)) for key, (points, games) in found.items()]
