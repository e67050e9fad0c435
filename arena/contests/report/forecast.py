"""Forecast the number of matches of a tournament, by simulating the matches that are left."""

from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec
from arena.contests.stages.stage import Schedule, next_matches
from arena.contests.stages.series import Series

_MOST = 200_000


def expected_matches(schedule: Schedule) -> int | None:
    """Return the number of all matches, including those already played; None for a tournament without an end.

    Matches that are decided by a suspension do not count. The function assumes that no further bot is suspended, and
    that the leader wins each pairing of a bracket. Counting stops at about 200,000 matches.
    """
    if any(
        stage.rounds == 0 and stage.format in ("ladder", "king_of_the_hill")
        for stage in schedule.tournament.config.stages
    ):
        return None
    _, imagined = next_matches(schedule.tournament, schedule.results, schedule.past)
    for series, game in imagined.games:  # `record` adds games
        if len(imagined.results) >= _MOST:
            break
        if imagined.wanted(game.spec):
            imagined.record(game.spec, _leader_wins(game.spec, series))
    return len(imagined.results)


def _leader_wins(spec: MatchSpec, series: Series) -> MatchResult:
    """Return a result in which the player with the most points in the series wins.

    In a tie, the first player wins. In the first grand final, this is the player from the winners' bracket.
    """
    leader = series.encounter.players[series.points.index(max(series.points))]
    best = spec.names.index(leader)
    players = tuple(PlayerResult("won" if seat == best else "lost") for seat in range(len(spec.seats)))
    return MatchResult(players, Outcome(best, "forecast"))
