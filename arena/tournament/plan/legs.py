"""Matches that count as one: the legs of a game with unequal sides, played on one seed with the seats swapped."""

from collections.abc import Iterable

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec

Played = tuple[MatchSpec, MatchResult]


def together(matches: Iterable[Played], legs: int) -> list[list[Played]]:
    """Put the legs of each game together, in the order in which they are played.

    Args:
        matches: Matches that are over.
        legs: How many legs count as one game.
    """
    games: dict[tuple[str, int, int, int], list[Played]] = {}
    for spec, result in matches:
        key = (spec.stage, spec.round, spec.pairing, spec.number // legs)
        games.setdefault(key, []).append((spec, result))
    return [sorted(game, key=lambda played: played[0].number) for game in games.values()]


def legs_of(match_id: str, matches: Iterable[Played], legs: int) -> list[Played]:
    """Return the legs, as far as they are over and have left a replay, of the game that a match belongs to."""
    kept = [(spec, result) for spec, result in matches if result.replay]
    return next((game for game in together(kept, legs) if any(spec.match_id == match_id for spec, _ in game)), [])
