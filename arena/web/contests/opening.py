"""What visitors get before a contest opens: its name and its times, signing in, and nothing of the game.

It stands before the application, so that a new page is secret without a word about it. Only organizers pass, who set up
the contest meanwhile. What the others get is listed here, and by distributions that serve pages of their own
(`arena.web.contests.extending`). The first page, and theirs, say by themselves when the contest opens.
"""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.contests.people.accounts import DeniedError
from arena.web.contests.site import PICTURES, Site
from arena.web.pages import error_page

_PAGES: Final = ("/", "/sign-in", "/sign-out", "/join", "/data-protection")
_SHEETS: Final = ("/page.css", f"/{PICTURES}")
_SCRIPTS: Final = ("/contests/", "/scripts/")
"""Files of all contests: nothing in them is of the game."""


class BeforeOpening:
    """Middleware that refuses everything but `_PAGES`, `_SHEETS` and `_SCRIPTS` before a contest opens.

    Args:
        further: Further addresses that are not refused; one with a slash at its end stands for all that begin with it.
    """

    def __init__(self, app: ASGIApp, site: Site, further: tuple[str, ...] = ()) -> None:
        self._app = app
        self._site = site
        self._pages = {*_PAGES, *_SHEETS, *further}
        self._folders = (*_SCRIPTS, *(address for address in further if address.endswith("/")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._refusal(Request(scope)) if scope["type"] == "http" and not self._site.has_opened else None
        await (answer or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        if request.url.path in self._pages or request.url.path.startswith(self._folders):
            return None
        visitors = self._site.visitors
        try:
            session = visitors.reader(request)
        except DeniedError as error:
            return visitors.denied(request, error)
        except HTTPException as error:
            return error_page(request, error.status_code, error.detail)
        if session is not None and session.member.is_organizer:
            return None
        people = self._site.contest.config.visible
        return error_page(request, 403, f"This contest opens at {people.shown_time(people.opens)}.", "Come back then.")
