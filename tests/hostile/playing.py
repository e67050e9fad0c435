"""Plays the matches of the hostile bots, one after the other, with one fork server, as a contest does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.match.void import HOST_LATE
from arena.play.referee.match_process import ForkServer, play_in_process

SMALL = {"width": 8, "height": 6, "max_turns": 12}


@cache
def temporary() -> str:
    """The folder for the temporary files of all matches."""
    return tempfile.mkdtemp(prefix="hostile-")


@cache
def server() -> ForkServer:
    """The server, after a first match: then the next matches leave no more processes and groups than were there."""
    found = ForkServer("saloon", environment={"TMPDIR": temporary()})
    bots = (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy"))
    play_in_process(Job("saloon", bots, options=SMALL, seed=1), found)
    return found


def close() -> None:
    if server.cache_info().currsize:
        server().close()
        shutil.rmtree(temporary(), ignore_errors=True)


def play_until_it_counts(job: Job, tries: int = 3) -> MatchResult:
    """Play a match; again, as a contest does, if the other programs on this machine made it void."""
    for _ in range(tries):
        result = play_in_process(job, server())
        if result.outcome.reason != HOST_LATE:
            break
    return result


@contextmanager
def hogs_on_every_processor(count: int) -> Iterator[None]:
    """Let other programs compute on each processor."""
    hogs = []
    for processor in sorted(os.sched_getaffinity(0)) * count:
        # It ends with this program, also if that is killed.
        code = f"import os; os.sched_setaffinity(0, [{processor}])\nwhile os.getppid() == {os.getpid()}: pass"
        # Each in a session of its own, since the kernel shares a processor among sessions.
        hogs.append(subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True))
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
