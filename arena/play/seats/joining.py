"""Let a bot of this machine play on a seat of another machine, for `arena join`.

One thread and one poller relay between the bot, whose socket and process are those of a match here (`SeatLink`,
`launch`), and the gateway. A `Stream` repeats what a lost connection has not delivered, so the bot notices nothing of
it. Only the gateway ends a session: it says that the match is over, that there are no more matches, or that the seat is
gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot
from arena.bots.capture import Capture
from arena.bots.launch import launch
from arena.bots.process import BotProcess
from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError, ExitCode
from arena.match.limits import Policy
from arena.play.referee.seat_link import Poller, SeatLink
from arena.play.seats.connection import ZmtpConnection
from arena.play.seats.curve import CurveClient, Keys, RefusedError
from arena.play.seats.stream import HEADER_SIZE, SECRET_SIZE, Frame, FrameKind, Stream, parse
from arena.play.seats.ticket import Ticket, split_address
from arena_player.wire import limits
from arena_player.wire.zmtp import PeerError

END_GRACE = 1.0
"""A bot that has not exited this many seconds after the end of its match is killed.

Longer than at a referee (`host.SHUTDOWN_GRACE`): nobody waits for the processor, and the author wants the last lines.
"""
TICK_SECONDS = 0.1
REPEAT_SECONDS = 1.0
"""Seconds without data after which the client asks for the seat again.

Two probes of the gateway are missing by then.
"""
SILENT_SECONDS = 3.0
"""After so many seconds without data from the gateway, which sends probes, the connection is made anew.

Six probes are missing by then. A pause of a bad network is shorter, and `resume` of the host ten times as long.
"""
HANDSHAKE_SECONDS = 30.0
"""A connection that the gateway has not accepted yet waits in the queue of its port: as long as strangers fill it."""
CONNECT_SECONDS = 2.0
"""Seconds for one try to connect. The next one is soon, and the loop must not stop for longer."""
RECONNECT_SECONDS = (0.02, 1.0)
"""The first and the longest pause before a new connection; each is twice the one before.

A cut is often over at once, and after that more tries help nobody.
"""
LAST_MESSAGES = Policy().notes_per_request + 1
"""The most messages that a bot can have sent before it ended: notes and an answer."""

Load = Callable[[str], tuple[Bot, tuple[str, ...]]]


class RemoteBot:
    """A bot on a remote seat, for all matches of its ticket.

    Args:
        load: Receives the name of a game, and returns the bot and the packages that the bot needs.
        patience: `run` raises an error if no data comes from the gateway for this many seconds.
    """

    def __init__(self, ticket: Ticket, load: Load, sandbox: str, patience: float, say: Callable[[str], None]) -> None:
        self._load = load
        self._sandbox = sandbox
        self._patience = patience
        self._say = say
        self._address = ticket.address
        self._server_key, self._keys = ticket.server_key, Keys.of(ticket.client_key)
        self._stream = Stream(os.urandom(SECRET_SIZE))
        self._poller = Poller()
        self._network: ZmtpConnection | None = None
        self._pause = RECONNECT_SECONDS[0]
        self._link: SeatLink | None = None
        self._process: BotProcess | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._heard = self._repeated = self._connected = time.monotonic()
        self._connects_at = self._tick = 0.0
        self._greeted = self._joined = self._ended = False
        self._polled = (-1, False)
        self.matches = 0

    def run(self) -> None:
        """Play until the host says that there are no more matches."""
        with self._poller:
            try:
                while not self._ended:
                    self._step()
            finally:
                self._end_bot()
                self._hang_up()

    def _step(self) -> None:
        """Wait for the next events and handle them."""
        for handler, number in self._poller.wait(min(TICK_SECONDS, self._pause)):
            handler(number)
        now = time.monotonic()
        if now >= self._tick:
            self._tick = now + min(TICK_SECONDS, self._pause)
            self._keep_time(now)

    # -- the connection ------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._connected = now = time.monotonic()
        host, port = split_address(self._address)
        try:
            connected = socket.create_connection((host.strip("[]"), port), min(CONNECT_SECONDS, self._patience))
            peer = CurveClient(limits.REFEREE_BYTES + HEADER_SIZE, self._server_key, self._keys)
            self._network = ZmtpConnection.encrypted(connected, peer)
        except OSError:
            self._retry(now)
            return
        self._network.poll(self._poller, self._on_network, 0)

    def _retry(self, now: float) -> None:
        self._connects_at = now + self._pause
        self._pause = min(2 * self._pause, RECONNECT_SECONDS[1])

    def _hang_up(self) -> None:
        if self._network is not None:
            self._poller.remove(self._network.descriptor)
            self._network.close()
            self._network = None

    def _on_network(self, _: int) -> None:
        network = self._network
        if network is None:
            return
        for message in network.receive():
            self._from_host(message)
        if isinstance(network.error, RefusedError):
            raise ArenaError(
                "The host refuses this ticket.",
                hint="A ticket ends with its `arena play`, or with its contest. Ask for a new one.",
                exit_code=ExitCode.BAD_TICKET,
            )
        if network.closed:
            self._lose_connection()
            return
        if network.greeted and not self._greeted:
            self._greeted = True
            self._pause = RECONNECT_SECONDS[0]
            self._connected = time.monotonic()
            self._join()
        network.poll(self._poller, self._on_network, 0)

    def _lose_connection(self) -> None:
        self._hang_up()
        self._retry(time.monotonic())
        if self._greeted and self._joined and not self._ended:
            self._say("The connection to the host is lost. Trying to resume it.")
        self._greeted = False

    # -- the host ------------------------------------------------------------------------------------

    def _from_host(self, data: bytes) -> None:
        received = parse(data)
        if received is not None and received.secret == self._stream.secret:
            self._heard = time.monotonic()
            self._on_frame(received, self._stream.take(received))

    def _on_frame(self, received: Frame, is_message: bool) -> None:
        if received.kind == FrameKind.REFUSED and self._joined:
            raise ArenaError(
                "The host has given up this seat: the connection was lost for too long, or the host was restarted.",
                hint="Join again with the same ticket.",
                exit_code=ExitCode.NOT_REACHED,
            )
        if received.kind == FrameKind.REFUSED:
            raise ArenaError(
                "Another bot has this seat: the ticket is in use.",
                hint="Only one bot at a time can use a ticket.",
                exit_code=ExitCode.BAD_TICKET,
            )
        if received.kind == FrameKind.PROBE:
            self._send(self._stream.control(FrameKind.ECHO, received.payload))
        elif received.kind == FrameKind.JOINED and not self._joined:
            self._joined = True
            self._say("Joined. The match begins when all are there.")
        elif is_message:
            match received.kind:
                case FrameKind.MATCH:
                    self._begin(json.loads(received.payload))
                case FrameKind.DATA if self._link is not None:
                    with contextlib.suppress(PeerError):
                        self._link.send(received.payload)
                    self._poll_link(self._link)
                case FrameKind.END:
                    self._end_bot()
                case FrameKind.BYE:
                    self._send(self._stream.control(FrameKind.ECHO))  # confirms that the message has arrived
                    self._ended = True

    def _send(self, data: bytes) -> None:
        # Without a connection, the frame is lost. If it contains a message, `_join` sends it again later.
        if self._network is not None and self._network.greeted and not self._network.closed:
            self._network.send(data)
            self._network.poll(self._poller, self._on_network, 0)

    def _join(self) -> None:
        """Ask the gateway for the seat, or to resume the session, and send all messages that it has not confirmed."""
        self._repeated = time.monotonic()
        self._send(self._stream.control(FrameKind.JOIN))
        for data in self._stream.unconfirmed():
            self._send(data)

    def _keep_time(self, now: float) -> None:
        if self._network is None:
            if now >= self._connects_at:
                self._connect()
        elif not self._network.greeted:
            if now - self._connected > HANDSHAKE_SECONDS:
                self._lose_connection()
        elif now - max(self._heard, self._connected) > SILENT_SECONDS:
            self._lose_connection()
        elif now - max(self._heard, self._repeated) >= REPEAT_SECONDS and not self._network.unsent:
            self._join()  # no probe came: the host has no session with this client
        if now - self._heard > self._patience and not self._joined:
            raise ArenaError(
                f"No host answers at {self._address} for {self._patience:g} s.",
                hint="A ticket ends with its `arena play`, or with its contest: ask whether the host still runs, "
                "and whether a firewall is between you.",
                exit_code=ExitCode.NOT_REACHED,
            )
        if now - self._heard > self._patience:
            raise ArenaError(
                f"The host does not answer for {self._patience:g} s.",
                hint="Ask whether `arena play` still runs, and whether a firewall is between you.",
                exit_code=ExitCode.NOT_REACHED,
            )

    # -- the bot -------------------------------------------------------------------------------------

    def _begin(self, announced: dict[str, Any]) -> None:
        self._end_bot()
        self.matches += 1
        self._say(f"Match {self.matches} of {announced['game']} begins.")
        bot, packages = self._load(str(announced["game"]))
        self._folder = tempfile.TemporaryDirectory(prefix="arena-join-", dir=socket_folder())
        self._link = link = SeatLink(Path(self._folder.name) / "seat", limits.CLIENT_BYTES)
        self._process = process = launch(
            bot, seat=0, socket=link.path, sandbox=self._sandbox, packages=packages, hold=False
        )
        self._polled = (-1, False)
        self._poll_link(link)
        self._poller.add(process.pidfd, self._on_death, self.matches)
        for output in (process.stdout, process.stderr):
            self._poller.add(output.fileno(), partial(self._on_output, output), self.matches)

    def _on_link(self, match: int) -> None:
        link = self._link
        if link is None or match != self.matches:
            return
        if not link.connected:
            if link.accept():
                self._poll_link(link)
            return
        link.flush()
        self._from_bot(link)
        self._poll_link(link)

    def _poll_link(self, link: SeatLink) -> None:
        """Poll the bot's socket for reading, and for writing while bytes wait."""
        descriptor, writes = link.fileno(), link.connected and link.wants_to_write
        if not link.closed and (descriptor, writes) != self._polled:
            self._polled = descriptor, writes
            self._poller.add(descriptor, self._on_link, self.matches, write=writes)

    def _from_bot(self, link: SeatLink) -> None:
        try:
            while (message := link.receive()) is not None:
                self._send(self._stream.message(FrameKind.DATA, message))
                if not link.read_ahead:
                    break
        except PeerError as error:
            self._say(f"The bot {error}.")
            link.closed = True
        if link.closed:
            self._poller.remove(link.fileno())
            link.close()

    def _on_output(self, output: Capture, match: int) -> None:
        descriptor = output.fileno()
        if match == self.matches and descriptor >= 0:
            output.drain()
            if output.closed:
                self._poller.remove(descriptor)

    def _on_death(self, match: int) -> None:
        process, link = self._process, self._link
        if process is None or link is None or match != self.matches or process.poll() is None:
            return
        for _ in range(LAST_MESSAGES):  # handle the messages that the bot sent before it ended
            if not link.closed:
                self._from_bot(link)
        self._on_bot_end(process)

    def _on_bot_end(self, process: BotProcess) -> None:
        ending = process.poll()
        if ending is not None and ending.code != 0:
            reason = f"The bot ended on its machine: {ending.reason}."
            self._send(self._stream.message(FrameKind.GONE, reason.encode()))
        self._end_bot()

    def _end_bot(self) -> None:
        process, link, folder = self._process, self._link, self._folder
        self._process = self._link = self._folder = None
        if process is not None and link is not None:
            for descriptor in (link.fileno(), process.pidfd, process.stdout.fileno(), process.stderr.fileno()):
                self._poller.remove(descriptor)
            end = time.monotonic() + END_GRACE
            while process.poll() is None and time.monotonic() < end:
                link.flush()
                time.sleep(0.005)
            process.close()
            for output in (process.stdout, process.stderr):
                for line in output.text().splitlines():
                    self._say(f"  | {line}")
            link.close()
        if folder is not None:
            folder.cleanup()
