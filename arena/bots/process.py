"""A running bot: its descriptors, its end, and how everything it started is taken away."""

from __future__ import annotations

import contextlib
import os
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from arena.bots.bot import Bot
from arena.bots.capture import Capture
from arena.bots.exits import Exit, complains_of_memory, decode_wait_status
from arena.bots.orphans import kill_descendants, kill_marked
from arena.bots.reaping import reap_child, wait_readable
from arena.bots.sandbox.cgroups import SeatGroup
from arena.match.isolation import Isolation

LONGEST_DEATH = 5.0
"""Seconds to wait for the kernel to take a killed sandbox apart; it needs 2 to 40 ms."""


@dataclass(slots=True)
class BotProcess:
    """A bot's process, and all that came of it.

    The referee polls `pidfd` (readable: it has ended) and the descriptors of `stdout` and `stderr`. Use it as a
    context manager, or call `close()` in the end, in any case.

    Attributes:
        bot: The bot.
        seat: Its seat.
        pid: The process that was started: the bot, or the sandbox's monitor.
        pidfd: Its descriptor for a poller.
        stdout: What it prints.
        stderr: What it complains of.
        isolation: What holds between it and the machine.
        inner_pid: The sandbox's first process, 0 without a sandbox. Its death is the death of all inside.
        marker: An entry of the environment that all its descendants carry; for those without a sandbox.
        group: Its control group, at level 3.
        on_close: What is to be given back at the end.
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
    marker: bytes = b""
    group: SeatGroup | None = None
    on_close: ExitStack = field(default_factory=ExitStack)
    _exit: Exit | None = None

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs. Does not wait."""
        if self._exit is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._end(status)
        return self._exit

    def cpu_nanoseconds(self) -> int | None:
        """CPU time of the bot with all its threads and children; None below level 3."""
        return self.group.cpu_nanoseconds() if self.group else None

    def freeze(self) -> bool:
        """Stops it in its tracks; False where that is not possible."""
        return bool(self.group and self.group.freeze())

    def thaw(self) -> bool:
        """Lets a frozen bot go on."""
        return bool(self.group and self.group.thaw())

    def out_of_memory(self) -> bool:
        """Whether the kernel had to kill something of it, since it had used up its memory."""
        return bool(self.group and self.group.out_of_memory_kills())

    def kill(self) -> Exit:
        """Kills the bot with everything it ever started, waits for the last of them, and reaps them.

        The output that is still in the pipes is read. Calling it again does nothing.
        """
        if self.inner_pid:
            self._kill_sandbox()
        else:
            self._kill_plain()
        if self._exit is None:
            self._end(os.waitpid(self.pid, 0)[1])
        assert self._exit is not None
        self.stdout.drain_rest()
        self.stderr.drain_rest()
        if self._exit.code != 0 and (self.out_of_memory() or complains_of_memory(self.stderr.text())):
            self._exit = replace(self._exit, out_of_memory=True)
        return self._exit

    def close(self) -> Exit:
        """Kills what is left and gives back every descriptor, group and user id."""
        ending = self.kill()
        if self.group:
            # Memory is counted there; the sandbox's death has emptied it.
            self.group.kill()
            self.group = None
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

    def _kill_sandbox(self) -> None:
        if self.inner_pidfd < 0:
            return
        # The kernel takes a whole pid namespace down with its first process, and lets that go only when the
        # last of the others is gone.
        _send_kill(self.inner_pidfd)
        if self.group and self.group.frozen:
            self.group.thaw()
        if not wait_readable(self.inner_pidfd, LONGEST_DEATH):
            raise RuntimeError(f"the sandbox of seat {self.seat} did not die of SIGKILL")
        if self._exit is None and not wait_readable(self.pidfd, LONGEST_DEATH):
            _send_kill(self.pidfd)
        reap_child(self.inner_pid)

    def _kill_plain(self) -> None:
        if self.pidfd < 0:
            return
        killed: list[int] = []
        # Once it is reaped, its number may be somebody else's.
        if self._exit is None:
            killed = kill_descendants(self.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            wait_readable(self.pidfd, LONGEST_DEATH)
        if self.marker:
            killed += kill_marked(self.marker)
        for process in killed:
            if process != self.pid:
                reap_child(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _send_kill(pidfd: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
