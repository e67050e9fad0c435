"""Adopts the children that others leave behind, and reaps them."""

from __future__ import annotations

import os
import select
import signal
import time

from arena.bots.system import syscalls


def become_subreaper() -> None:
    """Makes orphans of this process's descendants its own children, so that none escapes and none stays a zombie.

    For a process that exists to run bots, before the first of them is started.
    """
    if syscalls.is_linux():
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when the thread that started it ends; do nothing where that is unknown.

    Args:
        parent: The process id of the parent. If that is gone already, this process dies at once.
    """
    if syscalls.is_linux():
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def reap_orphans(known: frozenset[int] = frozenset()) -> int:
    """Reaps dead children that nobody waits for; those in `known` are left for their owners.

    Returns:
        How many there were.
    """
    count = 0
    while True:
        try:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return count
        if dead is None or dead.si_pid in known:
            return count
        os.waitpid(dead.si_pid, 0)
        count += 1


def has_pidfd() -> bool:
    """Whether processes have descriptors here: Linux since 5.3."""
    return hasattr(os, "pidfd_open")


def wait_readable(descriptor: int, seconds: float) -> bool:
    """Whether the descriptor becomes readable within these seconds."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def reap_child(pid: int) -> None:
    """Reaps the dead first process of a sandbox, unless somebody else does."""
    # Its parent is the monitor as long as that lives; afterwards we are, if we are a subreaper.
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            if not os.path.exists(f"/proc/{pid}"):
                return
        time.sleep(0.0005)
