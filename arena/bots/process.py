"""A running bot: its descriptors, its clocks, freezing, its end, and the cleanup of all processes that it started.

A bot is a tree of processes, and the referee has one handle of it. With a sandbox that is the first process of its
namespace: the kernel kills all others with it, whatever they did with sessions, signals or double forks. Without a
sandbox it is the bot's own process; its descendants are found in /proc, and those that have left the tree by an entry
of their environment (`marker`), as far as they have not cleared it.

Process ids are used only for processes that nobody has reaped yet; everything else is done through pidfds.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Self

from arena.bots.bot import Bot
from arena.bots.capture import Capture
from arena.bots.exit import Exit, complains_of_memory, decode_wait_status
from arena.bots.sandbox.inside import Inside
from arena.bots.sandbox.seat_group import SeatGroup
from arena.bots.system.memory import KernelMemory, MemoryWatch
from arena.bots.system.orphans import (
    descendants,
    kill_descendants,
    kill_marked,
    send_to_descendants,
    send_to_handlers,
    stop_descendants,
    task_states,
)
from arena.bots.system.reaping import Reaper, reap_child, wait_readable
from arena.match.isolation import Isolation

LONGEST_DEATH = 30.0
"""Time limit for the kernel to remove a killed sandbox, in seconds. Without load, the kernel needs 2 to 40 ms; with 30
s a loaded machine does not blame an honest bot for processes that only wait for the processor to die."""


@dataclass(slots=True)
class BotProcess:
    """A bot's process, with all processes that it started.

    The referee polls `pidfd`, which is readable when the bot has ended, and the descriptors of `stdout` and `stderr`.
    Use the object as a context manager, or always call `close()`.

    Attributes:
        pid: The id of the child process: the bot, or the sandbox's monitor.
        inner_pid: The id of the sandbox's first process; 0 without a sandbox. When it dies, all processes inside die.
        held: The sandbox that waits for `release`; None if the bot already runs.
        marker: An environment entry that all descendants inherit. Without a sandbox, it identifies the bot's processes.
        group: The bot's control group, at level 3; None at lower levels.
        reaper: The thread that reaps the process, on systems without process descriptors; None on the others.
        watch: The monitor of the bot's memory, at levels 1 and 2; None at the other levels.
    """

    bot: Bot
    seat: int
    pid: int
    pidfd: int
    stdout: Capture
    stderr: Capture
    isolation: Isolation
    inner_pid: int = 0
    inner_pidfd: int = -1
    held: Inside | None = None
    marker: bytes = b""
    group: SeatGroup | None = None
    reaper: Reaper | None = None
    watch: MemoryWatch | None = None
    frozen: bool = False
    on_close: ExitStack = field(default_factory=ExitStack)
    _exit: Exit | None = None
    _signalled: bool = False

    def poll(self) -> Exit | None:
        """Return how the bot ended, or None while it runs, without waiting."""
        if self._exit is None:
            pid, status = self._wait(os.WNOHANG)
            if pid:
                # Only another program can have killed the sandbox's monitor: the bot cannot send signals to the
                # monitor, and `kill` itself waits for a monitor that it has killed.
                killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
                self._exit = replace(self._decoded(status), from_outside=bool(self.inner_pid) and killed)
        return self._exit

    def release(self) -> None:
        if self.held is not None:
            with contextlib.suppress(OSError):  # the bot has ended
                self.held.release()
            self.held = None

    def cpu_nanoseconds(self) -> int | None:
        """Return the CPU time of all processes of the bot; None below level 3."""
        return self.group.cpu_nanoseconds() if self.group else None

    def busy_nanoseconds(self) -> int | None:
        """Return the time in which a process of the bot ran or wanted to run; None if it is not measured."""
        return self.group.busy_nanoseconds() if self.group else None

    def waiting_nanoseconds(self) -> int | None:
        """Return the time in which other programs kept all processes of the bot from running; None if not measured."""
        return self.group.waiting_nanoseconds() if self.group else None

    @property
    def root(self) -> int:
        """The id of the bot's first process. In a sandbox, all other processes of the bot are its descendants."""
        return self.inner_pid or self.pid

    def freeze(self) -> bool:
        """Stop all processes of the bot, and return whether all of them have stopped.

        Without a control group, this stops the first process and its descendants. In a sandbox, the bot has no other
        processes. Without a sandbox, its orphaned processes run on.
        """
        if self._exit is not None:
            return True
        self.frozen = True
        if self.group and self.group.freeze():
            return True
        self._signalled = True
        return stop_descendants(self.root)

    def thaw(self) -> None:
        self.frozen = False
        if self.group and self.group.frozen:
            self.group.thaw()
        if self._signalled and self._exit is None:
            send_to_descendants(self.root, signal.SIGCONT)
        self._signalled = False

    def request_stack(self) -> bool:
        """Thaw the bot, and send SIGQUIT to its processes that have a handler. The handlers print a stack.

        Arena's kits, the Java virtual machine and Go have such a handler. In Node.js, which runs handlers only between
        two tasks, SIGINT prints the stack of an endless loop too (see `arena.bots.command`), and ends the program.

        Returns:
            Whether a process got the signal.
        """
        if self.poll() is not None:
            return False
        self.thaw()
        if send_to_handlers(self.root, signal.SIGQUIT):
            return True
        # Some shells handle SIGINT, and the first process of a sandbox is one.
        return bool(send_to_handlers(self.root, signal.SIGINT, without=self.inner_pid))

    def runs(self) -> bool:
        """Return whether a thread of the bot is running or waits for a processor now."""
        return any("R" in task_states(process) for process in descendants(self.root))

    def out_of_memory(self) -> bool:
        """Return whether a process of the bot was killed because the bot used too much memory."""
        return bool(self.group and self.group.out_of_memory_kills()) or bool(self.watch and self.watch.exceeded)

    def watch_memory(self, limit: int, folders: Iterable[str] = ()) -> None:
        """Start to monitor the bot's memory. Kill the bot when all its processes together exceed a limit in bytes.

        Args:
            folders: The bot's own file systems in memory, as absolute paths inside the sandbox.
        """
        kernel = KernelMemory(f"/proc/{self.root}/root{folder}" for folder in folders)
        self.watch = MemoryWatch(self.root, limit, kernel, self._kill_first)

    def _kill_first(self) -> None:
        if self.inner_pid:
            _send_kill(self.inner_pidfd)
        else:
            kill_descendants(self.pid)

    def kill(self) -> Exit:
        """Kill all processes of the bot, wait for their end, and read the rest of their output.

        A second call changes nothing.
        """
        if self.watch:
            self.watch.stop()
        survives = self._kill_sandbox() if self.inner_pid else self._kill_plain()
        if self._exit is None:
            self._exit = self._decoded(self._wait(0)[1])
        if survives:
            self._exit = replace(self._exit, survives=True)
        self.stdout.drain_rest()
        self.stderr.drain_rest()
        if self._exit.code != 0 and (self.out_of_memory() or complains_of_memory(self.stderr.text())):
            self._exit = replace(self._exit, out_of_memory=True)
        return self._exit

    def close(self) -> Exit:
        """Kill all remaining processes, and release all descriptors, control groups and user ids."""
        ending = self.kill()
        if self.group:
            # Kill the group only after `self.kill`, which reads the group's count of out-of-memory kills.
            self.group.kill()
            self.group = None
        if self.held is not None:
            self.held.gate.close()
        for descriptor in (self.pidfd, self.inner_pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        self.pidfd = self.inner_pidfd = -1
        self.on_close.close()
        return ending

    def _wait(self, options: int) -> tuple[int, int]:
        return self.reaper.wait(options) if self.reaper else os.waitpid(self.pid, options)

    def _decoded(self, status: int) -> Exit:
        ending = decode_wait_status(status, relayed=bool(self.inner_pid))
        return replace(ending, out_of_memory=ending.code != 0 and self.out_of_memory())

    def _kill_sandbox(self) -> bool:
        """Kill the sandbox, and return whether its first process still runs after `LONGEST_DEATH`."""
        if self.inner_pidfd < 0:
            return False
        # If the first process has ended, another process can have its id now.
        if not wait_readable(self.inner_pidfd, 0):
            self._kill_namespace()
        survives = not wait_readable(self.inner_pidfd, LONGEST_DEATH)
        if self._exit is None and not wait_readable(self.pidfd, LONGEST_DEATH):
            _send_kill(self.pidfd)
        reap_child(self.inner_pid)
        return survives

    def _kill_namespace(self) -> None:
        # If the first process of a pid namespace dies, the kernel kills all others. The first process ends last.
        _send_kill(self.inner_pidfd)
        # Kill the others too. While they use the processor, the first process gets no time to end.
        for process in self.group.processes() if self.group else descendants(self.inner_pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if self.group and self.group.frozen:
            self.group.thaw()  # with control groups version 1, frozen processes do not die

    def _kill_plain(self) -> bool:
        """Kill a bot without a sandbox, and return whether its first process still runs after `LONGEST_DEATH`."""
        if self.pidfd < 0:
            return False
        survives = False
        killed: list[int] = []
        # If the process was reaped, another process can have its id now.
        if self._exit is None:
            # The tree first, while its parents are known; then the group, for children of processes that have ended.
            killed = kill_descendants(self.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            survives = not wait_readable(self.pidfd, LONGEST_DEATH)
        if self.marker:
            killed += kill_marked(self.marker)
        for process in killed:
            if process != self.pid:
                reap_child(process)
        return survives

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _send_kill(pidfd: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
