"""The pages of people who play. Each page has a secret address, and shows what the referee sends to its seat.

The referee sees a person as it sees a bot (`arena.play.seats.waiting`). `Person` waits in a thread for the matches of
one seat, and `SeatMatch` takes the messages of one of them. A page gets all messages from the first one on, so that it
can be closed and opened again. It sends back the number of a legal action, never an action: the list is the referee's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgpack
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from arena.bots.seat_program import FINISHED, LOST, RESIGNED
from arena.play.referee.prepared import PreparedMatch
from arena.play.seats.waiting import PipeOffer, PipeWaiting, SeatClient, SeatOffer, Waiting, wants_action
from arena.study.replaying.presentation import renderer_of
from arena.web.pages import application, assets, renderer_routes, viewer_page
from arena.web.rulebook import has_rules, rules_routes
from arena.web.server import Server
from arena_player.errors import PlayerError

GOODBYE = 2.0
"""Time limit in seconds for sending the end of the last match to the pages. A page of this machine has it at once; the
rest is for a page on a slow network."""


class SeatMatch:
    """One match of a person: all messages so far, and the referee's open request. Every page gets all messages.

    Pages can listen before the match begins.

    Attributes:
        sent: How many messages the server has sent to at least one page.
    """

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.over = False
        self.sent = 0
        self._offer: SeatOffer | PipeOffer | None = None
        self._client: SeatClient | None = None
        self._request: dict[str, Any] | None = None
        self._lock = threading.Lock()
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def run(self, offer: SeatOffer | PipeOffer) -> None:
        """Receive the messages of the match until the last message of the referee."""
        code, line = FINISHED, ""
        self._offer = offer
        try:
            self._client = SeatClient(offer.link())
            while not self.over:
                message = self._client.receive()
                with self._lock:
                    self._request = message if wants_action(message) else None
                self._add({key: value for key, value in message.items() if key != "seed"})
                self.over = message["type"] in ("over", "refused")
        except PlayerError as error:
            code, line = LOST, str(error)
            self._add({"type": "gone", "message": "The match goes on without you, or is over."})
        finally:
            self.over = True
            offer.end(code, line)
            if self._client is not None:
                self._client.close()
            self._wake()

    def obey(self, text: str) -> str:
        """Execute an order of a page: the number of a legal action, or a resignation. Return an error message or ""."""
        try:
            order = json.loads(text)
            if order.get("resign") is True and self._offer is not None:
                self._offer.end(RESIGNED)
                return ""
            with self._lock:
                request = self._request
                if request is None or self._client is None or order["seq"] != request["seq"]:
                    return "It is not your move any more."
                self._client.act(request["legal_actions"][order["number"]])
                self._request = None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return "This is not a legal action."
        except PlayerError as error:
            return error.message
        return ""

    def listen(self, listener: tuple[asyncio.AbstractEventLoop, asyncio.Event], on: bool) -> None:
        """Start (or stop) setting the event of a page at each new message."""
        (self._listeners.add if on else self._listeners.discard)(listener)

    @property
    def is_shown(self) -> bool:
        """Whether at least one page has all messages, or no page is open."""
        return not self._listeners or self.sent >= len(self.messages)

    def _add(self, message: dict[str, Any]) -> None:
        self.messages.append(msgpack.packb(message))
        self._wake()

    def _wake(self) -> None:
        for loop, event in list(self._listeners):
            with contextlib.suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(event.set)


class Person:
    """The matches of one person.

    Attributes:
        token: The secret part of the person's address.
    """

    def __init__(self, waiting: Waiting | PipeWaiting, number: int) -> None:
        self.token = secrets.token_urlsafe(16)
        self.number = number
        self.begun = 0
        self.matches = [SeatMatch()]
        self._waiting = waiting
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        for offer in self._waiting:
            self.matches.append(SeatMatch())
            self.begun += 1
            self.matches[self.begun - 1].run(offer)


class PeoplePages:
    """The pages of the people who play in a match.

    Args:
        waiting: The sockets on which people wait for matches, by the number of the seat in the first match.
        after: Where a page leads when a match is over: ``watch`` to the replay, ``again`` to the same match.
        matches: The number of matches that the people play, one after the other.
    """

    def __init__(
        self,
        prepared: PreparedMatch,
        waiting: Mapping[int, Waiting | PipeWaiting],
        after: Mapping[str, str] = MappingProxyType({}),
        matches: int = 1,
    ) -> None:
        self._matches = matches
        self._after = {"watch": "", "again": "", **after}
        self._title, self._game = prepared.game.title, prepared.game.name
        self._renderer = renderer_of(prepared.game.name)
        self._names = prepared.names()
        self._first = prepared.first_turn
        people = [Person(socket, seat) for seat, socket in waiting.items()]
        self._people = {person.token: person for person in people}

    @property
    def paths(self) -> dict[str, str]:
        """The path of each person's page, by the person's name."""
        return {self._names[person.number]: f"seat/{token}" for token, person in self._people.items()}

    def application(self) -> Starlette:
        routes = {
            "/seat/{token}": self._page,
            **renderer_routes("/renderer", lambda _: self._renderer),
            **assets("arena.web", "playing"),
            **rules_routes(),
        }
        return application(routes, sockets={"/seat/{token}/{number:int}": self._socket})

    def is_shown(self) -> bool:
        """Return whether the pages show all that has happened: each open match has a page with all messages."""
        return all(match.is_shown for person in self._people.values() for match in person.matches)

    def _page(self, request: Request) -> Response:
        person = self._people.get(request.path_params["token"])
        if person is None:
            raise HTTPException(404)
        number = max(0, person.begun - 1)
        config = {
            "socket": f"seat/{person.token}/{number}",
            "next": f"seat/{person.token}/{number + 1}" if number + 1 < self._matches else "",
            "names": self._names,
            "seat": person.number,
            "first": self._first,
            **self._after,
            "rules": f"{request.scope['root_path']}/rules/{self._game}" if has_rules(self._game) else "",
        }
        sheet = "playing/playing.css"
        return viewer_page(request, self._title, config, "renderer/", "playing/main.js", sheet)

    async def _socket(self, socket: WebSocket) -> None:
        """Send all messages of a match to a page, and pass the page's choices to the match."""
        person = self._people.get(socket.path_params["token"])
        number = socket.path_params["number"]
        if person is None or number >= len(person.matches):
            await socket.close(1008)
            return
        match = person.matches[number]
        await socket.accept()
        listener = asyncio.get_running_loop(), asyncio.Event()
        match.listen(listener, True)
        orders = asyncio.create_task(self._orders(socket, match, listener[1]))
        try:
            sent = 0
            while not orders.done():
                listener[1].clear()
                while sent < len(match.messages):
                    await socket.send_bytes(match.messages[sent])
                    sent += 1
                match.sent = max(match.sent, sent)
                await listener[1].wait()
        finally:
            match.listen(listener, False)
            orders.cancel()
            with contextlib.suppress(BaseException):
                await orders

    @staticmethod
    async def _orders(socket: WebSocket, match: SeatMatch, wake: asyncio.Event) -> None:
        try:
            async for text in socket.iter_text():
                problem = await asyncio.to_thread(match.obey, text)
                if problem:
                    await socket.send_bytes(msgpack.packb({"type": "notice", "message": problem}))
        finally:
            wake.set()


@contextlib.contextmanager
def serve_people(
    prepared: PreparedMatch,
    waiting: Mapping[int, Waiting | PipeWaiting],
    port: int,
    host: str,
    after: Mapping[str, str] = MappingProxyType({}),
    matches: int = 1,
) -> Iterator[dict[str, str]]:
    """Serve the pages of people while the context lasts. Yield the addresses of the pages, by the people's names."""
    pages = PeoplePages(prepared, waiting, after, matches)
    server = Server(pages.application(), port, host, sockets=True)
    server.start()
    try:
        yield {name: server.url + path for name, path in pages.paths.items()}
    finally:
        end = time.monotonic() + GOODBYE
        while not pages.is_shown() and time.monotonic() < end:
            time.sleep(0.01)
        server.stop()
