"""The link and the process of a seat."""

from __future__ import annotations

import select
import time
from dataclasses import dataclass

from arena.bots.exits import Exit
from arena.bots.process import BotProcess
from arena.referee.clock import Reading
from arena.referee.seat_link import SeatLink

STACK_SECONDS = 1.0
"""Seconds in which a program can print its stack after its time has run out."""
STACK_BYTES = 16 * 1024
"""Bytes of stdout and of stderr that the replay keeps free for the stack that a program prints after a time-out."""
STACK_PAUSE = 0.03
"""Seconds without output after which a stack counts as complete, if its last line is."""


@dataclass(slots=True)
class SeatConnection:
    """A seat's link and process.

    Attributes:
        gone_at: The time at which the peer closed its connection. None while the connection is open, and again after
            the host has reported the end of the program to the match.
        exit: How the program ended by itself; None if it had to be killed after the match.
    """

    link: SeatLink
    process: BotProcess
    listening: bool = False
    gone_at: float | None = None
    exit: Exit | None = None

    def read_clocks(self) -> Reading:
        """Read the wall clock, the exact CPU time of all processes of this seat if known, and the unread bytes."""
        nanoseconds = self.process.cpu_nanoseconds()
        cpu = None if nanoseconds is None else nanoseconds / 1e9
        return Reading(time.monotonic(), cpu, self.link.unread)

    def collect_stack(self) -> None:
        """Let the program print its stack, if it can. Read until the stack is complete, at most for `STACK_SECONDS`."""
        process = self.process
        outputs = [output for output in (process.stdout, process.stderr) if output.fileno() >= 0]
        for output in outputs:
            output.drain()  # make room in the pipe for the stack
            output.reserve(STACK_BYTES)
        if not process.request_stack():
            return
        poller = select.poll()
        poller.register(process.pidfd, select.POLLIN)
        for output in outputs:
            if output.fileno() >= 0:
                poller.register(output.fileno(), select.POLLIN)
        end = time.monotonic() + STACK_SECONDS
        limit = end
        while process.poll() is None and (now := time.monotonic()) < end:
            if now >= limit:
                if any(_is_complete(output.text()) for output in outputs):
                    return
                limit = now + STACK_PAUSE
            ready = [descriptor for descriptor, _ in poller.poll((min(limit, end) - now) * 1000)]
            for output in outputs:
                if (descriptor := output.fileno()) in ready:
                    output.drain()
                    limit = time.monotonic() + STACK_PAUSE
                    if output.closed:
                        poller.unregister(descriptor)

    def wait_for_end(self, until: float) -> None:
        """Send the last messages and read the bot's output until the bot ends or the time `until` comes."""
        process, link = self.process, self.link
        poller = select.poll()
        poller.register(process.pidfd, select.POLLIN)
        if link.connected and link.wants_to_write:
            poller.register(link.fileno(), select.POLLOUT)
        for output in (process.stdout, process.stderr):
            if output.fileno() >= 0:
                poller.register(output.fileno(), select.POLLIN)
        while process.poll() is None and time.monotonic() < until:
            for descriptor, _ in poller.poll(max(0.0, until - time.monotonic()) * 1000):
                if descriptor == link.fileno():
                    link.flush()
                    if not link.wants_to_write:
                        poller.unregister(descriptor)
                for output in (process.stdout, process.stderr):
                    if descriptor == output.fileno():
                        output.drain()
                        if output.closed:
                            poller.unregister(descriptor)


def _is_complete(text: str) -> bool:
    """Return whether a program, which may have to wait for a processor between two writes, has printed its stack."""
    from arena.match.stack import last_stack  # few matches need it, and all would wait for it at their start

    return text.endswith("\n") and last_stack(text) is not None
