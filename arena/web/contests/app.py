"""The pages of a season, and the interface for `arena submit`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.bots.folders.files import NO_ROOM
from arena.errors import ArenaError
from arena.journal.files import DiskError
from arena.season import people
from arena.season.acts import WORDS, act, public_log
from arena.season.finals import formats
from arena.season.handing_in import Uploads
from arena.season.matches import Matches, activate, challenge
from arena.season.people import DeniedError, SignedIn
from arena.season.sources import bytes_of
from arena.season.store import Season
from arena.season.values import ROLES, Played, number_of
from arena.text.tokens import hash_of
from arena.web.computing import SharedPages, unshared
from arena.web.match_pages import MatchPages, Shown, log_of, renderer_route
from arena.web.pages import application, assets, error_page, json_page, page, stills_map
from arena.web.contests.finals import FinalsPages
from arena.web.contests.further import folder
from arena.web.contests.pictures import SHEET, PicturePages
from arena.web.contests.requests import Answer, Fields, Visitors, back, fields_of, set_cookie, team_address
from arena.web.contests.versions import VersionPages
from arena.web.contests.views import Views
from arena.web.server import short_switches

_SHEETS = ("page.css", "season/season.css", SHEET)


def _on_full_disk(request: Request, error: Exception) -> Response:
    """Answer a request that needs disk space. Nothing was changed. The desk shows which file cannot be written."""
    if isinstance(error, OSError) and error.errno not in NO_ROOM:
        raise error
    return error_page(request, 507, "The server cannot write to its disk. Nothing was changed.", "Try again later.")


def _chosen_team(request: Request) -> str:
    return request.query_params.get("team", "")


class SeasonPages:
    """The pages of one season.

    Args:
        renderer: The source of the game's renderer, or None for the default one.
        base: The files of the templates of bots, by name. The export of all sources contains them too.
        further: The files of further pages, by folder (see `arena.web.contests.further`).
    """

    def __init__(
        self,
        season: Season,
        matches: Matches,
        renderer: str | None,
        base: Mapping[str, str],
        further: Mapping[str, Mapping[str, bytes]] = MappingProxyType({}),
    ) -> None:
        self.season = season
        self.matches = matches
        self.visitors = Visitors(season)
        self._renderer = renderer
        self._base = base
        self._further = further
        self._shown_matches = MatchPages(self._shown)
        self._finals = FinalsPages(season, self.visitors, self._page)
        self._pictures = PicturePages(season, self.visitors)
        self._versions = VersionPages(season, self.visitors, self._views, self._page, Uploads(season))

    def application(self) -> Starlette:
        form, visitors = self.visitors.form, self.visitors
        pages = SharedPages(lambda: self.season.snapshot.state.order, visitors.key)
        shared = pages.shared
        forms = {
            "/sign-in": self._sign_in,
            "/join": self._join,
            "/sign-out": visitors.limited(self._sign_out),
            "/token": visitors.limited(self._renew),
            "/activate": visitors.limited(self._activate),
            "/challenge": form(self._challenge),
            "/desk/invite": form(self._kept(self._invite), visitors.organizer),
            "/desk/revoke": form(self._revoke, visitors.organizer),
            "/desk/finals": form(self._kept(self._finals.start), visitors.organizer),
            "/desk/act": form(self._kept(self._act), visitors.organizer),
            "/picture": self._pictures.change,
            "/api/submit": self._versions.submit,
        }
        app = application(
            {
                "/": shared(self._front),
                "/standings.json": shared(self._standings),
                "/screen": self._screen,
                "/screen.json": shared(self._screen_state),
                "/matches": shared(self._matches, _chosen_team),
                "/match/{match_id}": shared(self._match, lambda request: "whole" * ("whole" in request.query_params)),
                "/match/{match_id}/watch": self._shown_matches.watch,
                "/match/{match_id}/still": self._shown_matches.still,
                "/match/{match_id}/explained": unshared(self._explained),
                "/match/{match_id}/log": unshared(self._log),
                "/replay/{match_id}": self._shown_matches.replay,
                "/team/{team}": shared(self._team),
                f"/{SHEET}": shared(self._pictures.sheet),
                **self._pictures.routes(),
                **self._versions.routes(shared),
                "/acts": shared(self._acts),
                "/queue": shared(self._queue),
                "/desk": shared(self._desk),
                "/sources.zip": unshared(self._sources),
                "/api/session": self._session,
                **self._finals.routes(shared),
                "/sign-in": self._sign_in_page,
                "/join": self._join_page,
                **renderer_route(self._renderer),
                **assets("arena.web", "season"),
                **assets("arena.web", "tournament"),
                **{f"/{name}/{{name:path}}": folder(files, visitors.reader) for name, files in self._further.items()},
            },
            lifespan=self._lifespan,
            forms={place: pages.changing(answer) for place, answer in forms.items()},
        )
        app.add_exception_handler(OSError, _on_full_disk)
        app.add_exception_handler(DiskError, _on_full_disk)
        return app

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002 - the signature is Starlette's
        self.matches.start()
        try:
            await run_in_threadpool(self._finals.continue_all)
            with short_switches():
                yield
        finally:
            # In the event loop, where nothing else happens any more: a free thread can be far away.
            self._finals.stop()
            self.matches.stop()

    def _views(self) -> Views:
        """Return the content of one answer. Reading it needs no lock."""
        return Views(self.season, self.matches)

    def _page(
        self,
        request: Request,
        session: SignedIn | None,
        template: str,
        title: str,
        *,
        script: str = "",
        status: int = 200,
        **more: Any,
    ) -> Response:  # fmt: skip
        allowed, import_map = stills_map(request)
        return page(
            request, f"season/{template}.html", status, forms=True, sheets=_SHEETS, title=title, session=session,
            csrf=session.csrf if session else "", season=self.season.config, orders=self.season.snapshot.state.orders,
            script=allowed, import_map=import_map, script_file=script, further=list(self._further), **more,
        )  # fmt: skip

    # -- everybody -----------------------------------------------------------------------------------

    def _front(self, request: Request) -> Response:
        session = self.visitors.reader(request)
        shown = self._views().front(session)
        return self._page(request, session, "front", self.season.config.name, script="season.js", **shown)

    def _standings(self, request: Request) -> Response:
        return json_page(self._views().standings(self.visitors.reader(request)))

    def _screen(self, request: Request) -> Response:
        session = self.visitors.reader(request)
        return self._page(request, session, "screen", self.season.config.name, script="screen.js")

    def _screen_state(self, request: Request) -> Response:
        self.visitors.reader(request)
        return json_page(self._views().screen())

    def _matches(self, request: Request) -> Response:
        session = self.visitors.reader(request)
        team = _chosen_team(request)
        rows = self._views().matches(session, team)
        return self._page(request, session, "matches", "Matches", script="season.js", rows=rows, team=team)

    def _team(self, request: Request) -> Response:
        session, team = self.visitors.reader(request), str(request.path_params["team"])
        shown = self._views().team(session, team)
        if shown is None:
            raise HTTPException(404, "This team does not exist.")
        return self._page(request, session, "team", team, script="season.js", **shown)

    def _played(self, request: Request, session: SignedIn | None, views: Views) -> Played:
        played = views.find(request.path_params["match_id"])
        if played is None or not views.may_see(session, played):
            raise HTTPException(404, "This match does not exist.")
        return played

    def _match(self, request: Request) -> Response:
        session, views = self.visitors.reader(request), self._views()
        played = self._played(request, session, views)
        shown = views.match(session, played)
        shown["causes"] = views.causes(session, played)
        whole = shown["match"]["watch"] and "whole" in request.query_params
        live = "season.js" if shown["match"]["running"] else ""
        title = " – ".join(shown["names"])
        return self._page(request, session, "match", title, script=live, whole=whole, **shown)

    def _watched(self, request: Request) -> tuple[SignedIn | None, Played, Views]:
        session, views = self.visitors.reader(request), self._views()
        played = self._played(request, session, views)
        if not played.replay or not views.may_watch(session, played):
            raise HTTPException(404, "This replay does not exist.")
        return session, played, views

    def _shown(self, request: Request) -> Shown:
        session, played, views = self._watched(request)
        return Shown(
            played.names,
            self.season.folder / played.replay,
            not played.points,
            partial(views.is_over, played),
            partial(_legs, session, played, views),
            views.programs(played),
        )

    def _explained(self, request: Request) -> Response:
        """Return the explanation of a match, for its teams and the organizers; empty if none has been computed."""
        session, played, views = self._watched(request)
        if not views.takes_part(session, played):
            raise HTTPException(403, "This explanation is for the players of the match.")
        return json_page(views.explained(session, played) if played.points else {})

    def _log(self, request: Request) -> Response:
        session, views = self.visitors.needed(request), self._views()
        played = self._played(request, session, views)
        team = request.query_params.get("team", session.member.team)
        if team not in played.names or not views.is_own(session, team):
            raise HTTPException(403, "These logs are for the bot's team.")
        found = self.season.result(played.id)
        log = log_of(request, self.season.folder / played.replay, played.names.index(team), found and found[1])
        title = views.match(session, played)["match"]["title"]
        return self._page(
            request, session, "log", f"{team}: log", team=team, match_id=played.id, match_title=title, **log
        )

    def _acts(self, request: Request) -> Response:
        session = self.visitors.reader(request)
        entries = public_log(self.season.snapshot.state, everything=Views.is_organizer(session))
        return self._page(request, session, "acts", "Log", entries=entries)

    def _session(self, request: Request) -> Response:
        """Return who is signed in, with the value that their changes need, for scripts of pages in a folder."""
        session = self.visitors.session(request)
        if session is None:
            return json_page({})
        member = session.member
        return json_page({"name": member.name, "team": member.team, "role": member.role, "csrf": session.csrf})

    # -- signing in ----------------------------------------------------------------------------------

    def _sign_in_page(self, request: Request) -> Response:
        return self._page(request, self.visitors.session(request), "sign_in", "Sign in",
                          token=request.query_params.get("token", ""))  # fmt: skip

    async def _sign_in(self, request: Request) -> Response:
        fields = await fields_of(request)
        try:
            _, found = people.member_of_token(self.season, fields.get("token", "").strip())
        except DeniedError as error:
            raise self.visitors.denied(request, error) from None
        return self._begin(request, found, back("/"))

    def _begin(self, request: Request, token_hash: str, response: Response) -> Response:
        """Start a session, and set its cookie in the response. The session has a new id, against session fixation."""
        return set_cookie(request, response, people.new_session(self.season, token_hash), people.SESSION_SECONDS)

    def _join_page(self, request: Request) -> Response:
        token = request.query_params.get("token", "")
        try:
            invitation = people.invitation_of(self.season, token)
        except DeniedError as error:
            raise self.visitors.denied(request, error) from None
        return self._page(request, None, "join", "Join", token=token, invitation=invitation)

    async def _join(self, request: Request) -> Response:
        fields = await fields_of(request)
        try:
            member, token = await run_in_threadpool(
                people.join, self.season, fields.get("token", ""), fields.get("name", "")
            )
        except DeniedError as error:
            raise self.visitors.denied(request, error) from None
        session = SignedIn(member, "", "")
        shown = self._page(
            request, session, "token", "Welcome", token=token, link=self._link(request, "sign-in", token)
        )
        return self._begin(request, hash_of(token), shown)

    def _link(self, request: Request, place: str, token: str) -> str:
        base = self.season.config.address or str(request.base_url).rstrip("/")
        return f"{base}/{place}?token={quote(token)}"

    def _sign_out(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        people.sign_out(self.season, session)
        return set_cookie(request, back("/"), "", 0)

    def _renew(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        token = people.renew(self.season, session.member.id)
        link = self._link(request, "sign-in", token)
        shown = self._page(request, session, "token", "New token", token=token, link=link)
        return self._begin(request, hash_of(token), shown)

    # -- members -------------------------------------------------------------------------------------

    def _activate(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        version = self.season.state.version(session.member.team, number_of(fields.get("number", "")))
        if version is None:
            raise HTTPException(404, "This version does not exist.")
        activate(self.season, version)
        return back(team_address(version.team))

    def _challenge(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        if session.member.role != "member":
            raise HTTPException(403, "Only members of a team start challenges.")
        number = number_of(fields.get("number", ""))
        challenge(self.season, session.member.team, fields.get("opponent", ""), number)
        return back(team_address(session.member.team))

    # -- organizers ----------------------------------------------------------------------------------

    def _desk(self, request: Request) -> Response:
        return self._desk_page(request, self.visitors.organizer(request), {})

    def _desk_page(self, request: Request, session: SignedIn, entered: Fields, error: str = "") -> Response:
        """Return the desk, after an error with the fields that the organizer had entered."""
        return self._page(
            request, session, "desk", "Organizer's desk", status=409 if error else 200, words=WORDS, roles=ROLES,
            formats=formats(self.season.game), entered=entered, error=error, **self._views().desk(self._base),
        )  # fmt: skip

    def _kept(self, answer: Answer) -> Answer:
        """Return a function that answers a form. After a mistake, it shows the desk with what was entered."""

        def kept(request: Request, session: SignedIn, fields: Fields) -> Response:
            try:
                return answer(request, session, fields)
            except (DeniedError, DiskError):
                raise
            except ArenaError as error:
                if "text/html" not in request.headers.get("accept", ""):
                    raise
                return self._desk_page(request, session, fields, f"{error.message} {error.hint}".strip())

        return kept

    def _queue(self, request: Request) -> Response:
        session = self.visitors.organizer(request)
        return self._page(request, session, "queue", "Queue", script="season.js", **self._views().queue())

    def _invite(self, request: Request, session: SignedIn, fields: Fields) -> Response:
        by = session.member.name
        if fields.get("csv", "").strip():
            invited = people.invite_all(self.season, fields["csv"], by)
        else:
            team, name, role = (fields.get(key, "").strip() for key in ("team", "name", "role"))
            invited = [(team, name, people.invite(self.season, team, name, role, by))]
        links = [(team, name, self._link(request, "join", token)) for team, name, token in invited]
        return self._page(request, session, "invited", "Invitations", links=links)

    def _revoke(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        key = fields.get("key", "")
        if key not in self.season.state.members and key not in self.season.state.invitations:
            raise HTTPException(404, "This person does not exist.")
        people.revoke(self.season, key)
        return back("/desk")

    def _act(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        act(self.season, session.member, fields.get("kind", ""), fields)
        return back("/desk")

    def _sources(self, request: Request) -> Response:
        self.visitors.organizer(request)
        headers = {"Content-Disposition": 'attachment; filename="sources.zip"'}
        return Response(bytes_of(self.season, self._base), media_type="application/zip", headers=headers)


def _legs(session: SignedIn | None, played: Played, views: Views) -> tuple[list[dict[str, Any]], int]:
    row = views.match(session, played)["match"]
    leg = {"url": f"/replay/{played.id}", "live": row["running"], "study": row["lost"]}
    if views.takes_part(session, played):
        leg["explained"] = f"/match/{played.id}/explained"
    return [leg], 0
