"""Adopt orphaned processes and reap them."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time

from arena.bots.system import syscalls


def become_subreaper() -> None:
    """Become the parent of all orphaned descendants, so that this process can kill and reap them.

    A process that runs bots calls this function before it starts the first bot.
    """
    if syscalls.is_linux():
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when the thread that started it ends, if the kernel supports that.

    Args:
        parent: The process id of the parent. If the parent has ended already, this process exits at once.
    """
    if syscalls.is_linux():
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def reap_orphans() -> int:
    """Reap all dead child processes, also adopted ones, and return their number."""
    count = 0
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            count += 1
    return count


def has_pidfd() -> bool:
    """Return whether Python offers process descriptors here. It does on Linux 5.3 and later."""
    return hasattr(os, "pidfd_open")


class Reaper:
    """A thread that waits for the end of a child process and reaps it, for systems without process descriptors.

    Args:
        pid: The id of the process. Nothing else must reap it.

    Attributes:
        descriptor: Readable when the process has been reaped. The caller closes it.
    """

    def __init__(self, pid: int) -> None:
        self.descriptor, self._end = os.pipe()
        self._pid = pid
        self._result = (0, 0)
        self._thread = threading.Thread(target=self._reap, name=f"end of {pid}", daemon=True)
        self._thread.start()

    def wait(self, options: int) -> tuple[int, int]:
        """Return the same as `os.waitpid` with these options: `os.WNOHANG`, or 0 to wait for the end."""
        if not options & os.WNOHANG:
            self._thread.join()
        return self._result

    def _reap(self) -> None:
        self._result = os.waitpid(self._pid, 0)
        os.close(self._end)


def wait_readable(descriptor: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def reap_child(pid: int) -> None:
    """Reap a dead process, such as the first process of a sandbox, unless its parent is another process."""
    # The parent of a sandbox's first process is bubblewrap's monitor. When the monitor has ended, the parent is this
    # process, if this process is a subreaper. The kernel needs a moment for that, so try again for a fifth of a second.
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            if not os.path.exists(f"/proc/{pid}"):
                return
        time.sleep(0.0005)
