"""Run a web application on a port of this machine, until Ctrl-C or in a thread."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

import uvicorn
from starlette.applications import Starlette

from arena.errors import ArenaError, ExitCode
from arena.web.browser import show
from arena.web.connections import Connections
from arena.web.guard import Guard

LARGEST_SOCKET_MESSAGE = 65_536
_SWITCH = 0.0005
"""Seconds after which a thread that computes a table lets the threads that answer requests run."""


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
        return f"http://{self._host}:{self.port}{self._root}/"

    def run(self) -> None:
        """Serve until the user presses Ctrl-C."""
        with self._stopped_by_signals(), contextlib.suppress(KeyboardInterrupt):
            self._uvicorn.run([self._socket])

    @contextlib.contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        """Let signals stop the server also before it listens to them, in place of an exception in its beginning."""

        def stop(*_: object) -> None:
            self._uvicorn.should_exit = True

        changed = [
            one for one in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(one) is signal.default_int_handler
        ]
        for one in changed:
            signal.signal(one, stop)
        try:
            yield
        finally:
            for one in changed:
                signal.signal(one, signal.default_int_handler)

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
