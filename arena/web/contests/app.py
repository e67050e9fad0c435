"""The one application of a contest: its routes, signing in, and what runs as long as it is served.

Who reads is found out in `requests`, and what they may see in `matches`, `results` and `arena.contests.visibility`.
`public` and `entrants` have the pages for everybody, `team` and `versions` those of teams and owners of bots,
`desk` those of organizers. Other distributions can add pages (`extending`).
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from arena.bots.folders.files import NO_ROOM
from arena.contests.journal.files import DiskError
from arena.contests.loop import Loop
from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.people import accounts
from arena.contests.people.accounts import DeniedError, SignedIn
from arena.contests.people.retention import Retention
from arena.text.reading import hash_of
from arena.web.computing import SharedPages
from arena.web.contests.desk import DeskPages
from arena.web.contests.explanations import SentExplanations
from arena.web.contests.extending import ServedContest, served_pages
from arena.web.contests.following import Follower
from arena.web.contests.opening import BeforeOpening
from arena.web.contests.public import PublicPages
from arena.web.contests.requests import PostedForm, back, fields_of, set_cookie
from arena.web.contests.site import Shared, Site, folder, renewed
from arena.web.contests.team import TeamForms, TeamPages
from arena.web.contests.versions import VersionPages
from arena.web.contests.wheels import WheelPages
from arena.web.pages import Endpoint, application, assets, error_page, renderer_routes
from arena.web.server import short_switches
from arena_replays.page import Renderer, read_renderer


class ContestPages:
    """The pages of a contest.

    Args:
        source: The contest that this process runs, or a `Follower` of one.
        renderer: The game's renderer; None for the default one.
        base: The files of the templates of bots, by name. The export of all sources contains them too.
        further: The files of further pages, by folder (see `arena.web.contests.site`).
        loop: What plays the contest; None if nothing is played here. The application starts and closes it.

    Attributes:
        served: The contest, for the pages of other distributions.
        before_opening: The addresses of those pages that visitors get before the contest opens; see `ServedPages`.
    """

    def __init__(
        self,
        source: LoadedContest,
        renderer: Renderer | None = None,
        base: Mapping[str, str] = MappingProxyType({}),
        further: Mapping[str, Mapping[str, bytes]] = MappingProxyType({}),
        loop: Loop | None = None,
    ) -> None:
        self.contest = source
        self.site = Site(source, loop, further)
        self.visitors = self.site.visitors
        self.served = ServedContest(self.site)
        self._of_others = served_pages(self.served)
        self.site.bar |= {address: words for served in self._of_others for address, words in served.links.items()}
        self.before_opening = tuple(start for served in self._of_others for start in served.before_opening)
        self._loop = loop
        self._renderer = renderer or read_renderer(None)
        self._base = base
        self._further = further

    def application(self) -> Starlette:
        # The first page waits for no other: who looks at the standings does not care about tables and logs.
        pages = [SharedPages(lambda: self.contest.snapshot.state.revision, self.visitors.key) for _ in range(2)]
        first, shared = map(_renewing, pages)
        versions = VersionPages(self.site)
        routes = {
            **PublicPages(self.site).routes(first, shared),
            **TeamPages(self.site).routes(shared),
            **versions.routes(shared),
            **WheelPages(self.site).routes(),
            "/sign-in": self._sign_in_page,
            **renderer_routes("/renderer", lambda _: self._renderer),
            **assets("arena.web", "contests"),
            **{f"/{name}/{{name:path}}": folder(files, self.visitors.reader) for name, files in self._further.items()},
        }
        forms: dict[str, Endpoint] = {"/sign-in": self._sign_in, "/sign-out": self.visitors.limited(self._sign_out)}
        if isinstance(self.contest, OpenContest):
            desk, signing = DeskPages(self.site, self.contest, self._base), _Joining(self, self.contest)
            routes |= {**desk.routes(shared), "/join": signing.page}
            forms |= {**desk.forms(), **TeamForms(self.site, self.contest, versions).routes(), **signing.forms()}
            forms |= SentExplanations(self.site).forms()
        for served in self._of_others:
            routes |= served.routes
            forms |= served.forms
        app = application(
            routes,
            lifespan=self._lifespan,
            forms={path: pages[0].changing(pages[1].changing(answer)) for path, answer in forms.items()},
        )
        app.add_middleware(BeforeOpening, site=self.site, further=self.before_opening)
        app.add_exception_handler(DeniedError, self.visitors.denied)
        app.add_exception_handler(OSError, _on_full_disk)
        app.add_exception_handler(DiskError, _on_full_disk)
        return app

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        background = self.contest if isinstance(self.contest, Follower) else self._loop
        if background is not None:
            background.start()
        retention = Retention(self.contest, lambda: self.site.busy) if isinstance(self.contest, OpenContest) else None
        if retention is not None:
            retention.start()
        first = partial(self.site.publisher.results, everything=False)  # with many results, it takes seconds
        threading.Thread(target=first, name="first results", daemon=True).start()
        try:
            with short_switches():
                yield
        finally:
            if retention is not None:
                retention.close()
            # In the event loop, where nothing else happens any more: a free thread can be far away.
            if background is not None:
                background.close()

    # -- signing in ----------------------------------------------------------------------------------

    def _sign_in_page(self, request: Request) -> Response:
        session, token = self.visitors.session(request), request.query_params.get("token", "")
        return self.site.page(request, session, "sign_in", "Sign in", token=token)

    async def _sign_in(self, request: Request) -> Response:
        fields = await fields_of(request)
        _, token_hash = accounts.member_of_token(self.contest, fields.get("token", "").strip())
        return self.begin(request, token_hash, back("/"))

    def begin(self, request: Request, token_hash: str, response: Response) -> Response:
        """Start a session, and set its cookie in the response. The session has a new id, against session fixation."""
        return set_cookie(request, response, accounts.new_session(self.contest, token_hash), accounts.SESSION_SECONDS)

    def _sign_out(self, form: PostedForm) -> Response:
        if isinstance(self.contest, OpenContest):
            accounts.sign_out(self.contest, form.session)
        return set_cookie(form.request, back("/"), "", 0)


def _renewing(pages: SharedPages) -> Shared:
    return lambda endpoint, part=lambda _request: "": renewed(pages.shared(endpoint, part))


class _Joining:
    """How a person joins with an invitation, and gets a new token."""

    def __init__(self, pages: ContestPages, contest: OpenContest) -> None:
        self._pages = pages
        self._contest = contest

    def forms(self) -> dict[str, Endpoint]:
        return {"/join": self._join, "/token": self._pages.visitors.limited(self._renew)}

    def page(self, request: Request) -> Response:
        token = request.query_params.get("token", "")
        invitation = accounts.invitation_of(self._contest, token)
        return self._pages.site.page(request, None, "join", "Join", token=token, invitation=invitation)

    async def _join(self, request: Request) -> Response:
        fields = await fields_of(request)
        token_and_name = fields.get("token", ""), fields.get("name", "")
        member, token = await run_in_threadpool(accounts.join, self._contest, *token_and_name)
        return self._welcome(request, SignedIn(member, "", ""), "Welcome", token)

    def _renew(self, form: PostedForm) -> Response:
        token = accounts.renew(self._contest, form.session.member.id)
        return self._welcome(form.request, form.session, "New token", token)

    def _welcome(self, request: Request, session: SignedIn, title: str, token: str) -> Response:
        """Show a token, and start a session with it."""
        link = self._pages.site.link(request, "sign-in", token)
        page = self._pages.site.page(request, session, "token", title, token=token, link=link)
        return self._pages.begin(request, hash_of(token), page)


def _on_full_disk(request: Request, error: Exception) -> Response:
    """Answer a request that needs disk space. Nothing was changed. The desk shows which file cannot be written."""
    if isinstance(error, OSError) and error.errno not in NO_ROOM:
        raise error
    return error_page(request, 507, "The server cannot write to its disk. Nothing was changed.", "Try again later.")
