"""Put a match on one processor."""

from __future__ import annotations

import os


def choose_cpu(wanted: int | None) -> int | None:
    """Return the processor for a match: the given one, or else any that this process may use.

    None where processes cannot be pinned.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is not None:
        return wanted if wanted in allowed else None
    return allowed[os.getpid() % len(allowed)]


def pin(wanted: int | None) -> None:
    """Bind this process and the processes that it starts from now on to a processor.

    Only one of referee and bots runs at a time, and on one processor the round trip of a message takes half as long. A
    bot's processes inherit the processor, and the sandbox does not let them change it.
    """
    cpu = choose_cpu(wanted)
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
