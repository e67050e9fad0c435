"""A running bot: its descriptors, its end, and the cleanup of everything that it started."""

from __future__ import annotations

import contextlib
import os
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Self

from arena.bots.bot import Bot
from arena.bots.capture import Capture
from arena.bots.exits import Exit, complains_of_memory, decode_wait_status
from arena.bots.sandbox.cgroups import SeatGroup
from arena.bots.sandbox.inside import Inside
from arena.bots.system.memory import MemoryWatch
from arena.bots.system.orphans import (
    descendants,
    kill_descendants,
    kill_marked,
    send_to_descendants,
    send_to_handlers,
    stop_descendants,
    task_states,
)
from arena.bots.system.reaping import reap_child, wait_readable
from arena.match.isolation import Isolation

LONGEST_DEATH = 30.0
"""Time limit for the kernel to remove a killed sandbox, in seconds. Without load, it needs 2 to 40 ms."""


@dataclass(slots=True)
class BotProcess:
    """A bot's process, with everything that it started.

    The referee polls `pidfd` (readable: the bot has ended) and the descriptors of `stdout` and `stderr`. Use it as a
    context manager, or call `close()` in any case.

    Attributes:
        bot: The bot.
        seat: Its seat.
        pid: The process that was started: the bot, or the sandbox's monitor.
        pidfd: Its descriptor for a poller.
        stdout: Its standard output.
        stderr: Its standard error.
        isolation: The isolation between it and the machine.
        inner_pid: The sandbox's first process; 0 without a sandbox. When it dies, all processes inside die.
        held: The sandbox that waits for `release`; None once the bot may run.
        marker: An entry of the environment that all descendants inherit; used without a sandbox.
        group: Its control group, at level 3.
        watch: The watch of its memory, at the levels 1 and 2.
        frozen: Whether its processes are stopped.
        on_close: Resources to release at the end.
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
    watch: MemoryWatch | None = None
    frozen: bool = False
    on_close: ExitStack = field(default_factory=ExitStack)
    _exit: Exit | None = None
    _signalled: bool = False

    def poll(self) -> Exit | None:
        """Its end, or None while it runs. This does not wait."""
        if self._exit is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._end(status)
                assert self._exit is not None
                # Another program has killed the sandbox: our `kill` reaps it, and a bot cannot reach its first process.
                killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
                self._exit = replace(self._exit, from_outside=bool(self.inner_pid) and killed)
        return self._exit

    def release(self) -> None:
        """Start a bot that was held."""
        if self.held is not None:
            with contextlib.suppress(OSError):  # the bot may have ended
                self.held.release()
            self.held = None

    def cpu_nanoseconds(self) -> int | None:
        """CPU time of the bot with all its threads and children; None below level 3."""
        return self.group.cpu_nanoseconds() if self.group else None

    @property
    def root(self) -> int:
        """The first process of the bot; all its other processes are descendants."""
        return self.inner_pid or self.pid

    def freeze(self) -> bool:
        """Stop all processes, and return whether all of them have stopped.

        Without a control group, this stops the descendants of the first process. No process can leave a sandbox.
        """
        if self._exit is not None:
            return True
        self.frozen = True
        if self.group and self.group.freeze():
            return True
        self._signalled = True
        return stop_descendants(self.root)

    def thaw(self) -> None:
        """Continue a frozen bot."""
        self.frozen = False
        if self.group and self.group.frozen:
            self.group.thaw()
        if self._signalled and self._exit is None:
            send_to_descendants(self.root, signal.SIGCONT)
        self._signalled = False

    def request_stack(self) -> bool:
        """Make the bot print where it is: SIGQUIT to its processes that handle this signal. A frozen bot goes on.

        Arena's kits, the Java virtual machine and Go handle it.

        Returns:
            Whether there is such a process.
        """
        if self.poll() is not None:
            return False
        self.thaw()
        return bool(send_to_handlers(self.root, signal.SIGQUIT))

    def runs(self) -> bool:
        """Return whether one of its threads is running or waits for a processor now."""
        return any("R" in task_states(process) for process in descendants(self.root))

    def out_of_memory(self) -> bool:
        """Whether a process of the bot was killed because the bot used too much memory."""
        return bool(self.group and self.group.out_of_memory_kills()) or bool(self.watch and self.watch.exceeded)

    def watch_memory(self, limit: int) -> None:
        """End the bot when all its processes together use more bytes than allowed."""
        self.watch = MemoryWatch(self.root, limit, self._kill_first)

    def _kill_first(self) -> None:
        if self.inner_pid:
            _send_kill(self.inner_pidfd)
        else:
            kill_descendants(self.pid)

    def kill(self) -> Exit:
        """Kill the bot with everything that it started, wait for the last process, and reap them.

        The rest of the output is read. A second call does nothing.
        """
        if self.watch:
            self.watch.stop()
        survives = self._kill_sandbox() if self.inner_pid else self._kill_plain()
        if self._exit is None:
            self._end(os.waitpid(self.pid, 0)[1])
        assert self._exit is not None
        if survives:
            self._exit = replace(self._exit, survives=True)
        self.stdout.drain_rest()
        self.stderr.drain_rest()
        if self._exit.code != 0 and (self.out_of_memory() or complains_of_memory(self.stderr.text())):
            self._exit = replace(self._exit, out_of_memory=True)
        return self._exit

    def close(self) -> Exit:
        """Kill all remaining processes, and release every descriptor, group and user id."""
        ending = self.kill()
        if self.group:
            # The group counts the memory. It is empty, since the sandbox is dead.
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

    def _end(self, status: int) -> None:
        ending = decode_wait_status(status, relayed=bool(self.inner_pid))
        self._exit = replace(
            ending,
            out_of_memory=ending.code != 0 and self.out_of_memory(),
        )

    def _kill_sandbox(self) -> bool:
        """Return whether a part of it still runs after a long time."""
        if self.inner_pidfd < 0:
            return False
        # After its end, another process may have its number.
        if not wait_readable(self.inner_pidfd, 0):
            self._kill_namespace()
        survives = not wait_readable(self.inner_pidfd, LONGEST_DEATH)
        if self._exit is None and not wait_readable(self.pidfd, LONGEST_DEATH):
            _send_kill(self.pidfd)
        reap_child(self.inner_pid)
        return survives

    def _kill_namespace(self) -> None:
        # The kernel kills a whole pid namespace with its first process. The first process ends only after all the
        # others.
        _send_kill(self.inner_pidfd)
        # Kill the others too: while they use the processor, the first process cannot run, not even to end.
        for process in self.group.processes() if self.group else descendants(self.inner_pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if self.group and self.group.frozen:
            self.group.thaw()  # with control groups version 1, frozen processes do not die

    def _kill_plain(self) -> bool:
        """Return whether its first process still runs after a long time."""
        if self.pidfd < 0:
            return False
        survives = False
        killed: list[int] = []
        # After it was reaped, another process may have its number.
        if self._exit is None:
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
