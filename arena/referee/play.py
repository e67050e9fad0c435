"""Playing one match in this process, and its result."""

from __future__ import annotations

import os

from arena.referee.host import Host, Report
from arena.referee.job import Job
from arena.referee.match import Match
from arena.referee.result import MatchResult, PlayerResult, Tail
from arena.referee.setup import Table, file_hash


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
    assert host.match is not None
    return _result(table, host, host.match)


def _result(table: Table, host: Host, match: Match) -> MatchResult:
    times = os.times()
    return MatchResult(
        game=table.game.name,
        version=table.game.version,
        seed=table.job.seed if table.job.seed is not None else 0,
        outcome={"winner": None, "reason": "void"} if match.outcome is None else match.outcome.to_document(),
        players=tuple(_player(table, host, match, player) for player in range(len(match.seats))),
        turns=match.turns,
        actions=match.actions,
        digest=match.state.digest(),
        replay=table.job.replay,
        replay_hash=file_hash(table.job.replay),
        seconds={
            "start": round(max(0.0, host.first_turn - host.started), 4),  # 0 where no turn was reached
            "total": round(host.ended - host.started, 4),
            "referee_cpu": round(times.user + times.system, 4),
            "playing_cpu": round(host.playing_cpu, 4),
        },
        memory_growth=host.memory_growth,
        lateness=round(host.lateness, 6),
        pressure=None if host.pressure is None else round(host.pressure, 4),
        fault=host.fault,
    )


def _player(table: Table, host: Host, match: Match, player: int) -> PlayerResult:
    seat = match.seats[player]
    process = host.chairs[player].process
    assert process is not None
    scores = match.state.scores()
    ending = process.poll()
    stdout = Tail.of(process.stdout.text(), cut=process.stdout.cut)
    stderr = Tail.of(process.stderr.text(), cut=process.stderr.cut)
    return PlayerResult(
        name=seat.name,
        bot=table.job.entrants[player].bot,
        bot_hash=table.bots[player].content_hash,
        ending=seat.ending or "void",
        detail=seat.detail,
        score=scores[player] if scores else 0.0,
        points=0.0 if match.outcome is None else match.outcome.points(player),
        refusals=dict(seat.refusals),
        strikes=seat.strikes,
        clock={
            "wall": round(seat.clock.spent.wall, 6),
            "cpu": None if seat.clock.spent.cpu is None else round(seat.clock.spent.cpu, 6),
            "idle_cpu": None if seat.clock.idle_cpu is None else round(seat.clock.idle_cpu, 6),
            "turns": seat.clock.turns,
            "worst_turn": round(seat.clock.worst, 6),
            "bank": None if seat.clock.bank is None else round(seat.clock.bank, 6),
        },
        isolation=process.isolation.to_document(),
        stdout=stdout.text,
        stdout_cut=stdout.cut,
        stderr=stderr.text,
        stderr_cut=stderr.cut,
        exit="" if ending is None else ending.reason,
    )
