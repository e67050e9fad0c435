"""What all pages of a contest share: the contest, its visitors, what they can see, and the frame of a page."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import metadata
from typing import Any, Final
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.loop import Loop
from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.people.accounts import SignedIn
from arena.contests.values import utc
from arena.errors import ArenaError
from arena.game import GameSpec
from arena.pages.render import WORKER
from arena.web.contests.following import Follower
from arena.web.contests.matches import Running, Views
from arena.web.contests.requests import Visitors, takes_bots
from arena.web.contests.results import Publisher
from arena.web.pages import Endpoint, compressed, page, reads_gzip, stills_map

# Pages that other installed distributions add to a contest, such as the playground.

GROUP: Final = "arena.contest_pages"
"""The entry points of further pages. Each names a function that gets the game and the name of the contest (empty for
pages without a server), and returns the files of a folder by their paths. The folder is served under the name of the
entry point, with the page ``index.html``. If it has ``coach.html``, the pages of replays use this page to explain them
in the reader's browser. A function that cannot make its files raises an `ArenaError`."""
COACH: Final = "coach.html"
Folders = Mapping[str, Mapping[str, bytes]]
"""The files of further pages, by folder and path."""
TYPES: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "txt": "text/plain"}
POLICIES: Final = {
    "html": "base-uri 'none'; frame-ancestors 'self'",  # the pages themselves contain the rest
    "js": WORKER,
}


def further_pages(game: GameSpec, contest: str, complain: Callable[[str], None]) -> Folders:
    """Return the folders of all installed distributions, by their names.

    Args:
        contest: The name of the contest whose server has these pages; empty for pages without a server.
        complain: Called with a message if a distribution cannot make its folder, which is then left out.
    """
    folders: dict[str, Mapping[str, bytes]] = {}
    for point in metadata.entry_points(group=GROUP):
        try:
            folders[point.name] = point.load()(game, contest)
        except ArenaError as error:
            complain(f"The contest has no {point.name}: {error.message} {error.hint}".strip())
    return folders


def coach_of(further: Folders) -> str:
    """Return the path of the page that explains replays in the reader's browser; empty if there is none."""
    return next((f"/{name}/{COACH}" for name, files in further.items() if COACH in files), "")


def folder(files: Mapping[str, bytes], allow: Callable[[Request], object]) -> Endpoint:
    """Return an endpoint that serves files by their ``name`` in the path.

    Args:
        allow: Called with each request; raises an exception for visitors who must not read.
    """
    tags = {name: f'"{hashlib.sha256(data).hexdigest()[:32]}"' for name, data in files.items()}
    packed = {name: gzip.compress(data, 6, mtime=0) for name, data in files.items() if _kind(name) in TYPES}

    def endpoint(request: Request) -> Response:
        allow(request)
        name = request.path_params["name"] or "index.html"
        if name not in files:
            raise HTTPException(404)
        kind = _kind(name)
        headers = {"ETag": tags[name], "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if kind in POLICIES:
            headers["Content-Security-Policy"] = POLICIES[kind]
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        data = files[name]
        if name in packed and reads_gzip(request):
            data, headers["Content-Encoding"] = packed[name], "gzip"
        return Response(data, headers=headers, media_type=TYPES.get(kind, "application/octet-stream"))

    return endpoint


def _kind(name: str) -> str:
    return name.rpartition(".")[2]


PICTURES: Final = "pictures.css"
"""The style sheet that shows the pictures of teams in place of their signs."""
_SHEETS: Final = ("page.css", "contests/contest.css", PICTURES)


class Site:
    """The contest of a site.

    Args:
        loop: What plays the contest in this process; None if nothing is played here.
        further: The files of further pages, by folder (see `arena.web.contests.site`).

    Attributes:
        bar: The words of links in the bar of all pages, by address.
        coach: The path of the page that explains replays in the reader's browser; empty if there is none.
    """

    def __init__(self, contest: LoadedContest, loop: Loop | None, further: Folders) -> None:
        self.contest = contest
        self.loop = loop
        self.visitors = Visitors(contest)
        self.publisher = Publisher(contest)
        self._further = tuple(further)
        self.bar = {f"/{name}/": name.capitalize() for name in further}
        self.coach = coach_of(further)

    @property
    def has_opened(self) -> bool:
        return self.contest.config.visible.has_opened(utc())

    @property
    def running(self) -> Running:
        """The matches that are being played."""
        followed = self.contest.running if isinstance(self.contest, Follower) else {}
        return self.loop.running if self.loop else followed

    @property
    def busy(self) -> set[str]:
        """The names of the entrants whose matches or checks are running."""
        names = {name for spec, _ in self.running.values() for name in spec.names}
        return names | {check.version.entrant for check in self.loop.checks.running.values()} if self.loop else names

    def views(self, session: SignedIn | None) -> Views:
        """Return the content of one answer for a reader. Reading it needs no lock."""
        return Views(self.contest, self.running, self.publisher, session)

    def read(self, request: Request) -> Views:
        """Return what the sender of a request for a public page can see."""
        return self.views(self.visitors.reader(request))

    def page(
        self,
        request: Request,
        session: SignedIn | None,
        template: str,
        title: str,
        status: int = 200,
        templates: str = "",
        **more: Any,
    ) -> Response:
        """Return a page. Only pages without the secret value of a form are compressed.

        Args:
            template: The name of a template of contests, or the path of a template of another distribution.
            templates: The package with this template; empty for contests.
        """
        allowed, import_map = stills_map(request)
        shared: dict[str, Any] = {
            "title": title,
            "session": session,
            "csrf": session.csrf if session else "",
            "contest": self.contest.config,
            "people": self.contest.config.visible,
            "orders": self.contest.snapshot.state.orders,
            "import_map": import_map,
            "further": self._further,
            "bar": self.bar,
            "acts": isinstance(self.contest, OpenContest),
            "takes_bots": takes_bots(self.contest),
            "has_opened": self.has_opened,
            "may_read": self.has_opened or (session is not None and session.member.is_organizer),
        }
        file = template if templates else f"contest/{template}.html"
        shared |= {"templates": templates, "forms": True, "sheets": _SHEETS, "script": allowed}
        answer = page(request, file, status, **shared, **more)
        answer.headers["ETag"] = f'"{sha256(answer.body).hexdigest()[:32]}"'
        return answer if session else compressed(request, answer)

    def whole_address(self, request: Request, path: str) -> str:
        """Return the address of a path of this site, as others reach it."""
        return (self.contest.config.visible.address or str(request.base_url)).rstrip("/") + path

    def link(self, request: Request, path: str, token: str) -> str:
        return f"{self.whole_address(request, f'/{path}')}?token={quote(token)}"


Part = Callable[[Request], str]
Shared = Callable[..., Endpoint]
"""Makes a kept page of an endpoint; see `arena.web.computing.SharedPages.shared`."""


def packed(part: Part = lambda _: "") -> Part:
    """Return what a page depends on, if it is compressed for browsers that can read it."""
    return lambda request: f"{part(request)} {reads_gzip(request)}"


def renewed(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that sends a page only if it has changed since the browser got it."""

    async def answer(request: Request) -> Response:
        response: Response = await endpoint(request)
        tag = response.headers.get("etag", "")
        if tag and request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return response

    return answer
