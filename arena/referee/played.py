"""Compute the result of a match. It is imported only after the match, because the import is slow."""

from __future__ import annotations

import os
import platform

from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.referee.clock import SeatClock
from arena.referee.host import Host
from arena.referee.match import Match
from arena.referee.prepared import file_hash

TAIL = 4_000
"""The number of characters of a bot's output in a result. The replay has more."""


def result_of(host: Host) -> MatchResult:
    """Return the result of a match that a host has played."""
    match, prepared, measured = host.match, host.prepared, host.measured
    assert match is not None
    times = os.times()
    return MatchResult(
        game=prepared.game.name,
        version=prepared.game.version,
        seed=prepared.job.seed if prepared.job.seed is not None else 0,
        outcome=match.outcome or Outcome(None, "void"),
        players=tuple(_player(host, match, player) for player in range(len(match.seats))),
        turns=match.turns,
        actions=match.live.actions,
        digest=match.state.digest(),
        course=match.live.course,
        replay=prepared.job.replay,
        replay_hash=file_hash(prepared.job.replay),
        seconds=Seconds(
            start=round(max(0.0, measured.first_turn - measured.began), 4),
            total=round(measured.ended - measured.began, 4),
            referee_cpu=round(times.user + times.system, 4),
            playing_cpu=round(measured.playing_cpu, 4),
        ),
        memory_growth=measured.memory_growth,
        lateness=round(measured.lateness, 6),
        pressure=None if measured.pressure is None else round(measured.pressure, 4),
        fault=host.fault,
        host=platform.node(),
    )


def _player(host: Host, match: Match, player: int) -> PlayerResult:
    seat, prepared = match.seats[player], host.prepared
    process = host.seats[player].process
    scores = match.state.scores()
    ending = process.poll()
    stdout, stderr = process.stdout.text(), process.stderr.text()
    return PlayerResult(
        name=seat.name,
        bot=prepared.job.seats[player].bot,
        bot_hash=prepared.bots[player].content_hash,
        ending=seat.ending or "void",
        detail=seat.detail,
        score=scores[player] if scores else 0.0,
        refusals=dict(seat.refusals),
        strikes=seat.strikes,
        clock=_time_used(seat.clock),
        isolation=process.isolation,
        stdout=stdout[-TAIL:],
        stdout_cut=process.stdout.cut or len(stdout) > TAIL,
        stderr=stderr[-TAIL:],
        stderr_cut=process.stderr.cut or len(stderr) > TAIL,
        exit="" if ending is None else ending.reason,
    )


def _time_used(clock: SeatClock) -> TimeUsed:
    return TimeUsed(
        wall=round(clock.spent.wall, 6),
        cpu=_rounded(clock.spent.cpu),
        idle_cpu=_rounded(clock.idle_cpu),
        turns=clock.turns,
        worst_turn=round(clock.worst, 6),
        bank=_rounded(clock.bank),
    )


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
