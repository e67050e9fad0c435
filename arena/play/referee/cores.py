"""The processors that this process can use, and how a match is pinned to one of them.

This module runs on every system. `load`, which measures programs, needs POSIX, and those who only count processors must
not import it: the explanations of a replay work on Windows too.
"""

from __future__ import annotations

import os


def can_pin() -> bool:
    """Return whether this system can pin processes to processors. macOS cannot."""
    return hasattr(os, "sched_setaffinity")


def usable_processors() -> list[int]:
    """Return the numbers of the processors that this process can use: all where processes cannot be pinned."""
    return sorted(os.sched_getaffinity(0)) if can_pin() else list(range(os.cpu_count() or 1))


def choose_cpu(cpu: int | None) -> int | None:
    """Return the processor for a match: `cpu`, or any allowed processor if `cpu` is None.

    Return None if the system cannot pin processes, or if this process is not allowed to use `cpu`.
    """
    if not can_pin():
        return None
    allowed = usable_processors()
    if cpu is not None:
        return cpu if cpu in allowed else None
    return allowed[os.getpid() % len(allowed)]


def pin(cpu: int | None) -> None:
    """Pin this process, and all processes that it starts from now on, to the processor from `choose_cpu`, if any.

    The referee and the bots run one at a time. On one processor the round trip of a message takes half as long. The
    sandbox prevents bots from choosing another processor.
    """
    chosen = choose_cpu(cpu)
    if chosen is not None:
        os.sched_setaffinity(0, {chosen})
