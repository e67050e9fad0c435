"""The organizer's desk: acts, invitations, suspicions, the queue, and the sources of all versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.config_file import formats_of
from arena.contests.journal.chain import ERASE
from arena.contests.journal.files import DiskError
from arena.contests.open_contest import OpenContest
from arena.contests.people import accounts, erasure
from arena.contests.people.accounts import SignedIn
from arena.contests.people.organizer_acts import act, public_log, quickdraw
from arena.contests.queue.copies import copy_path
from arena.contests.report.titles import capital
from arena.contests.scheduler import are_enough
from arena.contests.suspicions import alike, archive_of, improbable_pairs, is_template, twins
from arena.contests.values import ACTS, LADDER, ROLES, Version, time_of, utc
from arena.contests.visibility import visibility_of
from arena.errors import ArenaError
from arena.web.computing import unshared
from arena.web.contests.requests import Answer, Fields, PostedForm, back
from arena.web.contests.site import Shared, Site
from arena.web.pages import Endpoint

_MOST_VERSIONS: Final = 200
"""The number of versions on the desk, the newest ones: a page of all versions of a term would take seconds."""


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
            "/desk/invite": form(self._or_desk(self._invite), organizer),
            "/desk/revoke": form(self._revoke, organizer),
            "/desk/act": form(self._or_desk(self._act), organizer),
            "/desk/erasure": form(self._or_desk(self._ask_to_erase), organizer),
            "/desk/erase": form(self._or_desk(self._erase), organizer),
        }

    # -- the desk ------------------------------------------------------------------------------------

    def _desk(self, request: Request) -> Response:
        return self._desk_page(request, self._site.visitors.organizer(request), {})

    def _desk_page(self, request: Request, session: SignedIn, entered: Fields, error: str = "") -> Response:
        """Return the desk, after an error with the fields that the organizer had entered."""
        context = {
            "kinds": ACTS,
            "irrevocable": ERASE,
            "roles": ROLES,
            "entered": entered,
            "error": error,
            **self._content(),
        }
        return self._site.page(request, session, "desk", "Organizer's desk", 409 if error else 200, **context)

    def _content(self) -> dict[str, Any]:
        snapshot = self._contest.snapshot
        state, config = snapshot.state, self._contest.config

        def is_unchanged(version: Version) -> bool:
            return is_template((self._contest.folder / copy_path(version.hash)).resolve(), self._base)

        have_tokens, public = set(state.tokens.values()), visibility_of(state)
        begun, versions = list(state.stages), [*state.by_player.values()]
        return {
            "entrants": list(state.entrants),
            "hidden_teams": [entrant for entrant in state.entrants.values() if entrant.name != entrant.real_name],
            "pictured": list(state.public_pictures()),
            "versions": sorted(versions, key=lambda version: version.at, reverse=True)[:_MOST_VERSIONS],
            "count": len(versions),
            "twins": twins(state, is_unchanged),
            "alike": alike(state, is_unchanged),
            "pairs": improbable_pairs(snapshot),
            "voids": [(name, count, state.void_causes[name]) for name, count in state.void_counts.most_common()],
            "members": [(member, member.id in have_tokens) for member in state.members.values()],
            "invitations": [sent for sent in state.invitations.values() if time_of(sent.expires) > utc()],
            "entries": public_log(state, everything=True),
            "held": 0 if public.everything else sum(not public.shows(played) for played in state.played.values()),
            "problem": self._problem(),
            "begun": begun,
            "planned": [stage.name for stage in config.stages if stage.format != LADDER and stage.name not in begun],
            "formats": formats_of(self._contest.game),
            "quickdraw": quickdraw(state) if are_enough(state, state.playing()) else None,
            "groups": config.groups,
        }

    def _problem(self) -> str:
        loop = self._site.loop
        if loop is None:
            return ""
        stuck = [f"The match {match_id} cannot be played: {reason}" for match_id, reason in loop.report.stuck.items()]
        webhook = loop.webhook.problem if loop.webhook else ""
        return loop.problem or loop.checks.problem or next(iter(stuck), webhook)

    def _or_desk(self, answer: Answer) -> Answer:
        """Return a function that answers a form. After a mistake, it shows the desk with what was entered."""

        def answer_or_desk(form: PostedForm) -> Response:
            try:
                return answer(form)
            except DiskError:
                raise
            except ArenaError as error:
                if "text/html" not in form.request.headers.get("accept", ""):
                    raise
                message = f"{error.message} {error.hint}".strip()
                return self._desk_page(form.request, form.session, form.fields, message)

        return answer_or_desk

    def _act(self, form: PostedForm) -> Response:
        act(self._contest, form.session.member, form.text("kind"), form.fields)
        return back("/desk")

    # -- people --------------------------------------------------------------------------------------

    def _invite(self, form: PostedForm) -> Response:
        by, csv = form.session.member.id, form.text("csv")
        if csv.strip():
            invited = accounts.invite_all(self._contest, csv, by)
        else:
            team, name, role, groups = (form.text(field).strip() for field in ("team", "name", "role", "groups"))
            invited = [(team, name, accounts.invite(self._contest, team, name, role, by, groups.split()))]
        links = [(team, name, self._site.link(form.request, "join", token)) for team, name, token in invited]
        return self._site.page(form.request, form.session, "invited", "Invitations", links=links)

    def _revoke(self, form: PostedForm) -> Response:
        key = form.text("key")
        if key not in self._contest.state.members and key not in self._contest.state.invitations:
            raise HTTPException(404, "This person does not exist.")
        accounts.revoke(self._contest, key)
        return back("/desk")

    def _ask_to_erase(self, form: PostedForm) -> Response:
        """Show what the erasure of a person would touch."""
        state, person = self._contest.state, form.text("person")
        found = erasure.plan(self._contest, erasure.people_of(state, person))
        context: dict[str, Any] = {"person": person, "name": state.ids.get(person, person), "lines": [*found.lines()]}
        return self._site.page(form.request, form.session, "erase", "Erase a person", **context)

    def _erase(self, form: PostedForm) -> Response:
        contest, person = self._contest, form.text("person")
        if form.text("again").strip() != contest.state.ids.get(person, person):
            raise ArenaError("Nothing was erased: the name is another one.")
        with contest.lock:  # no match ends between the plan and its execution
            found = erasure.plan(contest, erasure.people_of(contest.state, person))
            erasure.erase(contest, form.session.member, form.text("reason"), found, self._site.busy)
        return back("/desk")

    # -- the queue, the sources ----------------------------------------------------------------------

    def _queue(self, request: Request) -> Response:
        session = self._site.visitors.organizer(request)
        views, loop = self._site.views(session), self._site.loop
        state, now = views.state, utc().timestamp()
        running = [
            {"id": match_id, "kind": capital(spec.stage), "names": list(spec.names), "seconds": now - begun}
            for match_id, (spec, begun) in views.running_matches.items()
        ]
        waiting = [
            {
                "number": number,
                "kind": capital(state.encounters[number].kind),
                "names": [name for name, _ in state.encounters[number].players],
                "left": left,
                "seconds": now - time_of(state.encounters[number].at).timestamp(),
            }
            for number, left in state.matches_left.items()
        ]
        context: dict[str, Any] = {
            "results": len(state.played),
            "slots": loop.slots if loop else 0,
            "problem": self._problem(),
            "running": running,
            "waiting": waiting,
            "stages": [(capital(name), sum(1 for _ in run.waiting())) for name, run in views.results.stages.items()],
            "checks": [(version.key, self._check_step(version)) for version in state.waiting()],
            "shares": sorted(loop.shares.usual.items()) if loop else [],
            "over": loop.shares.over(state.teams, []) if loop else (),
        }
        return self._site.page(request, session, "queue", "Queue", **context)

    def _check_step(self, version: Version) -> str:
        """Return the step of a check that is running, or the last one that is done."""
        lines = self._site.loop.checks.lines(version) if self._site.loop else []
        if not lines:
            return "waits"
        return str(lines[-1].get("running") or lines[-1].get("name", "waits"))

    def _sources(self, request: Request) -> Response:
        self._site.visitors.organizer(request)
        headers = {"Content-Disposition": 'attachment; filename="sources.zip"'}
        return Response(archive_of(self._contest, self._base), media_type="application/zip", headers=headers)
