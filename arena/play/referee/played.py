"""Compute the result of a match. It is imported only after the match, because the import is slow."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.match.job import Job
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.match.void import UNFINISHED, VOID
from arena.play.referee.clock import SeatClock
from arena.play.referee.match import Match

if TYPE_CHECKING:
    from arena.play.referee.host import Host

TAIL = 4_000
"""The number of characters of a bot's output in a result: about a screen, as people read it. The replay has more."""


def result_of(host: Host) -> MatchResult:
    match, measured = host.match, host.measured
    assert match is not None
    times = os.times()
    return replace(
        match_result(match, host.hosted.job, [_player(host, match, player) for player in range(len(match.seats))]),
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
        left_out=host.left_out,
        host=platform.node(),
    )


def match_result(match: Match, job: Job, players: Sequence[PlayerResult]) -> MatchResult:
    """Return the result of a match without what a host measures."""
    return MatchResult(
        game=match.game.name,
        version=match.game.version,
        seed=job.seed if job.seed is not None else 0,
        outcome=match.outcome or UNFINISHED,
        players=tuple(players),
        turns=match.turns,
        actions=match.live.actions,
        digest=match.state.digest(),
        course=match.live.course,
        replay=job.replay,
        replay_hash=_file_hash(job.replay),
    )


def player_result(match: Match, player: int, bot: str, bot_hash: str) -> PlayerResult:
    """Return the result of a player without what concerns the bot's process."""
    seat, scores = match.seats[player], match.state.scores()
    return PlayerResult(
        name=seat.name,
        bot=bot,
        bot_hash=bot_hash,
        ending=seat.ending or VOID,
        detail=seat.detail,
        score=scores[player] if scores else 0.0,
        refusals=dict(seat.refusals),
        strikes=seat.strikes,
        clock=_time_used(seat.clock),
    )


def _player(host: Host, match: Match, player: int) -> PlayerResult:
    process, bot = host.seats[player].process, host.hosted.bots[player]
    ending = process.poll()
    stdout, stderr = process.stdout.text(), process.stderr.text()
    counts: dict[str, float] = {}
    if bot is not None and bot.is_brought:  # its relay prints what the result has elsewhere
        counts = counts_of(stdout)
        stdout = "" if counts else stdout
        stderr = "" if stderr == match.seats[player].detail else stderr
    return replace(
        player_result(match, player, host.hosted.job.seats[player].bot, "" if bot is None else bot.content_hash),
        isolation=process.isolation,
        stdout=stdout[-TAIL:],
        stdout_cut=process.stdout.cut or len(stdout) > TAIL,
        stderr=stderr[-TAIL:],
        stderr_cut=process.stderr.cut or len(stderr) > TAIL,
        exit="" if ending is None else ending.reason,
        counts=counts,
    )


def counts_of(text: str) -> dict[str, float]:
    """Return the numbers that the program of a player has written; empty if it had no time to."""
    try:
        counts = {str(name): float(value) for name, value in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}
    return {name: value for name, value in counts.items() if math.isfinite(value)}  # JSON has no others


def _time_used(clock: SeatClock) -> TimeUsed:
    return TimeUsed(
        wall=round(clock.match_time.wall, 6),
        cpu=_rounded(clock.match_time.cpu),
        idle_cpu=_rounded(clock.idle_cpu),
        turns=clock.turns,
        worst_turn=round(clock.worst, 6),
        bank=_rounded(clock.bank),
    )


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def _file_hash(path: str) -> str:
    if not path or not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
