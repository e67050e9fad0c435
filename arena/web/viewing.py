"""Show replays: a list of matches, the viewer for each, and two of them side by side.

These pages are for whoever has the files. They send them as they are, with all logs; what visitors of a contest get is
in `arena.web.public_replays`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.study.replaying.presentation import renderer_for
from arena.web.growing import replay_bytes, version_of
from arena.web.pages import Endpoint, application, download, json_page, plain_page, renderer_routes, viewer_page
from arena.web.public_replays import is_withheld, public_bytes
from arena.web.rulebook import has_rules, rules_routes
from arena.web.server import Server
from arena_replays import Reader, ReplayError, header_of
from arena_replays.documents import Header
from arena_replays.export import headline_of, title_of
from arena_replays.page import Renderer, page

# Show a match while it is being played.


class LivePage:
    """Serves the page of a running match of this process, from its own thread.

    Args:
        announce: Called once with the address, when the page has something to show: at the first turn, or at the end
            of a match that nobody may see before (see `public_replays`).
    """

    def __init__(
        self, path: Path, port: int, announce: Callable[[str], None], say: Callable[[str], None] = lambda _message: None
    ) -> None:
        self._path = path
        self._say = say
        self._announce = announce
        self._viewing = Viewing(live=True)
        self._server = Server(self._viewing.application(), port)
        self._before = version_of(path)
        self._stopped, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._await_replay, daemon=True)
        self._thread.start()
        self._server.start()

    def _await_replay(self) -> None:
        while not self._stopped.is_set() and version_of(self._path) == self._before:
            time.sleep(0.01)  # wait until the referee starts to write
        if not self._stopped.is_set() and is_withheld(self._path):
            self._say("This match can be watched when it is over: a player must not see what the game hides.")
            self._over.wait()
        if not self._stopped.is_set():
            self._announce(self._server.url + self._viewing.add(self._path))

    def wait(self) -> None:
        """Serve until the user presses Ctrl-C. Call this when the match is over."""
        self._over.set()
        with contextlib.suppress(KeyboardInterrupt):
            while not self._stopped.wait(0.2):
                pass

    def stop(self) -> None:
        self._stopped.set()
        self._over.set()
        self._thread.join(5)
        self._server.stop()


Match = Path | Sequence[Path]


class _ViewedMatch(NamedTuple):
    """A match of a server.

    Attributes:
        numbers: The numbers of its replays, one for each leg.
    """

    numbers: range
    title: str
    game: str


class Viewing:
    """The replays of a server, by number.

    Args:
        renderer: Returns the renderer for a replay's header.

    Attributes:
        offers_what_if: Whether the pages can play on and ask for new explanations; see `arena.web.what_if`.
    """

    def __init__(
        self,
        matches: Sequence[Match] = (),
        *,
        live: bool = False,
        renderer: Callable[[Header], Renderer] = renderer_for,
    ) -> None:
        self.paths: list[Path] = []
        self._matches: list[_ViewedMatch] = []
        self.offers_what_if = False
        self._live = live
        self._renderer = renderer
        for match in matches:
            self.add(match)

    @property
    def first_page(self) -> str:
        """The path of the first page: the viewer for a single match, otherwise the list of matches."""
        return "view/0" if len(self._matches) == 1 else ""

    def add(self, match: Match) -> str:
        """Add a match unless it is known, and return the path of its page."""
        legs = [match] if isinstance(match, Path) else list(match)
        for viewed in self._matches:
            if self.paths[viewed.numbers.start : viewed.numbers.stop] == legs:
                return f"view/{viewed.numbers.start}"
        reader, *_ = [Reader(path) for path in legs]  # all of them are read, so that a damaged one is named now
        first = len(self.paths)
        self.paths += legs
        numbers = range(first, len(self.paths))
        self._matches.append(_ViewedMatch(numbers, title_of(reader, len(legs)), reader.header.get("game", "")))
        return f"view/{first}"

    def beside(self, path: Path, number: int) -> str:
        """Add a replay, and return the path of the page that shows it beside another one."""
        self.add(path)
        return f"compare/{self.paths.index(path)}/{number}"

    def routes(self) -> dict[str, Endpoint]:
        return rules_routes() | {
            "/view/{at:int}": self._view,
            "/compare/{first:int}/{second:int}": self._compare,
            **renderer_routes("/renderer/{at:int}", self._renderer_of),
            "/replay/{at:int}": self._replay,
            "/page/{at:int}": self._page,
            "/explained/{at:int}": self._explained,
            "/advantage/{at:int}": self._advantage,
        }

    def application(self) -> Starlette:
        """Return an application that shows these replays only."""
        return application(self.pages())

    def pages(self) -> dict[str, Endpoint]:
        return {"/": self._list, **self.routes()}

    def _list(self, request: Request) -> Response:
        matches = [
            (match.numbers.start, match.title, ", ".join(self.paths[number].name for number in match.numbers))
            for match in self._matches
        ]
        return plain_page(request, "replays.html", title="Replays", matches=matches, two=len(self.paths) == 2)

    def _view(self, request: Request) -> Response:
        number = self.number(request, "at")
        match = next(match for match in self._matches if number in match.numbers)
        legs = [self._leg(request, match.game, leg) for leg in match.numbers]
        config = {"legs": legs, "leg": number - match.numbers.start}
        title = match.title
        with contextlib.suppress(OSError, ReplayError):  # the viewer says what is wrong with a file
            title = headline_of([self.paths[leg] for leg in match.numbers])
        return viewer_page(request, title, config, f"renderer/{number}/")

    def _page(self, request: Request) -> Response:
        """Return a match as one page that needs no network, to save it."""
        number = self.number(request, "at")
        match = next(match for match in self._matches if number in match.numbers)
        paths = [self.paths[leg] for leg in match.numbers]
        is_bare = "bare" in request.query_params
        replays = [public_bytes(path, over=True) if is_bare else path.read_bytes() for path in paths]
        renderer = self._renderer(header_of(paths[0]))
        return download(page(replays, renderer, headline_of(paths)), f"{paths[0].stem}.html")

    def _leg(self, request: Request, game: str, number: int) -> dict[str, Any]:
        """Return what the viewer needs of a replay: addresses, and what it may offer."""
        root = request.scope["root_path"]
        leg: dict[str, Any] = {
            "url": _address(request, number),
            "live": self._live,
            "study": True,
            "explained": f"{root}/explained/{number}",
            "advantage": f"{root}/advantage/{number}",
            "pages": [] if self._live else _pages(f"{root}/page/{number}"),
        }
        if has_rules(game):
            leg["rules"] = f"{root}/rules/{game}"
        if self.offers_what_if:
            leg |= {"explain": f"{root}/explain/{number}", **_what_if(request, number)}
        return leg

    def _compare(self, request: Request) -> Response:
        first, second = self.number(request, "first"), self.number(request, "second")
        root, more = request.scope["root_path"], _what_if(request, first) if self.offers_what_if else {}
        one, other = (
            {"url": _address(request, number), "advantage": f"{root}/advantage/{number}"} for number in (first, second)
        )
        config = {"legs": [one | more], "other": other}
        return viewer_page(request, "Two replays", config, f"renderer/{first}/")

    def _renderer_of(self, request: Request) -> Renderer:
        return self._renderer(header_of(self.paths[self.number(request, "at")]))

    def _explained(self, request: Request) -> Response:
        from arena.study.coach.page import explained

        return json_page(explained(self.paths[self.number(request, "at")]))

    def _advantage(self, request: Request) -> Response:
        from arena.study.coach.page import advantage

        return json_page(advantage(self.paths[self.number(request, "at")]))

    async def _replay(self, request: Request) -> Response:
        path = self.paths[self.number(request, "at")]
        return await replay_bytes(request, lambda: path)

    def number(self, request: Request, name: str) -> int:
        """Return the number of a replay from the path of a request. An unknown number raises HTTPException."""
        number: int = request.path_params[name]
        if number >= len(self.paths):
            raise HTTPException(404)
        return number


def _what_if(request: Request, number: int) -> dict[str, str]:
    """Return the addresses of requests about positions of a replay."""
    root = request.scope["root_path"]
    return {"what_if": f"{root}/what-if/{number}", "believed": f"{root}/believed/{number}?"}


def _pages(address: str) -> list[dict[str, str]]:
    bare = {"title": "Save without logs and drawings", "url": f"{address}?bare"}
    return [{"title": "Save the page", "url": address}, bare]


def _address(request: Request, number: int) -> str:
    return f"{request.scope['root_path']}/replay/{number}"
