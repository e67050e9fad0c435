"""Stop, continue or kill a process and all processes that it has started, where no control group or namespace can.

/proc is read while the processes run, so each list is old when it is complete: a process can start another one after it
was listed. That is why killing stops the whole tree first, and stopping lists the tree again until nothing new is in
it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time

LONGEST_STOP = 1.0
"""Seconds to wait until stopped processes no longer run. They stop when they next get the processor, which a loaded
machine delays by that order; the opponent's turn waits meanwhile."""
MAX_SIGNALLED = 4
"""The most processes of a bot that get a signal from `send_to_handlers`. A bot can have hundreds of processes."""
STOPPED = frozenset("TtZXD")
"""States of a thread that runs no more code after SIGSTOP. A thread in state D (waiting in the kernel) stops later."""


def kill_descendants(pid: int) -> list[int]:
    """Kill a process and its descendants. Stop all of them first, so that they cannot start other processes.

    Returns:
        The ids of the processes.
    """
    send_to_descendants(pid, signal.SIGSTOP)
    return send_to_descendants(pid, signal.SIGKILL)


def send_to_descendants(pid: int, number: signal.Signals) -> list[int]:
    processes = descendants(pid)
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)
    return processes


def send_to_handlers(pid: int, number: signal.Signals, *, without: int = 0) -> list[int]:
    """Send a signal to a process and its descendants, but only to those that handle it, up to `MAX_SIGNALLED`.

    Processes that do not handle the signal could be killed by it. The process with the id `without` gets none.

    Returns:
        The ids of the processes that got the signal.
    """
    signalled: list[int] = []
    for process in descendants(pid):
        if len(signalled) < MAX_SIGNALLED and process != without and _handles(process, number):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)
                signalled.append(process)
    return signalled


def _handles(process: int, number: signal.Signals) -> bool:
    try:
        with open(f"/proc/{process}/status", "rb") as stream:
            caught = re.search(rb"^SigCgt:\s*([0-9a-f]+)", stream.read(), re.MULTILINE)
    except OSError:
        return False
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def stop_descendants(pid: int) -> bool:
    """Stop a process and its descendants, and return whether all of them have stopped.

    A process can start a child after it was listed and before it stops. So all have stopped only if two lists in a row
    show nothing that runs. Give up after `LONGEST_STOP`.
    """
    end = time.monotonic() + LONGEST_STOP
    signalled: set[int] = set()
    seen_stopped = False
    while True:
        processes = descendants(pid)
        running = [process for process in processes if process not in signalled or set(task_states(process)) - STOPPED]
        if not running and seen_stopped:
            return True
        if running and time.monotonic() > end:
            return False
        seen_stopped = not running
        signalled.update(running)
        for process in running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGSTOP)
        if running:
            time.sleep(0.0002)


def descendants(pid: int) -> list[int]:
    """Return the ids of a process and its descendants, from /proc. Without /proc, return only the given id."""
    processes = [pid]
    for process in processes:  # the list grows meanwhile
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children", "rb") as children:
                    processes += map(int, children.read().split())
    return processes


def task_states(process: int) -> str:
    """Return the state of each thread of a process as a letter, such as R for running; empty if it has gone."""
    letters = ""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/stat", "rb") as stream:
                # The name of the program is in parentheses, and can itself contain spaces and parentheses.
                letters += stream.read().rpartition(b")")[2].split(maxsplit=1)[0].decode()
    return letters


def cpu_ticks(process: int) -> bytes:
    """Return the CPU time of a process in steps of the system's clock, to compare it with an earlier one."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb") as stream:
        return b" ".join(stream.read().rpartition(b")")[2].split()[11:13])
    return b""


def kill_marked(marker: bytes) -> list[int]:
    """Kill all processes whose environment has the entry `marker`. Repeat this until none is left, at most 20 times.

    20 rounds end a chain of processes that fork and exit. Whoever forks faster than that survives at levels 0 and 1.

    Returns:
        The ids of the processes.
    """
    killed: dict[int, None] = {}
    for _ in range(20):
        entries = os.listdir("/proc") if os.path.isdir("/proc") else []
        marked = [int(entry) for entry in entries if entry.isdigit() and _has(int(entry), marker)]
        if not marked:
            break
        killed.update(dict.fromkeys(marked))
        for process in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
    return list(killed)


def _has(process: int, marker: bytes) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as stream:
            return marker in stream.read().split(b"\0")
    except OSError:
        return False
