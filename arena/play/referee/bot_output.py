"""Read the output of bots while a match is played, in the order in which output and actions happen.

It belongs to the host: a recording itself is also made of matches in memory, where there are no pipes.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Mapping

from arena.bots.capture import Capture
from arena.play.referee.outputs import Printed
from arena.play.referee.seat_link import Poller, SeatConnection

MUTE_SECONDS = 0.01
"""Seconds for which the poller ignores a bot's output after a read. Otherwise each byte could wake the poller.

A bot that prints without end then wakes the referee at most 100 times a second. A pipe holds what comes meanwhile.
"""


class BotOutput:
    """Reads stdout and stderr of all seats.

    Attributes:
        muted_until: The time at which the poller should report output of muted seats again; None if no seat is muted.
    """

    def __init__(
        self, seats: Mapping[int, SeatConnection], poller: Poller, report: Callable[[int, Printed, str], None]
    ) -> None:
        self.muted_until: float | None = None
        self._seats = seats
        self._poller = poller
        self._report = report
        self._muted: set[int] = set()
        self._pipes = select.poll()
        self._owners: dict[int, int] = {}

    def add(self, player: int) -> None:
        """Poll the output of a seat whose program was started."""
        for _, output in self._open_streams(player):
            self._poller.add(output.fileno(), self._on_ready, player)
            self._pipes.register(output.fileno(), select.POLLIN)
            self._owners[output.fileno()] = player

    def catch_up(self) -> None:
        """Read the output of all seats before an action, so that the replay has the output before the action."""
        for descriptor, events in self._pipes.poll(0):  # one call for all pipes is much faster than a read of each
            self.drain(self._owners[descriptor])
            if events & select.POLLNVAL:  # the pipe was closed with its program
                self._pipes.unregister(descriptor)

    def drain(self, player: int) -> None:
        """Read the available output of a seat and report whole lines, and an unfinished last line of a closed pipe."""
        for kind, output in self._streams(player):
            descriptor = output.fileno()
            if descriptor >= 0:
                output.drain()
                if output.closed:
                    self._poller.remove(descriptor)
                    self._pipes.unregister(descriptor)
            text = output.take()
            if text:
                self._report(player, kind, text)

    def unmute(self) -> None:
        self.muted_until = None
        for player in sorted(self._muted):
            self.add(player)
        self._muted.clear()

    def _on_ready(self, player: int) -> None:
        if player not in self._muted:
            self._muted.add(player)
            for _, output in self._open_streams(player):
                self._poller.remove(output.fileno())
            self.muted_until = self.muted_until or time.monotonic() + MUTE_SECONDS
        self.drain(player)

    def _open_streams(self, player: int) -> list[tuple[Printed, Capture]]:
        return [(kind, output) for kind, output in self._streams(player) if output.fileno() >= 0]

    def _streams(self, player: int) -> tuple[tuple[Printed, Capture], tuple[Printed, Capture]]:
        process = self._seats[player].process
        return ("stdout", process.stdout), ("stderr", process.stderr)
