"""A seat as the loop sees it: a link and a process."""

from __future__ import annotations

import select
import time
from dataclasses import dataclass

from arena.bots.process import BotProcess
from arena.referee.clock import Reading
from arena.referee.seat_link import SeatLink


@dataclass(slots=True)
class SeatConnection:
    """A seat's link and process.

    Attributes:
        link: The seat's end of the wire.
        process: The bot's process.
        listening: Whether the poller reports messages of this seat.
        gone_at: When the peer closed its connection; None while it is open, or once that was reported.
    """

    link: SeatLink
    process: BotProcess
    listening: bool = False
    gone_at: float | None = None

    def read_clocks(self) -> Reading:
        """Read the wall clock, and the CPU time of everything on this seat where it is counted exactly."""
        nanoseconds = self.process.cpu_nanoseconds()
        cpu = None if nanoseconds is None else nanoseconds / 1e9
        return Reading(time.monotonic(), cpu, self.link.unread)

    def wait_for_end(self, until: float) -> None:
        """Send what is left to send and read what the bot prints, until it ends or the time has come."""
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
