"""The gateway of one remote seat: a process between the network and the referee.

    python -m arena.play.seats.gateway

It reads its settings from the standard input, one line of JSON, and exits at the end of the input. It writes events to
its standard output, one line of JSON each.

It has one thread, and each message on its way wakes it once. What strangers can make it keep is limited (see `Door`).
Its memory is limited as well, so that a client with a ticket that finds a way around ends only its own gateway.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from arena.bots.seat_program import FINISHED, LOST
from arena.bots.system.surroundings import set_limits
from arena.play.referee.seat_link import Poller
from arena.play.seats.connection import ZmtpConnection
from arena.play.seats.curve import CurveServer, Keys, RefusedError
from arena.play.seats.stream import HEADER_SIZE, Frame, FrameKind, Stream, parse
from arena.play.seats.waiting import SeatOffer, Waiting
from arena_player.wire import limits

# The port of a gateway: it accepts connections from anybody, a limited number at once, and shakes hands with them.
#
# A connection waits in the kernel's queue while there are too many. So nobody outside takes a descriptor that the
# gateway needs for itself. Those that do not finish their handshake in time are closed, and the queue moves on.

MOST_CONNECTIONS: Final = 128
"""Connections of strangers at once, so that the match keeps its descriptors (`OWN_FILES`).

Chosen, not measured. Without a limit, 180 silent connections took them all.
"""
HANDSHAKE_SECONDS: Final = 3.0
"""Enough for the two round trips of a handshake around the world. Silent strangers take 128 places for so long."""
SILENT_SECONDS: Final = 6.0
"""A client that sends nothing for so long, not even an answer to a probe, has lost its connection.

Twelve probes are unanswered by then, and the client has made a new connection (`joining.SILENT_SECONDS`).
"""
_QUEUE: Final = 4_096
"""Connections that wait in the kernel: its usual limit (`net.core.somaxconn`)."""
_PAUSE: Final = 0.1
"""Seconds in which no connection is accepted after an error: otherwise the poller would report the next one at once."""


@dataclass(slots=True)
class _Guest:
    connection: ZmtpConnection
    peer: CurveServer
    heard: float


class Door:
    """Listens on a port, and passes on the messages of clients that have the key.

    Args:
        new_peer: Makes the server's end of the protocol for one more connection.
        on_message: Receives a connection and a message from it.

    Attributes:
        refused: The number of connections with another key.
    """

    def __init__(
        self,
        host: str,
        port: int,
        poller: Poller,
        new_peer: Callable[[], CurveServer],
        on_message: Callable[[ZmtpConnection, bytes], None],
    ) -> None:
        address = ("0.0.0.0" if host == "*" else host.strip("[]"), port)
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        self._listener = socket.create_server(address, family=family, backlog=_QUEUE)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self.refused = 0
        self._poller = poller
        self._new_peer = new_peer
        self._on_message = on_message
        self._guests: dict[int, _Guest] = {}
        self._accepts_at = 0.0
        self._accepting = False
        self.keep_time(time.monotonic())

    def send(self, connection: ZmtpConnection, payload: bytes) -> None:
        """Send one message to a client, now or when its socket accepts it."""
        connection.send(payload)
        connection.poll(self._poller, self._serve, connection.descriptor)

    def keep_time(self, now: float) -> None:
        """Close the connections whose time is over, and accept others if there is room."""
        for descriptor, guest in list(self._guests.items()):
            if now - guest.heard > (SILENT_SECONDS if guest.peer.greeted else HANDSHAKE_SECONDS):
                self._drop(descriptor)
        self._accept_or_not(now)

    def _accept_or_not(self, now: float) -> None:
        accepting = len(self._guests) < MOST_CONNECTIONS and now >= self._accepts_at
        if accepting != self._accepting:
            self._accepting = accepting
            self._poller.add(self._listener.fileno(), self._accept, 0, read=accepting)

    def _accept(self, _: int) -> None:
        now = time.monotonic()
        try:
            connected = self._listener.accept()[0]
            peer = self._new_peer()
            connection = ZmtpConnection.encrypted(connected, peer)
        except BlockingIOError:
            return
        except OSError:  # the client has left, or the whole machine has no descriptors left
            self._accepts_at = now + _PAUSE
        else:
            self._guests[connection.descriptor] = _Guest(connection, peer, now)
            connection.poll(self._poller, self._serve, connection.descriptor)
        self._accept_or_not(now)

    def _serve(self, descriptor: int) -> None:
        guest = self._guests.get(descriptor)
        if guest is None:
            return  # closed by an event before this one
        for message in guest.connection.receive():
            guest.heard = time.monotonic()
            self._on_message(guest.connection, message)
        self.refused += isinstance(guest.connection.error, RefusedError)
        if guest.connection.closed:
            self._drop(descriptor)
        else:
            guest.connection.poll(self._poller, self._serve, descriptor)

    def _drop(self, descriptor: int) -> None:
        self._poller.remove(descriptor)
        self._guests.pop(descriptor).connection.close()
        self._accept_or_not(time.monotonic())

    def close(self, seconds: float) -> None:
        """Accept no more connections, and wait at most `seconds` until what is not sent yet is sent."""
        self._poller.remove(self._listener.fileno())
        self._listener.close()
        end = time.monotonic() + seconds
        for guest in self._guests.values():
            while guest.connection.unsent and not guest.connection.closed and time.monotonic() < end:
                time.sleep(0.01)
                guest.connection.flush()
            guest.connection.close()


MEMORY = 32 * 1024 * 1024
"""The limit for the growth of the writable memory of this process, in bytes.

Chosen, not measured: an ordinary session needs a small part of it. All limits of this module together add up to more,
and whoever uses them all up loses the gateway.
"""
OWN_FILES = 128
"""The number of descriptors for everything except the connections of the port."""
MOST_UNCONFIRMED = 3 * limits.REFEREE_BYTES
"""The limit for the bytes that the client has not confirmed: three messages of the largest size, as in `SeatLink`."""
MOST_UNREAD = 4 * limits.CLIENT_BYTES
"""The limit for the bytes from the client that wait in this gateway, because the referee does not read them.

The referee does not read while it expects no message from the bot. If more bytes wait, the seat is lost."""
MOST_FRAMES = 4_000
"""The limit for the number of frames that arrive in one second. If there are more, the gateway exits.

A bot that acts as fast as a seat on the same machine sends fewer, since it waits for each result.
"""
TICK_SECONDS = 0.1
"""Seconds between two looks at the clock: all time limits here are many times as long."""
PROBE_SECONDS = 0.5
"""Seconds between two probes, which measure the round trip and show that the connection lives."""
LINGER_SECONDS = 0.5
"""Seconds for the last bytes at the end. Chosen, not measured: the ticket is used up, so few wait for them."""


class Gateway:
    """One remote seat. It listens when it is made.

    Args:
        settings: The settings that `arena.play.seats.hosting` writes: keys, address, game, and the seconds without data
            after which the seat is lost.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        keys, allowed = Keys.of(bytes.fromhex(settings["server"])), bytes.fromhex(settings["client"])
        self._settings = settings
        self._poller = Poller()
        self._waiting = Waiting()
        self._door = Door(
            settings["host"],
            settings["port"],
            self._poller,
            lambda: CurveServer(limits.CLIENT_BYTES + HEADER_SIZE, keys, allowed),
            self._receive,
        )
        self._stream: Stream | None = None
        self._client: ZmtpConnection | None = None
        self._offer: SeatOffer | None = None
        self._seat: ZmtpConnection | None = None
        self._heard = self._probed = time.monotonic()
        self._tick = 0.0
        self._trips: list[float] = []
        self._lost = 0
        self._second, self._frames = 0, 0
        self._refused = 0
        self._ended = False

    def run(self) -> None:
        """Serve until the standard input ends."""
        _limit_resources()
        report("listening", port=self._door.port, address=self._waiting.address)
        self._poller.add(sys.stdin.fileno(), self._on_end_of_input, 0)
        self._poller.add(self._waiting.fileno(), self._on_offer, 0)
        while not self._ended:
            self._serve(TICK_SECONDS)
        self._say_bye()

    def _serve(self, seconds: float) -> None:
        for handler, number in self._poller.wait(seconds):
            handler(number)
        now = time.monotonic()
        if now >= self._tick:
            self._tick = now + TICK_SECONDS
            self._keep_time(now)

    def _on_end_of_input(self, _: int) -> None:
        self._ended = True

    # -- the network ---------------------------------------------------------------------------------

    def _receive(self, connection: ZmtpConnection, data: bytes) -> None:
        if self._is_flood():
            self._lose("The bot's machine sent a flood of messages.")
            sys.exit(1)
        received = parse(data)
        if received is not None:
            self._on_frame(connection, received)

    def _is_flood(self) -> bool:
        """Count one more frame, and return whether this second has too many."""
        second = int(time.monotonic())
        self._frames = self._frames + 1 if second == self._second else 1
        self._second = second
        return self._frames > MOST_FRAMES

    def _on_frame(self, connection: ZmtpConnection, received: Frame) -> None:
        if self._stream is None and received.kind == FrameKind.JOIN and not received.received:
            self._stream, self._client = Stream(received.secret), None
            report("joined")
        stream = self._stream
        if stream is None or received.secret != stream.secret:
            self._refused += 1
            self._door.send(connection, Stream(received.secret).control(FrameKind.REFUSED))
            return
        self._heard = time.monotonic()
        is_new = connection is not self._client
        if is_new and self._client is not None:
            self._lost += 1
        self._client = connection
        is_message = stream.take(received)
        if received.kind == FrameKind.JOIN:
            self._door.send(connection, stream.control(FrameKind.JOINED))
        if is_new or received.kind == FrameKind.JOIN:
            for frame in stream.unconfirmed():
                self._door.send(connection, frame)
        if received.kind == FrameKind.ECHO and len(received.payload) == 8:
            self._trips.append(time.monotonic() - int.from_bytes(received.payload) / 1e9)
        elif is_message and received.kind == FrameKind.DATA and self._seat is not None:
            self._seat.send(received.payload)
            self._seat.poll(self._poller, self._from_referee, 0)
            if self._seat.unsent > MOST_UNREAD:
                self._lose("The bot's machine sent more than the referee reads.")
        elif is_message and received.kind == FrameKind.GONE:
            self._finish(LOST, received.payload[:300].decode("utf-8", "replace"))

    def _send(self, data: bytes) -> None:
        if self._client is not None and not self._client.closed:
            self._door.send(self._client, data)

    def _message(self, kind: FrameKind, payload: bytes = b"") -> None:
        if self._stream is not None:
            self._send(self._stream.message(kind, payload))
            if self._stream.unconfirmed_bytes > MOST_UNCONFIRMED:
                self._lose("The bot's machine did not read what was sent to it.")

    def _keep_time(self, now: float) -> None:
        self._door.keep_time(now)
        if self._stream is None:
            return
        if now - self._probed >= PROBE_SECONDS:
            self._probed = now
            if self._client is not None and not self._client.unsent:
                self._send(self._stream.control(FrameKind.PROBE, time.monotonic_ns().to_bytes(8)))
        if now - self._heard > self._settings["resume"]:
            self._lose(f"Nothing came from the bot's machine for {self._settings['resume']:g} s.")
            self._stream = None  # from now on, the ticket can start a new session
            report("left")

    # -- the referee ---------------------------------------------------------------------------------

    def _on_offer(self, _: int) -> None:
        offer = next(self._waiting, None)
        if offer is None:
            return
        if self._stream is None:
            offer.end(LOST, "No bot has joined.")
            return
        try:
            self._seat = ZmtpConnection.to_seat(offer.endpoint)
        except OSError as error:
            offer.end(LOST, f"The gateway did not reach the seat: {error.strerror}.")
            return
        self._offer = offer
        self._seat.share_processor()
        self._seat.poll(self._poller, self._from_referee, 0)
        self._message(FrameKind.MATCH, json.dumps({"game": self._settings["game"]}).encode())

    def _from_referee(self, _: int) -> None:
        seat = self._seat
        if seat is None:
            return
        for message in seat.receive():
            self._message(FrameKind.DATA, message)
        if seat is not self._seat:
            return  # it was lost
        if seat.closed:
            self._finish(FINISHED)
        else:
            seat.poll(self._poller, self._from_referee, 0)

    def _lose(self, why: str) -> None:
        report("gone", why=why)
        self._finish(LOST, why)

    def _finish(self, code: int, line: str = "") -> None:
        if self._seat is None or self._offer is None:
            return
        self._offer.end(code, line)
        self._poller.remove(self._seat.descriptor)
        self._seat.close()
        self._seat = self._offer = None
        self._message(FrameKind.END)
        trips = sorted(self._trips) or [0.0]
        report(
            "finished",
            middle=trips[len(trips) // 2],
            most=trips[-1],
            lost=self._lost,
            refused=self._refused + self._door.refused,
        )

    def _say_bye(self) -> None:
        """Report the end of all matches to the client. Wait at most 1 s for its confirmation, and close all sockets."""
        self._poller.remove(sys.stdin.fileno())
        self._message(FrameKind.BYE)
        end = time.monotonic() + 1.0
        while self._stream is not None and self._stream.unconfirmed() and time.monotonic() < end:
            self._serve(0.05)
        self._door.close(LINGER_SECONDS)
        self._waiting.close()


def report(event: str, **details: Any) -> None:
    sys.stdout.write(json.dumps({"event": event, **details}) + "\n")
    sys.stdout.flush()


def _limit_resources() -> None:
    """Limit memory, descriptors and core files of this process. macOS cannot limit memory."""
    set_limits({"RLIMIT_NOFILE": MOST_CONNECTIONS + OWN_FILES, "RLIMIT_CORE": 0})
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        set_limits({"RLIMIT_DATA": used + MEMORY})


def main() -> int:
    settings = json.loads(os.read(0, 65_536))
    try:
        gateway = Gateway(settings)
    except OSError as error:
        report("failed", why=(error.strerror or str(error)).lower())
        return 1
    gateway.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
