"""The gateway of one remote seat: a process between the network and the referee.

    python -m arena.seats.gateway

It reads its settings from the standard input, one line of JSON, and exits at the end of the input. It writes events to
its standard output, one line of JSON each.

libzmq does not limit the size of a message of many parts. Instead, the memory of this process is limited. A client that
sends a flood of data ends only its own gateway, and the seat is lost.

libzmq listens on a Unix socket. A `Door` relays to it what comes from the port, so that connections of others never
take the descriptors that a match needs.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from typing import Any

import zmq
from zmq.utils import z85

from arena.bots.seat_program import FINISHED, LOST
from arena.seats.door import DESCRIPTORS, MOST_CONNECTIONS, Door
from arena.seats.seat_end import SeatEnd
from arena.seats.stream import HEADER_SIZE, FrameKind, Stream, parse
from arena.seats.waiting import SeatOffer, Waiting
from arena_player.wire import limits

MEMORY = 96 * 1024 * 1024
"""The limit for the growth of the writable memory of this process, in bytes."""
OWN_FILES = 128
"""The number of descriptors for everything except the connections of the port."""
MOST_KEPT = 3 * limits.REFEREE_BYTES
MOST_UNREAD = 4 * limits.CLIENT_BYTES
"""The limit for the bytes from the client that wait in this gateway, because the referee does not read them.

The referee does not read while it expects no message from the bot. If more bytes wait, the seat is lost."""
MOST_FRAMES = 4_000
"""The limit for the number of frames that arrive in one second. If there are more, the gateway exits."""
HANDSHAKE_MILLISECONDS = 3_000
HEARTBEAT_MILLISECONDS = 2_000
PROBE_SECONDS = 0.5
REPEAT_SECONDS = 1.0
LINGER_SECONDS = 0.5


class Gateway:
    """One remote seat.

    Args:
        settings: The settings that `arena.seats.hosting` writes: keys, address, game, and the seconds without data
            after which the seat is lost.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._place = Waiting()
        self._context = zmq.Context()
        self._zap = self._context.socket(zmq.REP)
        self._zap.linger = 0
        self._zap.bind("inproc://zeromq.zap.01")
        self.inside = f"{self._place.address}.network"
        self._network = self._listen()
        self._allowed = bytes.fromhex(settings["client"])
        self._stream: Stream | None = None
        self._route = b""
        self._offer: SeatOffer | None = None
        self._seat: SeatEnd | None = None
        self._heard = self._probed = self._repeated = time.monotonic()
        self._trips: list[float] = []
        self._lost = 0
        self._second, self._frames = 0, 0
        self._refused = 0

    def _listen(self) -> zmq.Socket[bytes]:
        network = self._context.socket(zmq.ROUTER)
        network.linger = int(1000 * LINGER_SECONDS)
        network.curve_server = True
        network.curve_secretkey = z85.encode(bytes.fromhex(self._settings["server"]))
        network.setsockopt(zmq.ZAP_DOMAIN, b"arena")
        network.setsockopt(zmq.MAXMSGSIZE, limits.CLIENT_BYTES + HEADER_SIZE)
        network.setsockopt(zmq.RCVHWM, 64)
        network.setsockopt(zmq.SNDHWM, 64)
        network.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MILLISECONDS)
        network.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MILLISECONDS)
        network.setsockopt(zmq.HEARTBEAT_TIMEOUT, 3 * HEARTBEAT_MILLISECONDS)
        network.bind(f"ipc://{self.inside}")
        return network

    def run(self, door: Door) -> None:
        """Serve until the standard input ends."""
        _limit_resources()
        self._report("listening", port=door.port, address=self._place.address)
        poller = zmq.Poller()
        for source in (sys.stdin.fileno(), self._zap, self._network, self._place.fileno()):
            poller.register(source, zmq.POLLIN)
        watched: tuple[SeatEnd, int] | None = None
        while True:
            seat = self._seat
            wanted = None if seat is None else (seat, int(zmq.POLLIN | (zmq.POLLOUT if seat.unsent else 0)))
            if wanted != watched:
                if watched and (wanted is None or wanted[0] is not watched[0]):
                    poller.unregister(watched[0].descriptor)
                if wanted:
                    poller.register(wanted[0].descriptor, wanted[1])
                watched = wanted
            ready = dict(poller.poll(100))
            if sys.stdin.fileno() in ready:
                break
            if self._zap in ready:
                self._authenticate()
            if self._network in ready:
                self._receive()
            if self._place.fileno() in ready and (offer := next(self._place, None)) is not None:
                self._begin(offer)
            if seat is not None and seat is self._seat and seat.descriptor in ready:
                self._from_referee(seat)
            self._keep_time()
        self._say_bye()
        door.close(LINGER_SECONDS)

    # -- the network ---------------------------------------------------------------------------------

    def _authenticate(self) -> None:
        """Answer one ZAP request of libzmq: accept or refuse the key of a new connection."""
        version, request, _domain, _address, _identity, mechanism, *keys = self._zap.recv_multipart()
        allowed = mechanism == b"CURVE" and keys == [self._allowed]
        code, words = (b"200", b"OK") if allowed else (b"400", b"This key has no ticket")
        self._zap.send_multipart([version, request, code, words, b"", b""])
        if not allowed:
            self._refused += 1

    def _receive(self) -> None:
        """Read one message. Do not try to read a second one: the poller reports it if it exists."""
        try:
            route, *parts = self._network.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return
        if self._is_flood():
            self._lose("The bot's machine sent a flood of messages.")
            sys.exit(1)
        received = parse(parts[0]) if len(parts) == 1 else None
        if len(parts) > 1 and route == self._route:
            self._lose("The bot's machine sent a message of several parts.")
        elif received is not None:
            self._on_frame(route, received)

    def _is_flood(self) -> bool:
        second = int(time.monotonic())
        self._frames = self._frames + 1 if second == self._second else 1
        self._second = second
        return self._frames > MOST_FRAMES

    def _on_frame(self, route: bytes, received: Any) -> None:
        if self._stream is None and received.kind == FrameKind.JOIN and not received.received:
            self._stream, self._route = Stream(received.secret), b""
            self._report("joined")
        stream = self._stream
        if stream is None or received.secret != stream.secret:
            self._refused += 1
            self._send(route, Stream(received.secret).other(FrameKind.REFUSED))
            return
        self._heard = time.monotonic()
        is_new = route != self._route
        if is_new and self._route:
            self._lost += 1
        self._route = route
        is_message = stream.take(received)
        if received.kind == FrameKind.JOIN:
            self._send(route, stream.other(FrameKind.JOINED))
        if is_new or received.kind == FrameKind.JOIN:
            self._repeat()
        if received.kind == FrameKind.ECHO and len(received.payload) == 8:
            self._trips.append(time.monotonic() - int.from_bytes(received.payload) / 1e9)
        elif is_message and received.kind == FrameKind.DATA and self._seat is not None:
            self._seat.send(received.payload)
            if self._seat.unsent > MOST_UNREAD:
                self._lose("The bot's machine sent more than the referee reads.")
        elif is_message and received.kind == FrameKind.GONE:
            self._finish(LOST, received.payload[:300].decode("utf-8", "replace"))

    def _send(self, route: bytes, data: bytes) -> None:
        with contextlib.suppress(zmq.Again):
            self._network.send(route, zmq.SNDMORE | zmq.NOBLOCK)
            self._network.send(data, zmq.NOBLOCK)

    def _message(self, kind: FrameKind, payload: bytes = b"") -> None:
        if self._stream is not None:
            self._send(self._route, self._stream.message(kind, payload))
            if self._stream.kept_bytes > MOST_KEPT:
                self._lose("The bot's machine did not read what was sent to it.")

    def _repeat(self) -> None:
        self._repeated = time.monotonic()
        for data in self._stream.again() if self._stream is not None else ():
            self._send(self._route, data)

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._stream is None:
            return
        if now - self._probed >= PROBE_SECONDS:
            self._probed = now
            self._send(self._route, self._stream.other(FrameKind.PROBE, time.monotonic_ns().to_bytes(8)))
        if now - self._repeated >= REPEAT_SECONDS and now - self._heard < REPEAT_SECONDS:
            self._repeat()
        if now - self._heard > self._settings["resume"]:
            self._lose(f"Nothing came from the bot's machine for {self._settings['resume']:g} s.")
            self._stream = None  # from now on, the ticket can start a new session
            self._report("left")

    # -- the referee ---------------------------------------------------------------------------------

    def _begin(self, offer: SeatOffer) -> None:
        if self._stream is None:
            offer.end(LOST, "No bot has joined.")
            return
        try:
            self._seat = SeatEnd(offer.endpoint)
        except OSError as error:
            offer.end(LOST, f"The gateway did not reach the seat: {error.strerror}.")
            return
        self._offer = offer
        self._message(FrameKind.MATCH, json.dumps({"game": self._settings["game"]}).encode())

    def _from_referee(self, seat: SeatEnd) -> None:
        for message in seat.receive():
            self._message(FrameKind.DATA, message)
        if seat.closed and seat is self._seat:
            self._finish(FINISHED)

    def _lose(self, why: str) -> None:
        self._report("gone", why=why)
        self._finish(LOST, why)

    def _finish(self, code: int, line: str = "") -> None:
        if self._seat is None or self._offer is None:
            return
        self._offer.end(code, line)
        self._seat.close()
        self._seat = self._offer = None
        self._message(FrameKind.END)
        trips = sorted(self._trips) or [0.0]
        self._report(
            "finished",
            middle=trips[len(trips) // 2],
            most=trips[-1],
            lost=self._lost,
            refused=self._refused,
        )

    def _say_bye(self) -> None:
        """Report the end of all matches to the client. Wait at most 1 s for its confirmation, and close all sockets."""
        self._message(FrameKind.BYE)
        end = time.monotonic() + 1.0
        while self._stream is not None and self._stream.again() and time.monotonic() < end:
            if self._network.poll(50):
                self._receive()
        self._network.close()
        self._zap.close()
        self._context.term()
        self._place.close()

    @staticmethod
    def _report(event: str, **about: Any) -> None:
        sys.stdout.write(json.dumps({"event": event, **about}) + "\n")
        sys.stdout.flush()


def _limit_resources() -> None:
    """Limit memory, descriptors and core files of this process. macOS cannot limit memory."""
    most_files = DESCRIPTORS * MOST_CONNECTIONS + OWN_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        most = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> int:
    settings = json.loads(os.read(0, 65_536))
    gateway = Gateway(settings)
    try:
        door = Door(settings["host"], settings["port"], gateway.inside)
    except OSError as error:
        Gateway._report("failed", why=(error.strerror or str(error)).lower())
        return 1
    gateway.run(door)
    return 0


if __name__ == "__main__":
    sys.exit(main())
