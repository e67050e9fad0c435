"""Forecast the number of matches of a tournament, by simulating the matches that are left."""

from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.tournament.plan.schedule import Schedule
from arena.tournament.plan.series import Series
from arena.tournament.plan.values import MatchSpec

_MOST = 200_000


def expected_matches(schedule: Schedule) -> int | None:
    """Return the number of all matches, including those already played; None for a tournament without an end.

    In a bracket, the number depends on future results. The function assumes that the leader wins each pairing. This
    gives the smallest possible number, except in the grand final of a double elimination: there, the leader's win can
    lead to a second grand final. The function stops counting at about `_MOST` matches.
    """
    if any(
        stage.rounds == 0 and stage.format in ("ladder", "king_of_the_hill")
        for stage in schedule.tournament.config.stages
    ):
        return None
    imagined = Schedule(schedule.tournament, schedule.past)
    imagined.results |= schedule.results
    count = 0
    waiting = imagined.take()
    while waiting and count < _MOST:
        for spec in waiting:
            imagined.record(spec, _leader_wins(spec, imagined.games[count][0]))
            count += 1
        waiting = imagined.take()
    return count


def _leader_wins(spec: MatchSpec, series: Series) -> MatchResult:
    """Return a result in which the player with the most points in the series wins.

    In a tie, the first player wins. In the first grand final, this player comes from the winners' bracket.
    """
    leader = series.encounter.players[series.points.index(max(series.points))]
    best = spec.names.index(leader)
    players = tuple(PlayerResult("won" if seat == best else "lost") for seat in range(len(spec.seats)))
    return MatchResult(players, Outcome(best, "forecast"))
