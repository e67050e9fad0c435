"""Legs: matches with the same seed and swapped seats that together count as one game, in games with unequal sides."""

from collections.abc import Iterable, Sequence

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Played = tuple[MatchSpec, MatchResult]


def together(matches: Iterable[Played], legs: int) -> list[list[Played]]:
    """Group matches into games. The legs of each game are in the order in which they are played."""
    games: dict[tuple[str, int, int, int], list[Played]] = {}
    for spec, result in matches:
        key = (spec.stage, spec.round, spec.pairing, spec.number // legs)
        games.setdefault(key, []).append((spec, result))
    return [sorted(game, key=lambda played: played[0].number) for game in games.values()]


def in_order(matches: Iterable[Played], stages: Sequence[str], legs: int) -> list[list[Played]]:
    """Group matches into games, in the order of the schedule: by stage, round, pairing and number.

    Args:
        stages: The names of the stages, in their order.
    """
    places = {name: place for place, name in enumerate(stages)}

    def place(game: list[Played]) -> tuple[int, int, int, int]:
        spec, _ = game[0]
        return places[spec.stage], spec.round, spec.pairing, spec.number

    return sorted(together(matches, legs), key=place)


def legs_of(match_id: str, matches: Iterable[Played], legs: int) -> list[Played]:
    """Return the legs of the game that a match belongs to; empty if the match has no replay.

    Args:
        matches: Finished matches. Matches without a replay are left out.
    """
    kept = [(spec, result) for spec, result in matches if result.replay]
    return next((game for game in together(kept, legs) if any(spec.match_id == match_id for spec, _ in game)), [])
