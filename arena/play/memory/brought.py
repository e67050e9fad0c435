"""The seat of a player that another distribution brings (`arena.bots.players`), such as a language model.

The player's program cannot tell it from a match with processes: it is offered an endpoint, and plays through it by the
protocol. Here the match itself does what `arena.bots.seat_program` and the host do there.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any

from arena.bots.seat_program import LOST, OUTAGE, RESIGNED, answer, offer
from arena.bots.system.surroundings import socket_folder
from arena.play.memory.choices import Answer
from arena.play.memory.notes import SeatOutput
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat, Updates
from arena.play.memory.watch import POLL, StoppedError
from arena.play.referee.played import counts_of
from arena.play.referee.seat_link import SeatLink
from arena_player.wire import WireError, limits, pack, unpack
from arena_player.wire.zmtp import PeerError

if TYPE_CHECKING:
    from arena.game import Document

GONE = "the connection to the player's program is lost"
END_SECONDS = 5.0
"""How long the player's program may take to say what it has counted. Nobody else waits for the processor."""


class BroughtSeat(MemorySeat):
    """A seat whose player is at the other end of a socket.

    Args:
        address: The path of the Unix socket on which the player's program waits for matches.
    """

    plays = True

    def __init__(self, referee: Referee, player: int, output: SeatOutput, address: str) -> None:
        super().__init__(referee, player, output)
        self._address = address
        self._relay = socket.socket(socket.AF_UNIX)
        self._link: SeatLink | None = None

    def start(self) -> None:
        """Offer the seat to the player's program, and wait until it is ready."""
        self.waits = False
        folder = tempfile.mkdtemp(prefix="arena-match-", dir=socket_folder())
        try:
            self._link = SeatLink(Path(folder) / "seat", limits.CLIENT_BYTES)
            offer(self._relay, self._address, f"ipc://{folder}/seat")
            while not self._link.accept():
                if self._wait(self._link):
                    break
        except OSError:
            self._void(GONE)
        finally:
            if self._link is not None and not self._link.connected:
                self._link.close()
            os.rmdir(folder)
        self._referee.connect(self._player)
        for _ in ("hello", "ready"):
            self.play()

    def play(self) -> None:
        """Wait for the next message of the player's program."""
        if self._link is None or self._seat.ending is not None or self._seat.failure is not None:
            return
        try:
            payload = self._next(self._link)
            message = None if payload is None else unpack(payload)
        except (PeerError, WireError) as error:
            self._referee.match.on_violation(self._player, f"sent a message that breaks the protocol: {error}")
            self._referee.carry_out()
            return
        if message is not None:
            self._say(message)
        else:
            self._end()

    def act(self, _: Sequence[Document]) -> Answer:
        """Refuse: the player's program answers the request that it has got."""
        raise ValueError(f"Player {self._player} is played by {self._seat.name}, which answers each request itself.")

    def take_updates(self) -> Updates:
        """Refuse: the player's program gets them."""
        raise ValueError(f"The updates of player {self._player} are for {self._seat.name}.")

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the player's program."""
        if self._link is not None and not self._link.closed:
            try:
                self._link.send(pack(message, trusted=True))
            except PeerError:
                self._link.close()  # `play` reports the end

    def hang_up(self) -> None:
        """End the connection of a player whose part has ended."""
        if self._link is not None:
            self._link.close()

    def finish(self) -> None:
        """Let the player's program end, and keep what it has counted."""
        if self._link is not None:
            end = time.monotonic() + END_SECONDS
            while self._link.wants_to_write and not self._link.closed and time.monotonic() < end:
                select([], [self._link.fileno()], [], POLL)
                self._link.flush()
            self._answer()
            self._link.close()
        self._relay.close()

    def _next(self, link: SeatLink) -> bytes | None:
        """Wait for the next message; None if the player's program has ended, and has sent no other."""
        ended = False
        while True:
            link.flush()
            if (payload := link.receive()) is not None:
                return payload
            if link.closed or ended:
                return None
            ended = self._wait(link)

    def _wait(self, link: SeatLink) -> bool:
        """Wait until there is something to read. Return whether the player's program has said how it ends.

        Raises:
            StoppedError: The match is stopped meanwhile.
        """
        watch, sources = self._referee.watch, [link.fileno(), self._relay.fileno()]
        while True:
            writing = [link.fileno()] if link.connected and link.wants_to_write else []
            ready, writable, _ = select(sources, writing, [], None if watch is None else POLL)
            if ready or writable:
                return self._relay.fileno() in ready
            if watch is not None and watch.stopped:
                raise StoppedError

    def _end(self) -> None:
        """End the player's part as its program has ended."""
        code, line = self._answer()
        if code == RESIGNED:
            self._referee.end(self._player, "resigned", line)
        elif code in (OUTAGE, LOST):
            self._void(line or GONE)
        else:
            self._referee.end(self._player, "crashed", f"exit code {code}")

    def _void(self, cause: str) -> None:
        self._referee.match.on_outage(self._player, cause)
        self._referee.carry_out()

    def _answer(self) -> tuple[int, str]:
        """Return what the player's program has ended with, and why. Keep what it has counted."""
        code, line, counts = LOST, "", ""
        self._relay.settimeout(END_SECONDS)
        with suppress(OSError):
            code, line, counts = answer(self._relay)
        self.counts = self.counts or counts_of(counts)
        return code, line
