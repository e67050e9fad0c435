"""The organizer's desk: acts, invitations, suspicions, the queue, and the sources of all versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.config_file import formats_of
from arena.contests.journal.files import DiskError
from arena.contests.open_contest import OpenContest
from arena.contests.people import accounts
from arena.contests.people.accounts import SignedIn
from arena.contests.people.organizer_acts import act, public_log
from arena.contests.queue.copies import copy_path
from arena.contests.suspicions import alike, archive_of, improbable_pairs, is_template, twins
from arena.contests.values import ACTS, LADDER, ROLES, Version, time_of, utc
from arena.contests.visibility import visibility_of
from arena.errors import ArenaError
from arena.web.computing import unshared
from arena.web.contests.requests import Answer, Fields, back
from arena.web.contests.site import Shared, Site
from arena.web.pages import Endpoint

_MOST = 200


class DeskPages:
    """The pages and forms of organizers.

    Args:
        base: The files of the templates of bots, by name. The export of all sources contains them too.
    """

    def __init__(self, site: Site, contest: OpenContest, base: Mapping[str, str]) -> None:
        self._site = site
        self._contest = contest
        self._base = base

    def routes(self, shared: Shared) -> dict[str, Endpoint]:
        return {
            "/desk": shared(self._desk),
            "/queue": shared(self._queue),
            "/sources.zip": unshared(self._sources),
        }

    def forms(self) -> dict[str, Endpoint]:
        form, organizer = self._site.visitors.form, self._site.visitors.organizer
        return {
            "/desk/invite": form(self._kept(self._invite), organizer),
            "/desk/revoke": form(self._revoke, organizer),
            "/desk/act": form(self._kept(self._act), organizer),
        }

    # -- the desk ------------------------------------------------------------------------------------

    def _desk(self, request: Request) -> Response:
        return self._desk_page(request, self._site.visitors.organizer(request), {})

    def _desk_page(self, request: Request, session: SignedIn, entered: Fields, error: str = "") -> Response:
        """Return the desk, after an error with the fields that the organizer had entered."""
        return self._site.page(
            request, session, "desk", "Organizer's desk", 409 if error else 200, kinds=ACTS, roles=ROLES,
            entered=entered, error=error, **self._content(),
        )  # fmt: skip

    def _content(self) -> dict[str, Any]:
        snapshot = self._contest.snapshot
        state, config = snapshot.state, self._contest.config

        def is_unchanged(version: Version) -> bool:
            return is_template((self._contest.folder / copy_path(version.hash)).resolve(), self._base)

        valid, public = set(state.tokens.values()), visibility_of(state)
        begun, versions = list(state.stages), [*state.by_player.values()]
        return {
            "entrants": list(state.entrants),
            "pictured": list(state.public_pictures()),
            "versions": sorted(versions, key=lambda one: one.at, reverse=True)[:_MOST],
            "count": len(versions),
            "twins": twins(state, is_unchanged),
            "alike": alike(state, is_unchanged),
            "pairs": improbable_pairs(snapshot),
            "voids": [(name, count, state.void_causes[name]) for name, count in state.void_counts.most_common()],
            "members": [(one, one.id in valid) for one in state.members.values()],
            "invitations": [one for one in state.invitations.values() if time_of(one.expires) > utc()],
            "entries": public_log(state, everything=True),
            "held": 0 if public.everything else sum(not public.shows(one) for one in state.played.values()),
            "problem": self._problem(),
            "begun": begun,
            "planned": [one.name for one in config.stages if one.format != LADDER and one.name not in begun],
            "formats": formats_of(self._contest.game),
            "groups": config.groups,
        }

    def _problem(self) -> str:
        loop = self._site.loop
        if loop is None:
            return ""
        stuck = [f"The match {one} cannot be played: {reason}" for one, reason in loop.report.stuck.items()]
        return loop.problem or loop.checks.problem or next(iter(stuck), "")

    def _kept(self, answer: Answer) -> Answer:
        """Return a function that answers a form. After a mistake, it shows the desk with what was entered."""

        def kept(request: Request, session: SignedIn, fields: Fields) -> Response:
            try:
                return answer(request, session, fields)
            except DiskError:
                raise
            except ArenaError as error:
                if "text/html" not in request.headers.get("accept", ""):
                    raise
                return self._desk_page(request, session, fields, f"{error.message} {error.hint}".strip())

        return kept

    def _act(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        act(self._contest, session.member, fields.get("kind", ""), fields)
        return back("/desk")

    # -- people --------------------------------------------------------------------------------------

    def _invite(self, request: Request, session: SignedIn, fields: Fields) -> Response:
        by = session.member.id
        if fields.get("csv", "").strip():
            invited = accounts.invite_all(self._contest, fields["csv"], by)
        else:
            team, name, role, groups = (fields.get(key, "").strip() for key in ("team", "name", "role", "groups"))
            invited = [(team, name, accounts.invite(self._contest, team, name, role, by, groups.split()))]
        links = [(team, name, self._site.link(request, "join", token)) for team, name, token in invited]
        return self._site.page(request, session, "invited", "Invitations", links=links)

    def _revoke(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        key = fields.get("key", "")
        if key not in self._contest.state.members and key not in self._contest.state.invitations:
            raise HTTPException(404, "This person does not exist.")
        accounts.revoke(self._contest, key)
        return back("/desk")

    # -- the queue, the sources ----------------------------------------------------------------------

    def _queue(self, request: Request) -> Response:
        session = self._site.visitors.organizer(request)
        views, loop, now = self._site.views(session), self._site.loop, utc().timestamp()
        state = views.state
        waiting = [state.encounters[number] for number in state.matches_left]
        return self._site.page(
            request, session, "queue", "Queue", results=len(state.played), slots=loop.slots if loop else 0,
            problem=self._problem(),
            running=[
                {"id": key, "kind": spec.stage, "names": list(spec.names), "seconds": now - at}
                for key, (spec, at) in views.running_matches.items()
            ],
            waiting=[
                {"number": one.number, "kind": one.kind, "names": [name for name, _ in one.players],
                 "left": state.matches_left[one.number], "seconds": now - time_of(one.at).timestamp()}
                for one in waiting
            ],
            stages=[(name, sum(1 for _ in run.waiting())) for name, run in views.results.stages.items()],
            checks=[
                (one.key, line.get("running") or line.get("name", "waits"))
                for one in state.waiting()
                for line in (loop.checks.lines(one) if loop else [])[-1:] or [{}]
            ],
            shares=sorted(loop.shares.usual.items()) if loop else [],
            over=loop.shares.over(state.teams, []) if loop else (),
        )  # fmt: skip

    def _sources(self, request: Request) -> Response:
        self._site.visitors.organizer(request)
        headers = {"Content-Disposition": 'attachment; filename="sources.zip"'}
        return Response(archive_of(self._contest, self._base), media_type="application/zip", headers=headers)
