"""Play one match in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.match.job import Job
from arena.referee.host import Host, HostedMatch, Progress
from arena.referee.prepared import PreparedMatch

if TYPE_CHECKING:
    from arena.match.result import MatchResult


def play(job: Job, report: Progress | None = None) -> MatchResult:
    """Play one match to its end.

    Call it only once in a process, and from the main thread: it changes signal handlers and the processor affinity, and
    reaps all child processes. `MatchProcess` plays a match in a process of its own.
    """
    host = Host(hosted(PreparedMatch(job)), report)
    host.run()
    from arena.referee.played import result_of  # the import is slow, and nothing before needs it

    return result_of(host)


def hosted(prepared: PreparedMatch) -> HostedMatch:
    return HostedMatch(prepared.job, prepared.bots, prepared.open_match, prepared.packages, prepared.no_build)
