"""Let a bot of this machine play on a seat of another machine, for `arena join`."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from arena.bots.bot import Bot
from arena.bots.launch import launch
from arena.bots.process import BotProcess
from arena.errors import ArenaError, ExitCode
from arena.referee.seat_link import SeatLink
from arena.seats.stream import HEADER_SIZE, SECRET_SIZE, Frame, FrameKind, Stream, parse
from arena.seats.ticket import Ticket
from arena_player.wire import limits
from arena_player.wire.zmtp import PeerError

END_GRACE = 1.0
"""A bot that has not exited this many seconds after the end of its match is killed."""
POLL_MILLISECONDS = 200
REPEAT_SECONDS = 1.0
RECONNECT_MILLISECONDS = (20, 1_000)
LAST_MESSAGES = 65
"""The most messages that a bot can have sent before it ended: notes and an answer."""

Load = Callable[[str], tuple[Bot, tuple[str, ...]]]


class Joined:
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
        self._stream = Stream(os.urandom(SECRET_SIZE))
        self._context = zmq.Context()
        self._network = self._socket(ticket)
        # Start the monitor before the socket connects: it does not report events from before its start.
        self._monitor = self._network.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_DISCONNECTED
        )
        self._network.connect(ticket.address)
        self._link: SeatLink | None = None
        self._process: BotProcess | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._heard = self._repeated = time.monotonic()
        self._joined = False
        self.matches = 0
        self._watched: dict[Any, int] = {}

    def _socket(self, ticket: Ticket) -> zmq.Socket[bytes]:
        network = self._context.socket(zmq.DEALER)
        public = zmq.curve_public(z85.encode(ticket.client_key))
        network.curve_serverkey = z85.encode(ticket.server_key)
        network.curve_publickey = public
        network.curve_secretkey = z85.encode(ticket.client_key)
        network.linger = 500
        network.setsockopt(zmq.IMMEDIATE, 1)
        network.setsockopt(zmq.MAXMSGSIZE, limits.REFEREE_BYTES + HEADER_SIZE)
        network.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MILLISECONDS[0])
        network.setsockopt(zmq.RECONNECT_IVL_MAX, RECONNECT_MILLISECONDS[1])
        network.setsockopt(zmq.HEARTBEAT_IVL, 1000)
        network.setsockopt(zmq.HEARTBEAT_TIMEOUT, 3000)
        network.setsockopt(zmq.IPV6, "[" in ticket.address)
        return network

    def run(self) -> None:
        """Play until the host says that there are no more matches."""
        try:
            while self._step():
                pass
        finally:
            self._end_bot()
            self._network.disable_monitor()
            self._monitor.close(0)
            self._network.close()
            self._context.term()

    def _step(self) -> bool:
        """Wait for the next event and handle it. Return whether there are more matches."""
        link, process = self._link, self._process
        wanted: dict[Any, int] = {self._network: zmq.POLLIN, self._monitor: zmq.POLLIN}
        if process is not None:
            wanted[process.pidfd] = zmq.POLLIN
        if link is not None and link.fileno() >= 0:
            waits = link.connected and link.wants_to_write
            wanted[link.fileno()] = zmq.POLLIN | (zmq.POLLOUT if waits else 0)
        for output in (process.stdout, process.stderr) if process is not None else ():
            if output.fileno() >= 0:
                wanted[output.fileno()] = zmq.POLLIN
        if wanted != self._watched:
            self._watched = wanted
            self._poller = zmq.Poller()
            for source, events in wanted.items():
                self._poller.register(source, events)
        ready = dict(self._poller.poll(POLL_MILLISECONDS))
        if self._monitor in ready:
            self._on_event(int(recv_monitor_message(self._monitor)["event"]))
        if link is not None and link.fileno() in ready:
            self._from_bot(link)
        if process is not None:
            for output in (process.stdout, process.stderr):
                if output.fileno() in ready:
                    output.drain()
            if process is self._process and process.pidfd in ready and process.poll() is not None and link is not None:
                for _ in range(LAST_MESSAGES):  # handle the messages that the bot sent before it ended
                    self._from_bot(link)
                self._on_bot_end(process)
        if self._network in ready and not self._from_host():
            return False
        self._keep_time()
        return True

    # -- the host ------------------------------------------------------------------------------------

    def _on_event(self, event: int) -> None:
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            raise ArenaError(
                "The host refuses this ticket.",
                hint="A ticket ends with its `arena host`, or with its tournament. Ask for a new one.",
                exit_code=ExitCode.BAD_TICKET,
            )
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._join()
        elif event == zmq.EVENT_DISCONNECTED and self._joined:
            self._say("The connection to the host is lost. Trying to resume it.")

    def _from_host(self) -> bool:
        try:
            parts = self._network.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return True
        received = parse(parts[0]) if len(parts) == 1 else None
        if received is None or received.secret != self._stream.secret:
            return True
        self._heard = time.monotonic()
        return self._on_frame(received, self._stream.take(received))

    def _on_frame(self, received: Frame, is_message: bool) -> bool:
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
            self._send(self._stream.other(FrameKind.ECHO, received.payload))
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
                case FrameKind.END:
                    self._end_bot()
                case FrameKind.BYE:
                    self._send(self._stream.other(FrameKind.ECHO))  # confirms that the message has arrived
                    return False
        return True

    def _send(self, data: bytes) -> None:
        # Without a connection, the frame is lost. If it contains a message, `_repeat` sends it again later.
        with contextlib.suppress(zmq.Again):
            self._network.send(data, zmq.NOBLOCK)

    def _join(self) -> None:
        """Ask the gateway for the seat. After a lost connection, ask it to resume the session."""
        self._send(self._stream.other(FrameKind.JOIN))
        self._repeat()

    def _repeat(self) -> None:
        self._repeated = time.monotonic()
        for data in self._stream.again():
            self._send(data)

    def _keep_time(self) -> None:
        now = time.monotonic()
        if now - self._repeated >= REPEAT_SECONDS:
            if now - self._heard >= REPEAT_SECONDS:  # no probe came: the host has no session with this client
                self._join()
            else:
                self._repeat()
        if now - self._heard > self._patience and not self._joined:
            raise ArenaError(
                f"No host answers at {self._address} for {self._patience:g} s.",
                hint="A ticket ends with its `arena host`, or with its tournament: ask whether the host still runs, "
                "and whether a firewall is between you.",
                exit_code=ExitCode.NOT_REACHED,
            )
        if now - self._heard > self._patience:
            raise ArenaError(
                f"The host does not answer for {self._patience:g} s.",
                hint="Ask whether `arena host` still runs, and whether a firewall is between you.",
                exit_code=ExitCode.NOT_REACHED,
            )

    # -- the bot -------------------------------------------------------------------------------------

    def _begin(self, about: dict[str, Any]) -> None:
        self._end_bot()
        self.matches += 1
        self._say(f"Match {self.matches} of {about['game']} begins.")
        bot, packages = self._load(str(about["game"]))
        self._folder = tempfile.TemporaryDirectory(prefix="arena-join-")
        self._link = SeatLink(Path(self._folder.name) / "seat", limits.CLIENT_BYTES)
        self._process = launch(
            bot, seat=0, socket=self._link.path, sandbox=self._sandbox, packages=packages, hold=False
        )

    def _from_bot(self, link: SeatLink) -> None:
        if not link.connected:
            link.accept()
            return
        link.flush()
        try:
            while (message := link.receive()) is not None:
                self._send(self._stream.message(FrameKind.DATA, message))
                if not link.read_ahead:
                    break
        except PeerError as error:
            self._say(f"The bot {error}.")
            link.close()

    def _on_bot_end(self, process: BotProcess) -> None:
        ending = process.poll()
        if ending is not None and ending.code != 0:
            self._send(self._stream.message(FrameKind.GONE, f"The bot ended on its machine: {ending.reason}.".encode()))
        self._end_bot()

    def _end_bot(self) -> None:
        process, link, folder = self._process, self._link, self._folder
        self._process = self._link = self._folder = None
        if process is not None and link is not None:
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
