"""Putting the processes of a match on one processor."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable


def choose_cpu(wanted: int | None) -> int | None:
    """Return the processor for a match: the one asked for, or else the one this process happens to run on.

    None where processes cannot be pinned.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is not None:
        return wanted if wanted in allowed else None
    return allowed[os.getpid() % len(allowed)]


def pin(cpu: int, pids: Iterable[int]) -> None:
    """Pin processes with all their threads and descendants; those that have ended meanwhile do not matter."""
    waiting = list(pids)
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), {cpu})
                with open(f"/proc/{pid}/task/{thread}/children") as children:
                    waiting += [int(child) for child in children.read().split() if pid != os.getpid()]
