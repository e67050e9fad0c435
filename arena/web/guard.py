"""Check every request before an application gets it, and set the headers of every answer."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from collections import Counter
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.pages.render import HEADERS, NO_PAGE
from arena.text.reading import whole_number
from arena.web.pages import error_page

LARGEST_BODY: Final = 48_000_000
"""The limit for what pages of this machine send, in bytes: two replays of 18 MB as base64 (`arena.web.local_pages`)."""
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.:\[\]-]{1,80}", re.IGNORECASE)
_HOST: Final = re.compile(r"(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d+)?", re.IGNORECASE)


class RefusedRequestError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """Middleware that refuses requests that our own pages would not send.

    A page of another site can reach a local server through the user's browser in two ways. The guard checks a header
    for each:

    * The page uses the server's address. Then the browser sends the other site's Origin.
    * The page uses a name that resolves to this machine (DNS rebinding). Then the browser sends this name as Host.

    Args:
        root: The prefix of every path: a slash and a random key. Empty for a public server.
        forms: Whether a public server accepts forms and uploads. The guard then checks only which site sends them.
            The application checks the person and the size.
        address: The address at which browsers reach this server through a proxy, such as https://arena.example.org:8443.
            Pages of this address may send forms, also if the proxy does not pass the port on.
        most: The limit for the number of requests that are answered at once. Each address gets a quarter of it, except
            this machine itself. Behind a reverse proxy on this machine, the address is the one that the proxy reports.
    """

    def __init__(
        self,
        app: ASGIApp,
        root: str,
        names: Iterable[str] = (),
        *,
        forms: bool = False,
        address: str = "",
        most: int = 512,
    ) -> None:
        self._app = app
        self._root = root
        self._forms = forms
        self._names = {"localhost", *(name.lower() for name in names)}
        self._origin = _origin_of(address)
        self._most = most
        self._answering: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] == "websocket":
            try:
                self._check_socket(scope["path"], Headers(scope=scope))
            except RefusedRequestError:
                return await send({"type": "websocket.close", "code": 1008})
            return await self._app({**scope, "root_path": self._root}, receive, send)

        started = False

        async def finish(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                _set_headers(message, forms=self._forms)
            await send(message)

        address = scope["client"][0] if scope.get("client") else ""

        async def refuse(status: int, message: str) -> None:
            await error_page(Request(scope), status, message, inside=False)(scope, receive, finish)

        try:
            self._check(scope["method"], scope["path"], Headers(scope=scope))
            self._check_load(address)
        except RefusedRequestError as error:
            return await refuse(error.status, str(error))
        self._answering[address] += 1
        try:
            return await self._app({**scope, "root_path": self._root}, receive, finish)
        except asyncio.CancelledError:  # the server stops; uvicorn would print a traceback for each such request
            if not started:
                await refuse(503, "The server is stopping. Try again later.")
        finally:
            self._answering[address] -= 1
            self._answering += Counter()  # forgets addresses without requests

    def _check_load(self, address: str) -> None:
        if self._answering.total() >= self._most:
            raise RefusedRequestError(503, "This server has too many visitors. Try again in a few seconds.")
        if self._answering[address] >= self._most // 4 and not _is_this_machine(address):
            raise RefusedRequestError(
                429, "Too many requests at once come from this address. Try again in a few seconds."
            )

    def _check_socket(self, path: str, headers: Headers) -> None:
        """Refuse a WebSocket unless a page of this server opens it. Browsers let pages of all sites open WebSockets.

        A public server refuses all WebSockets.
        """
        self._check("GET", path, headers)
        if not self._root or headers.get("origin") != f"http://{headers.get('host', '')}":
            raise RefusedRequestError(403, "Only this server's own pages may open a WebSocket.")

    def _check(self, method: str, path: str, headers: Headers) -> None:
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy that believes the other header sees other requests in the same bytes. h11 refuses the other ways
            # to give two lengths.
            raise RefusedRequestError(400, "The request has both a Content-Length and a Transfer-Encoding.")
        host = headers.get("host", "")
        if not self._is_own_name(host):
            raise RefusedRequestError(403, "This server has another name. Start it with --name NAME to add one.")
        if self._root and not secrets.compare_digest(path[: len(self._root) + 1].encode(), f"{self._root}/".encode()):
            raise RefusedRequestError(
                403, "The key in the address is missing or old. Open the address that the command printed."
            )
        if method in ("GET", "HEAD"):
            return
        if self._forms:
            self._check_sender(host, headers)
            return
        if not self._root:
            raise RefusedRequestError(405, "This server answers GET only.")
        media_type = headers.get("content-type", "").partition(";")[0]
        if headers.get("origin") != f"http://{host}" or media_type != "application/json":
            raise RefusedRequestError(403, "Only this server's own pages may send changes.")
        length = whole_number(headers.get("content-length", ""))
        if length is None or length > LARGEST_BODY:
            raise RefusedRequestError(413, f"The request is larger than {LARGEST_BODY} bytes, or gives no length.")

    def _check_sender(self, host: str, headers: Headers) -> None:
        """Refuse a change, except from a page of this server (its Origin) or from a program (a token, no Origin)."""
        origin = headers.get("origin", "")
        if origin in {f"http://{host}", f"https://{host}", self._origin} - {""}:
            return
        if origin or not headers.get("authorization"):
            raise RefusedRequestError(403, self._not_own(host, origin))

    def _not_own(self, host: str, origin: str) -> str:
        """Name the reason for which a change is refused. If a proxy causes it, this is for the organizer."""
        text = "Only this server's own pages, and programs with a token, may send changes."
        name = urlsplit(origin).hostname if _ORIGIN.fullmatch(origin) else None
        if name is None or not self._is_own_name(name):
            return text
        return (
            f"{text} This page has the address {origin}, but the request was for {host}: a proxy in between does not "
            "pass the port on. The organizer can set `address` in contest.toml, or let the proxy pass the whole header "
            "Host (nginx: `proxy_set_header Host $http_host;`)."
        )

    def _is_own_name(self, host: str) -> bool:
        """Return whether a Host header is safe: a name of this machine, or an IP address, which DNS cannot redirect."""
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts[1].lower().strip("[]")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


def _origin_of(address: str) -> str:
    """Return the header Origin that browsers send from pages of an address; empty for an empty address."""
    if not address:
        return ""
    parts = urlsplit(address.lower())
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if parts.port in (None, {"https": 443, "http": 80}.get(parts.scheme)):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{parts.port}"


def _is_this_machine(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _set_headers(message: Message, *, forms: bool) -> None:
    headers = MutableHeaders(scope=message)
    cache_control = headers.get("Cache-Control", HEADERS["Cache-Control"])
    headers.update(HEADERS | {"Cache-Control": cache_control})
    if forms:  # under the policy "no-referrer", browsers would send forms with "Origin: null"
        headers["Referrer-Policy"] = "same-origin"
    headers.setdefault("Content-Security-Policy", NO_PAGE)
    if message["status"] >= 400:
        headers["Connection"] = "close"  # so that the rest of a refused request is not read as another request
