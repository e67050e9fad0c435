"""Run a web application on a port of this machine, until Ctrl-C or in a thread.

`Server` puts the guard (`arena.web.guard`) before the application, and limits what connections can take of the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.errors import ArenaError, ExitCode
from arena.web.guard import Guard

# The connections of a server: how many there may be, and how long they may be silent.
#
# Without limits, 1,100 half-sent requests took all descriptors of a process. Connections without a request that is
# being answered give way to new ones, oldest first. So nobody can take all descriptors with connections that say
# nothing, and half of them stays free for the replays and the matches of this process. The numbers are chosen, not
# measured: they are generous to a slow telephone, and each silent connection ends within half a minute.

SECONDS: Final = 10.0
"""Time limit for the header of a request, and the period in which a body must bring `LEAST_BODY` bytes."""
LEAST_BODY: Final = 10_240
"""One KiB a second: an upload over the slowest mobile network is faster, and one that drips byte by byte is not."""
_MOST_STUCK: Final = 3
"""The number of periods in which a client may read nothing of its answer, as in a tunnel."""
_LEAST_IDLE: Final = 32
"""The number of idle connections that there may be in any case, also beyond `Connections.most`. If all others are busy,
the guard answers on them that there are too many visitors; otherwise a crowd would see connections that just end.
Chosen, not measured: browsers open up to six connections to a server, so about five visitors are told at a time."""


def _descriptors() -> int:
    """Return how many descriptors this process may have; 1024 without a limit, and where there is no such limit."""
    try:
        import resource
    except ImportError:
        return 1024
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1024 if limit == resource.RLIM_INFINITY else limit


class Connections:
    """The connections of one server. A connection is busy while a request of it is being answered, or else idle.

    Attributes:
        most: The limit for their number: half of the descriptors of this process, at most 512, since the event loop is
            one thread.
        backlog: The number of connections that the event loop accepts at once, before it counts them: an eighth of the
            descriptors, so that they are there even if half of them are in use already.
    """

    def __init__(self) -> None:
        files = _descriptors()
        self.most = min(512, files // 2)
        self.backlog = min(128, files // 8)
        self._busy: set[LimitedConnection] = set()
        self._idle: dict[LimitedConnection, None] = {}

    def protocol(self, **settings: Any) -> LimitedConnection:
        return LimitedConnection(self, **settings)

    def add(self, connection: LimitedConnection) -> None:
        """Count a new connection, and close the oldest idle one if there are too many."""
        if len(self._busy) + len(self._idle) >= self.most and len(self._idle) >= _LEAST_IDLE:
            next(iter(self._idle)).abort()
        self._idle[connection] = None

    def begin(self, connection: LimitedConnection) -> None:
        if connection in self._idle:
            del self._idle[connection]
            self._busy.add(connection)

    def end(self, connection: LimitedConnection) -> None:
        if connection in self._busy:
            self._busy.remove(connection)
            self._idle[connection] = None

    def remove(self, connection: LimitedConnection) -> None:
        self._busy.discard(connection)
        self._idle.pop(connection, None)


class LimitedConnection(H11Protocol):
    """A connection that must bring its requests, and read its answers, in reasonable time."""

    def __init__(self, connections: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._all = connections
        self._timer: asyncio.TimerHandle | None = None
        self._awaits_header = True
        self._body = self._stuck = self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._all.add(self)
        self._call_later(self.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, and set its time limit."""
        before = self.cycle
        self._body += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._begin()
        elif self.cycle is not None and self.cycle.response_complete and not self._awaits_header:
            self._awaits_header = True  # the first bytes of the next request
            self._call_later(self.abort)

    def on_response_complete(self) -> None:
        """Count the connection as idle, unless its next request has already arrived."""
        self._all.end(self)
        before = self.cycle
        super().on_response_complete()  # begins the next request, if it has already arrived
        if self.cycle is not before:
            self._begin()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def abort(self) -> None:
        self._leave()
        self.transport.abort()

    def _begin(self) -> None:
        self._all.begin(self)
        self._awaits_header = False
        self._body = self._stuck = self._unread = 0
        self._call_later(self._check_progress)

    def _check_progress(self) -> None:
        waits_for_body = self.cycle.more_body and not (
            self.cycle.response_complete or self.cycle.waiting_for_100_continue or self.flow.read_paused
        )
        unread = self.transport.get_write_buffer_size()
        self._stuck = self._stuck + 1 if unread and unread == self._unread else 0
        if (waits_for_body and self._body < LEAST_BODY) or self._stuck >= _MOST_STUCK:
            self.abort()
            return
        self._body, self._unread = 0, unread
        self._call_later(self._check_progress)

    def _call_later(self, call: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(SECONDS, call)

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._awaits_header = True
        self._all.remove(self)


LARGEST_SOCKET_MESSAGE = 65_536
"""The limit for what a page sends through a WebSocket, in bytes. It sends the number of an action."""
_SWITCH = 0.0005
"""Seconds after which a thread that computes a table lets the threads that answer requests run. With Python's 5 ms, a
small answer took up to 265 ms while the standings of 20,000 results were computed."""


class Server:
    """One application on one port. A guard checks every request first.

    Args:
        public: If true, everybody is allowed to read. Writing is possible only with `forms`. If false, every address
            contains a random key, and everybody who has the key is allowed to read and write.
        address: The address at which browsers reach the application through a proxy; empty without a proxy.
    """

    def __init__(
        self,
        app: Starlette,
        port: int = 0,
        host: str = "127.0.0.1",
        *,
        public: bool = False,
        names: Iterable[str] = (),
        sockets: bool = False,
        forms: bool = False,
        address: str = "",
    ) -> None:
        self._socket = _listen(host, port)
        # Connections inherit this option. Without it, the body of an answer waits 40 ms for the ACK of its header.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = f"[{host}]" if ":" in host else host
        self._root = "" if public else f"/{secrets.token_urlsafe(16)}"
        connections = Connections()
        config = uvicorn.Config(
            Guard(app, self._root, names, forms=forms, address=address, most=connections.most),
            http=connections.protocol,  # type: ignore[arg-type]  # uvicorn calls it like a class
            backlog=connections.backlog,
            ws="websockets-sansio" if sockets else "none",
            ws_max_size=LARGEST_SOCKET_MESSAGE,
            ws_per_message_deflate=False,
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = uvicorn.Server(config)
        app.state.stopping = lambda: self._uvicorn.should_exit
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        port: int = self._socket.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """The address for browsers: of this machine in its network, if the server listens on all addresses."""
        url = f"http://{self._host}:{self.port}{self._root}/"
        return address_for_others(url) if self._host in ("0.0.0.0", "[::]") else url

    def run(self) -> None:
        """Serve until the user presses Ctrl-C."""
        with self._stopped_by_signals(), contextlib.suppress(KeyboardInterrupt):
            self._uvicorn.run([self._socket])

    @contextlib.contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        """Let signals stop the server also before it listens to them, in place of an exception in its beginning."""

        def stop(*_: object) -> None:
            self._uvicorn.should_exit = True

        signals = (signal.SIGINT, signal.SIGTERM)
        changed = [number for number in signals if signal.getsignal(number) is signal.default_int_handler]
        for number in changed:
            signal.signal(number, stop)
        try:
            yield
        finally:
            for number in changed:
                signal.signal(number, signal.default_int_handler)

    def start(self) -> None:
        """Serve in a new thread."""
        self._thread = threading.Thread(target=self._uvicorn.run, args=([self._socket],), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread of `start`, and free the port."""
        self._uvicorn.should_exit = True
        if self._thread is not None:
            self._thread.join(5)
        self._socket.close()


@contextlib.contextmanager
def short_switches() -> Iterator[None]:
    """Let no thread of this process run for long while others wait."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def address_for_others(address: str) -> str:
    """Return an address that reaches this machine from others, for one that names it as it names itself."""
    parts = urlsplit(address)
    if parts.hostname not in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::"):
        return address
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{_own_address()}{port}"))


def _own_address() -> str:
    """Return the address of this machine in its network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (UnicodeError, socket.gaierror):
        raise ArenaError(f"{host!r} is not an address to serve on.", exit_code=ExitCode.CANNOT_WRITE) from None
    except OSError as error:
        # Some errors have a long text of their own. Use the short text of strerror.
        reason = (os.strerror(error.errno) if error.errno else str(error)).lower()
        raise ArenaError(
            f"Port {port} cannot be used: {reason}.",
            hint="Choose another with --port.",
            exit_code=ExitCode.CANNOT_WRITE,
        ) from None


def serve(
    app: Starlette, port: int, announce: Callable[[str], None], *, page: str = "", open_browser: bool = True
) -> None:
    """Serve an application to this machine until the user presses Ctrl-C."""
    server = Server(app, port)
    announce(server.url + page)
    if open_browser:
        show(server.url + page)
    server.run()


def show(url: str) -> None:
    """Open an address in the browser, if there is a screen. Without a screen, a text browser would fill the terminal.

    Assume a screen on Windows and macOS, and elsewhere if DISPLAY, WAYLAND_DISPLAY or BROWSER is set.
    """
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in screens):
        webbrowser.open(url)
