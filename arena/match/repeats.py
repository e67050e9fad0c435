"""Find repeated games. Deterministic bots repeat games, and a repeated game is no new evidence."""

from collections.abc import Hashable, Iterable

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec


def game_key(spec: MatchSpec, result: MatchResult) -> Hashable:
    """Return a key that is equal for two games if the same bots played identical games in the same seats.

    Identical games have the same starting position, actions, random draws and endings. A result without
    a `course` is different from all others.
    """
    endings = tuple(player.ending for player in result.players)
    return (spec.seats, result.course, endings) if result.course else spec.match_id


def different_games(games: Iterable[tuple[MatchSpec, MatchResult]]) -> list[tuple[MatchSpec, MatchResult]]:
    found: dict[Hashable, tuple[MatchSpec, MatchResult]] = {}
    for spec, result in games:
        found.setdefault(game_key(spec, result), (spec, result))
    return list(found.values())
