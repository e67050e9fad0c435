"""What all pages of a contest share: the contest, its visitors, what they can see, and the frame of a page."""

from __future__ import annotations

from collections.abc import Callable, Collection
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from arena.contests.opening import KnownContest, OpenContest
from arena.contests.people import SignedIn
from arena.contests.running import Loop
from arena.web.contests.following import Follower
from arena.web.contests.matches import Running, Views
from arena.web.contests.requests import Visitors, takes_bots
from arena.web.contests.results import Publisher
from arena.web.pages import Endpoint, compressed, page, reads_gzip, stills_map

PICTURES: Final = "pictures.css"
"""The style sheet that shows the pictures of teams in place of their signs."""
_SHEETS: Final = ("page.css", "contests/contest.css", PICTURES)


class Site:
    """The contest of a site.

    Args:
        loop: What plays the contest in this process; None if nothing is played here.
        further: The names of further folders of pages (see `arena.web.contests.further`).
    """

    def __init__(self, contest: KnownContest, loop: Loop | None, further: Collection[str]) -> None:
        self.contest = contest
        self.loop = loop
        self.visitors = Visitors(contest)
        self.publisher = Publisher(contest)
        self._further = tuple(further)

    @property
    def running(self) -> Running:
        """The matches that are being played."""
        followed = self.contest.running if isinstance(self.contest, Follower) else {}
        return self.loop.running if self.loop else followed

    def views(self, session: SignedIn | None) -> Views:
        """Return the content of one answer for a reader. Reading it needs no lock."""
        return Views(self.contest, self.running, self.publisher, session)

    def read(self, request: Request) -> Views:
        """Return what the sender of a request for a public page can see."""
        return self.views(self.visitors.reader(request))

    def page(
        self, request: Request, session: SignedIn | None, template: str, title: str, status: int = 200, **more: Any
    ) -> Response:
        """Return a page. Only pages without the secret value of a form are compressed."""
        allowed, import_map = stills_map(request)
        config = self.contest.config
        answer = page(
            request, f"contest/{template}.html", status, forms=True, sheets=_SHEETS, title=title, session=session,
            csrf=session.csrf if session else "", contest=config, people=config.visible,
            orders=self.contest.snapshot.state.orders, script=allowed, import_map=import_map, further=self._further,
            acts=isinstance(self.contest, OpenContest), takes_bots=takes_bots(self.contest), **more,
        )  # fmt: skip
        answer.headers["ETag"] = f'"{sha256(answer.body).hexdigest()[:32]}"'
        return answer if session else compressed(request, answer)

    def link(self, request: Request, place: str, token: str) -> str:
        base = self.contest.config.visible.address or str(request.base_url).rstrip("/")
        return f"{base}/{place}?token={quote(token)}"


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
