"""Finds what a bot without a sandbox has started, so that it can be killed as far as that is possible."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import defaultdict


def kill_descendants(pid: int) -> list[int]:
    """Kills a process tree, stopping it first so that it cannot grow away under the hand.

    Returns:
        The processes that were found.
    """
    found: dict[int, None] = {}
    for act in (signal.SIGSTOP, signal.SIGKILL):
        for process in descendants(pid):
            found[process] = None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, act)
    return list(found)


def descendants(pid: int) -> list[int]:
    """The process and all processes below it, from /proc; the process alone where there is no /proc."""
    children = defaultdict(list)
    for process, parent in _parents():
        children[parent].append(process)
    found = [pid]
    for process in found:
        found.extend(children[process])
    return found


def kill_marked(marker: bytes) -> list[int]:
    """Kills every process whose environment has this entry, until none is left.

    Returns:
        The processes that were found.
    """
    found: dict[int, None] = {}
    for _ in range(20):
        marked = [process for process, _ in _parents() if _has(process, marker)]
        if not marked:
            break
        found.update(dict.fromkeys(marked))
        for process in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
    return list(found)


def _has(process: int, marker: bytes) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as stream:
            return marker in stream.read().split(b"\0")
    except OSError:
        return False


def _parents() -> list[tuple[int, int]]:
    found = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as stream:
                # The name stands in parentheses and may itself hold spaces and parentheses.
                found.append((int(entry), int(stream.read().rpartition(b")")[2].split()[1])))
    return found
