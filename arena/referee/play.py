"""Playing one match in this process, and its result."""

from __future__ import annotations

import os
import platform

from arena.game import Outcome
from arena.match.job import Job
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.referee.clock import SeatClock
from arena.referee.host import Host, Report
from arena.referee.match import Match
from arena.referee.setup import Table, file_hash

TAIL = 4_000
"""Characters of a bot's output that a result carries; the replay has more."""


def play(job: Job, report: Report | None = None) -> MatchResult:
    """Play one match to its end.

    Call it once per process, from the main thread: it takes over signals, children and processor affinity. That is why
    ``python -m arena.referee`` exists.

    Args:
        job: What to play.
        report: Called with progress documents while playing.

    Raises:
        ArenaError: The job cannot be played; nothing was started, or all of it was taken away again.
        ReplayError: The replay cannot be written.
    """
    table = Table(job)
    host = Host(table, report)
    host.run()
    return result_of(table, host)


def result_of(table: Table, host: Host) -> MatchResult:
    """Return the result of a match that a host has played."""
    match = host.match
    assert match is not None
    times = os.times()
    return MatchResult(
        game=table.game.name,
        version=table.game.version,
        seed=table.job.seed if table.job.seed is not None else 0,
        outcome=match.outcome or Outcome(None, "void"),
        players=tuple(_player(table, host, match, player) for player in range(len(match.seats))),
        turns=match.turns,
        actions=match.actions,
        digest=match.state.digest(),
        replay=table.job.replay,
        replay_hash=file_hash(table.job.replay),
        seconds=Seconds(
            start=round(max(0.0, host.first_turn - host.started), 4),
            total=round(host.ended - host.started, 4),
            referee_cpu=round(times.user + times.system, 4),
            playing_cpu=round(host.playing_cpu, 4),
        ),
        memory_growth=host.memory_growth,
        lateness=round(host.lateness, 6),
        pressure=None if host.pressure is None else round(host.pressure, 4),
        fault=host.fault,
        host=platform.node(),
    )


def _player(table: Table, host: Host, match: Match, player: int) -> PlayerResult:
    seat = match.seats[player]
    process = host.chairs[player].process
    assert process is not None
    scores = match.state.scores()
    ending = process.poll()
    stdout, stderr = process.stdout.text(), process.stderr.text()
    return PlayerResult(
        name=seat.name,
        bot=table.job.seats[player].bot,
        bot_hash=table.bots[player].content_hash,
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
