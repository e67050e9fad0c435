"""Forecast the number of matches of a contest, by simulating the matches that are left."""

from __future__ import annotations

import copy

from arena.contests.ladder.board import Board
from arena.contests.scheduler import entrants_of
from arena.contests.stages.encounters import PairedRound
from arena.contests.stages.series import Series
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec

_MOST = 200_000
"""The matches after which counting stops: to play through so many takes seconds, and the display waits for it."""


def expected_matches(state: Contest) -> int | None:
    """Return the number of all matches, including those already played; None for a contest with a ladder.

    Matches that are decided by a suspension do not count. The function assumes that no further bot is suspended, that
    nobody enters or withdraws, and that the leader wins each pairing of a bracket. Counting stops at about 200,000
    matches.
    """
    if state.settings.ladder is not None:
        return None
    imagined = copy.copy(state)
    imagined.stages = state.stages_with()  # copies, to imagine their future
    for run in imagined.stages.values():
        _play(imagined, run)
    while (config := imagined.next_stage()) is not None:
        names = entrants_of(imagined, config, Board(imagined))
        if len(names) < 2:
            break
        run = StageRun(config, names, state.settings.rules, state.id, state.secret)
        imagined.stages[config.name] = run
        _play(imagined, run)
    return sum(len(run.results) for run in imagined.stages.values())


def _play(state: Contest, run: StageRun) -> None:
    """Play the rest of a stage."""
    done = 0
    while len(run.results) < _MOST:
        for series, game in run.games[done:]:
            if run.needs(game.spec):
                run.record(game.spec, _leader_wins(game.spec, series))
            done += 1
        if done < len(run.games):
            continue
        absent = state.absent(run)
        encounters = run.next_round(absent)
        if not encounters:
            return
        seats, absentees = [], []
        for encounter in encounters:
            seats.append(tuple([state.seat(state.latest(name).player) for name in encounter.players]))
            absentees.append(tuple([name for name in encounter.players if name in absent]))
        run.add(PairedRound(encounters, tuple(seats), tuple(absentees)), state.settings)


def _leader_wins(spec: MatchSpec, series: Series) -> MatchResult:
    """Return a result in which the player with the most points in the series wins.

    In a tie, the first player wins. In the first grand final, this is the player from the winners' bracket.
    """
    leader = series.encounter.players[series.points.index(max(series.points))]
    best = spec.names.index(leader)
    players = tuple([PlayerResult("won" if seat == best else "lost") for seat in range(len(spec.seats))])
    return MatchResult(players, Outcome(best, "forecast"))
