"""Games that went exactly the same way. Deterministic bots repeat games, and a repeated game is no new evidence."""

from collections.abc import Hashable, Iterable

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec


def game_key(spec: MatchSpec, result: MatchResult) -> Hashable:
    """Return a value that two games share if the same bots in the same seats played the same game.

    Starting position, actions, draws and endings are the same then. A result of an earlier version does not contain
    the course of the game: it counts as different from all others.
    """
    endings = tuple(player.ending for player in result.players)
    return (spec.seats, result.course, endings) if result.course else spec.match_id


def different_games(games: Iterable[tuple[MatchSpec, MatchResult]]) -> list[tuple[MatchSpec, MatchResult]]:
    """Return the games in their order, each game that was repeated only once."""
    found: dict[Hashable, tuple[MatchSpec, MatchResult]] = {}
    for spec, result in games:
        found.setdefault(game_key(spec, result), (spec, result))
    return list(found.values())
