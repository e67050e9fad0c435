"""The connection to one seat: a listening socket that accepts one peer, and messages in both directions.

`Poller` calls handlers for descriptors, `SeatLink` is the socket with the protocol of ZeroMQ (no I/O of its own is in
`arena_player.wire.zmtp`; why not libzmq: docs/decisions/003-own-zmtp-end.md), and `SeatConnection` is a link with the
process at its other end. No call here waits, apart from the two that say so: for a stack, and for the end of a bot.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from arena.bots.exit import Exit
from arena.bots.process import BotProcess
from arena.play.referee.clock import Reading
from arena_player.wire import limits
from arena_player.wire.zmtp import HELLO, Peer, PeerError, frame

# A poller that knows which handler to call for each descriptor.

Handler = Callable[[int], None]

MAX_EVENTS = 16
"""The most events of one call. The poller allocates memory for all of them at each call.

Two players have eight descriptors. What does not fit is reported by the next call.
"""
HAS_EPOLL = hasattr(select, "epoll")
"""Whether the system has epoll (Linux). Other systems use `select.poll`, which is slower."""


class Poller:
    """Returns the handlers to call, with a player's number, for the descriptors that are ready.

    The caller can add or remove a descriptor repeatedly. A closed descriptor does not need to be removed: the kernel
    polls it no longer.
    """

    def __init__(self) -> None:
        self._poller: Any = select.epoll() if HAS_EPOLL else select.poll()
        self._sources: dict[int, tuple[Handler, int]] = {}

    def add(self, descriptor: int, handler: Handler, player: int, *, read: bool = True, write: bool = False) -> None:
        """Poll a descriptor for reading, for writing or for both. If both are false, stop polling the descriptor."""
        events = (select.POLLIN if read else 0) | (select.POLLOUT if write else 0)
        if not events:
            self.remove(descriptor)
            return
        change, change_otherwise = self._poller.register, self._poller.modify
        if descriptor in self._sources:
            change, change_otherwise = change_otherwise, change
        self._sources[descriptor] = (handler, player)
        try:
            change(descriptor, events)
        except (FileNotFoundError, FileExistsError):  # the number belonged to a descriptor that was closed since
            change_otherwise(descriptor, events)

    def remove(self, descriptor: int) -> None:
        """Stop polling a descriptor. Do nothing if it is not polled. The descriptor can already be closed."""
        if self._sources.pop(descriptor, None) is not None:
            try:
                self._poller.unregister(descriptor)
            except (OSError, KeyError):
                return  # it was closed, so the kernel has forgotten it

    def wait(self, seconds: float | None) -> list[tuple[Handler, int]]:
        """Wait until a descriptor is ready or the time has passed, and return the handlers to call."""
        if HAS_EPOLL:
            ready = self._poller.poll(seconds, MAX_EVENTS)
        else:
            ready = self._poller.poll(None if seconds is None else 1000 * seconds)  # milliseconds
        return [self._sources[descriptor] for descriptor, _ in ready if descriptor in self._sources]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if HAS_EPOLL:
            self._poller.close()


READ_SIZE = 4_096  # most messages are smaller; each read allocates all these bytes
MAX_UNREAD = 3 * limits.REFEREE_BYTES
"""Limit of bytes that wait for the peer: three messages of the largest size, ``result``, ``turn`` and ``over``."""


def send_waiting(connected: socket.socket, waiting: deque[memoryview]) -> bool:
    """Send waiting bytes until the kernel's buffer is full. Return False if the peer is gone."""
    while waiting:
        try:
            written = connected.send(waiting[0])
        except BlockingIOError:
            return True
        except OSError:
            return False
        if written == len(waiting[0]):
            waiting.popleft()
        else:
            waiting[0] = waiting[0][written:]
    return True


class SeatLink:
    """The referee's end of the connection to one seat. The seat is identified by the socket, not by data from the peer.

    Args:
        limit: The largest size of a message from the peer, in bytes.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.closed = False
        self._peer = Peer(limit)
        self._unread: deque[memoryview] = deque([memoryview(HELLO)])
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(str(path))
        os.chmod(path, 0o666)  # the sandbox can run as another user; the folder keeps all other users out
        self._listener.listen(1)

    @property
    def connected(self) -> bool:
        return self._connection is not None

    @property
    def wants_to_write(self) -> bool:
        """Whether bytes wait to be sent to the peer."""
        return bool(self._unread)

    @property
    def unread(self) -> int:
        """The number of bytes that wait to be sent, without those in the kernel's buffer."""
        return sum(map(len, self._unread)) if self._unread else 0

    @property
    def read_ahead(self) -> bool:
        """Whether the link holds bytes of another message, whole or unfinished. The poller does not report them."""
        return self._peer.holds_bytes

    @property
    def has_unread(self) -> bool:
        """Whether the peer has sent something that was not received, or has not read everything."""
        if self._connection is None or self.wants_to_write or self.read_ahead:
            return True
        try:
            self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def fileno(self) -> int:
        """Return the descriptor to poll; -1 after `close`."""
        open_socket = self._connection or self._listener
        return -1 if open_socket is None else open_socket.fileno()

    def accept(self) -> bool:
        """Accept the first peer and remove the socket file. Return whether a peer was waiting."""
        if self._listener is None:
            return False
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionError):
            return False
        connection.setblocking(False)
        self._listener.close()
        self._listener = None
        with contextlib.suppress(OSError):
            self.path.unlink()
        self._connection = connection
        self.flush()
        return True

    def send(self, payload: bytes) -> None:
        """Send one message, now or as soon as the peer reads."""
        self._unread.append(memoryview(frame(payload)))
        self.flush()
        if self._unread and self.unread > MAX_UNREAD:
            self._unread.clear()
            raise PeerError(f"left more than {MAX_UNREAD} bytes unread")

    def flush(self) -> None:
        """Send waiting bytes until the kernel's buffer is full."""
        if self._connection is not None and not send_waiting(self._connection, self._unread):
            self._unread.clear()  # the next read reports that the peer is gone

    def receive(self) -> bytes | None:
        """Return the next message; None if it is incomplete, or if the peer has closed the connection (see `closed`).

        The link reads at most `READ_SIZE` bytes beyond the message. If a peer sends more, the rest waits in the peer's
        own socket.
        """
        peer = self._peer
        message = peer.next_message()
        while message is None and self._connection is not None:
            try:
                data = self._connection.recv(min(READ_SIZE, peer.room))
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.closed = True
                break
            peer.feed(data)
            message = peer.next_message()
        if peer.replies:
            self._unread.append(memoryview(peer.replies))
            peer.replies = b""
            self.flush()
        return message

    def close(self) -> None:
        self.closed = True
        for open_socket in (self._connection, self._listener):
            if open_socket is not None:
                open_socket.close()
        self._connection = self._listener = None
        with contextlib.suppress(OSError):
            self.path.unlink()


# The link and the process of a seat.

STACK_SECONDS = 1.0
"""Seconds in which a program can print its stack after its time has run out.

On a busy machine a program waits for a processor between two writes: with 0.3 s, stacks were cut in half.
"""
STACK_BYTES = 16 * 1024
"""Bytes of stdout and of stderr that the replay keeps free for the stack that a program prints after a time-out.

A stack of Python has 100 frames at most, of some 100 bytes each.
"""
STACK_PAUSE = 0.03
"""Seconds without output after which a stack counts as complete, if its last line is.

Chosen, not measured: more than the pause between two writes of a program that runs, and not felt by who waits.
"""


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
