"""Serves replays to a browser on this machine: pages, modules, and the bytes of files that may still be growing."""

from __future__ import annotations

import html
import os
import re
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from arena_replays import page
from arena_replays.errors import CannotWrite, ReplayError
from arena_replays.export import title_of
from arena_replays.reader import Reader

RendererFor = Callable[[dict[str, Any]], str | None]
Match = str | Path | Sequence[str | Path]

WAIT: Final = 20.0  # seconds until a request for what is new is answered with nothing
LOOK: Final = 0.03  # seconds between two looks at a growing file
NAME: Final = re.compile(r"[a-z_]+(/[a-z_]+)?\.(js|css)")
LIST_POLICY: Final = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"


class Server(ThreadingHTTPServer):
    """Serves some replays under one address.

    Args:
        matches: The replays; those of the two legs of one match together.
        port: 0 for any that is free.
        renderer_for: Gives the source of the renderer for a replay's header, or None for the default one.
        live: Pages follow files that have no end yet.

    Raises:
        CannotWrite: The port is taken.
        NotAReplay, UnknownVersion, DamagedReplay: A file is not a replay.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self, matches: Sequence[Match], port: int = 0, renderer_for: RendererFor | None = None, *, live: bool = False
    ) -> None:
        self.paths: list[Path] = []
        self.legs: list[tuple[int, ...]] = []
        self.titles: list[str] = []
        self.live = live
        self.renderer_for = renderer_for or (lambda _header: None)
        for match in matches:
            self.add(match)
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            raise _port_taken(port, error) from None

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self.server_address[1]}/" + ("view/0" if len(self.legs) == 1 else "")

    def add(self, match: Match) -> str:
        """Takes in one more match; returns the address of its page on this server.

        Raises:
            NotAReplay, UnknownVersion, DamagedReplay: A file is not a replay.
        """
        legs = [Path(match)] if isinstance(match, str | Path) else [Path(path) for path in match]
        readers = [Reader(path) for path in legs]
        first = len(self.paths)
        self.paths += legs
        self.titles.append(title_of(readers[0], len(legs)))
        self.legs.append(tuple(range(first, first + len(legs))))
        return f"/view/{first}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle of an answer is no news."""


def check_port(port: int, host: str = "127.0.0.1") -> None:
    """Finds out whether a server could be started, before there is anything to serve.

    Args:
        port: 0 for any that is free.
        host: The address to listen at.

    Raises:
        CannotWrite: The port is taken, or the address is none of this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as error:
        raise _port_taken(port, error) from None


def _port_taken(port: int, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(f"Port {port} cannot be used: {reason}.", hint="Choose another with --port.")


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Keeps the terminal quiet."""

    def do_GET(self) -> None:
        """Answers a page, a module, or the bytes of a replay."""
        split = urlsplit(self.path)
        routes: list[tuple[str, Callable[..., None]]] = [
            (r"/", self._list),
            (r"/view/(\d+)", self._view),
            (r"/compare/(\d+)/(\d+)", self._compare),
            (r"/renderer/(\d+)\.js", self._renderer),
            (r"/replay/(\d+)", partial(self._replay, parse_qs(split.query))),
            (r"/viewer/(.+)", self._asset),
        ]
        if not self._is_for_us():
            return self._send(403, b"This server answers to this machine only.", "text/plain")
        for pattern, answer in routes:
            match = re.fullmatch(pattern, split.path)
            if match and all(not part.isdigit() or int(part) < len(self.server.paths) for part in match.groups()):
                return answer(*match.groups())
        return self._send(404, b"There is nothing here.", "text/plain")

    def _is_for_us(self) -> bool:
        """Whether the request names this machine: a page elsewhere must not read replays through a name of its own."""
        port = self.server.server_address[1]
        return self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}", "127.0.0.1", "localhost")

    def send_response(self, code: int, message: str | None = None) -> None:
        """Close the connection after every refusal and every request with a body, which else became a request."""
        super().send_response(code, message)
        body = "Content-Length" in self.headers or "Transfer-Encoding" in self.headers
        if code >= 400 or body or self.command != "GET":
            self.send_header("Connection", "close")

    def _list(self) -> None:
        server = self.server
        items = "".join(
            f'<li><a href="/view/{legs[0]}">{html.escape(title)}</a> '
            f"<small>{html.escape(', '.join(server.paths[at].name for at in legs))}</small></li>"
            for legs, title in zip(server.legs, server.titles, strict=True)
        )
        if len(server.paths) == 2:
            items += '<li><a href="/compare/0/1">Both side by side</a></li>'
        text = (
            '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<title>Replays</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/viewer/style.css">'
            f'<div class="list"><h1>Replays</h1><ul>{items}</ul></div>'
        )
        self._send(200, text.encode(), "text/html", {"Content-Security-Policy": LIST_POLICY})

    def _view(self, at: str) -> None:
        number, legs = next((number, legs) for number, legs in enumerate(self.server.legs) if int(at) in legs)
        listed = [{"url": f"/replay/{leg}", "live": self.server.live} for leg in legs]
        self._page({"legs": listed, "leg": legs.index(int(at))}, at, self.server.titles[number])

    def _compare(self, one: str, other: str) -> None:
        self._page({"legs": [{"url": f"/replay/{one}"}], "other": {"url": f"/replay/{other}"}}, one, "Two replays")

    def _page(self, config: dict[str, Any], at: str, title: str) -> None:
        text, policy = page.served_page(config, f"/renderer/{at}.js", title)
        self._send(200, text.encode(), "text/html", {"Content-Security-Policy": policy})

    def _renderer(self, at: str) -> None:
        try:
            source = self.server.renderer_for(Reader(self.server.paths[int(at)]).header)
        except ReplayError as error:
            return self._send(410, error.sentence.encode(), "text/plain")
        return self._send(200, page.renderer_or_default(source).encode(), "text/javascript")

    def _asset(self, name: str) -> None:
        if name == "style.css":
            return self._send(200, page.style().encode(), "text/css")
        if not NAME.fullmatch(name):
            return self._send(404, b"There is nothing here.", "text/plain")
        try:
            return self._send(200, page.asset(name).encode(), "text/javascript")
        except OSError:
            return self._send(404, b"There is nothing here.", "text/plain")

    def _replay(self, query: dict[str, list[str]], at: str) -> None:
        path = self.server.paths[int(at)]
        try:
            if "from" not in query:
                return self._send(200, path.read_bytes(), "application/octet-stream")
            have = int(query["from"][0])
            known = query.get("generation", [""])[0]
            return self._send_new(path, have, known)
        except (OSError, ValueError):
            return self._send(410, b"The replay is not there any more.", "text/plain")

    def _send_new(self, path: Path, have: int, known: str) -> None:
        """Answers with what a growing file has gained, as soon as it has; or with all of the file that replaced it."""
        end = time.monotonic() + WAIT
        while True:
            status = path.stat()
            generation = str(status.st_ino)
            if generation != known or status.st_size > have or time.monotonic() > end:
                break
            time.sleep(LOOK)
        data = path.read_bytes()
        whole = generation != known
        headers = {"X-Arena-Generation": generation, "X-Arena-Whole": "1" if whole else "0"}
        self._send(200, data if whole else data[have:], "application/octet-stream", headers)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind if kind.startswith("application") else f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def has_screen() -> bool:
    """Whether a browser could be opened; without a screen one would start in the terminal."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in names)


def serve(
    matches: Sequence[Match],
    port: int = 0,
    open_browser: bool = True,
    renderer_for: RendererFor | None = None,
    *,
    live: bool = False,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serves replays until it is interrupted.

    Args:
        matches: The replays, those of the two legs of one match together; two or more make a list.
        port: 0 for any that is free.
        open_browser: Opens the address.
        renderer_for: Gives the source of the renderer for a replay's header, or None for the default one.
        live: Pages follow files that have no end yet.
        announce: Called once with the address.

    Raises:
        CannotWrite: The port is taken.
        NotAReplay, UnknownVersion, DamagedReplay: A file is not a replay.
    """
    with Server(matches, port, renderer_for, live=live) as server:
        if announce is not None:
            announce(server.url)
        if open_browser and has_screen():
            webbrowser.open(server.url)
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            return
