"""What the members of a team do on its pages: hand in versions, choose, challenge, read logs, choose a picture."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.journal.files import DiskError, disk_errors
from arena.contests.open_contest import OpenContest, new_work_folder
from arena.contests.people.accounts import Limiter, SignedIn, change_picture
from arena.contests.people.team_actions import activate, challenge
from arena.contests.people.uploads import DAY, FULL, MIB, RefusedUploadError, Uploads
from arena.contests.png import LARGEST
from arena.contests.suspicions import first_turn_apart
from arena.contests.values import REPORTED, LadderEncounter, Member, Played, Player, Version, number_of, utc
from arena.pages.pictures import in_place_of_signs
from arena.text.reading import whole_number
from arena.web.computing import unshared
from arena.web.contests.entrants import challenges_left, is_member, rivals_of, version_record
from arena.web.contests.matches import Views
from arena.web.contests.public import found_match, watched_match
from arena.web.contests.requests import Fields, back, body_of, check_csrf, refused, takes_bots, team_address
from arena.web.contests.site import PICTURES, Shared, Site
from arena.web.match_pages import log_of
from arena.web.pages import Endpoint, json_page

RECEIVE_SECONDS = 300.0
"""The longest time to receive one upload, in seconds."""
UNPACKED_AT_ONCE = 2
PICTURES_PER_DAY: Final = 10
"""How often a team may change its picture in 24 hours. Each picture stays in the journal."""
Reported = tuple[Player, list[Played]]
"""An opponent in a version's report, with their matches."""


class TeamPages:
    """What teams and the owners of bots see: also while another process runs the contest."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, shared: Shared) -> dict[str, Endpoint]:
        return {
            "/match/{match_id}/explained": unshared(self._explained),
            "/match/{match_id}/log": unshared(self._log),
            "/version/{team}/{number}": shared(self._version),
            "/api/version/{team}/{number}": shared(self._version_state),
            "/api/session": self._session,
            f"/{PICTURES}": shared(self._sheet),
            "/team/{team}/picture": self._picture,
        }

    def _explained(self, request: Request) -> Response:
        """Return the explanation of a match, for its teams and the organizers; empty if none has been computed."""
        views, played = watched_match(self._site, request)
        if not views.takes_part(played):
            raise HTTPException(403, "This explanation is for the players of the match.")
        return json_page(views.explained(played) if played.result else {})

    def _log(self, request: Request) -> Response:
        session = self._site.visitors.needed(request)
        views, played = found_match(self._site, request)
        name = request.query_params.get("team", session.member.entrant)
        if name not in played.names or not views.is_own(name):
            raise HTTPException(403, "These logs are for the bot's team.")
        path = self._site.contest.folder / views.replay(played)
        log = log_of(request, path, played.names.index(name), played.result)
        return self._site.page(
            request, session, "log", f"{name}: log", name=name, match_id=played.id,
            match_title=views.row(played)["title"], **log,
        )  # fmt: skip

    def _session(self, request: Request) -> Response:
        """Return who is signed in, with the value that their changes need, for scripts of pages in a folder."""
        session, found = self._site.visitors.session(request), {"takes_bots": takes_bots(self._site.contest)}
        if session is None:
            return json_page(found)
        member = session.member
        who = {"name": member.name, "team": member.entrant, "role": member.role, "csrf": session.csrf}
        return json_page(found | who)

    # -- versions ------------------------------------------------------------------------------------

    def _own_version(self, request: Request) -> tuple[Views, Version]:
        views = self._site.views(self._site.visitors.needed(request))
        version = views.state.version(request.path_params["team"], number_of(request.path_params["number"]))
        if version is None or not views.is_own(version.entrant):
            raise HTTPException(404, "This version does not exist.")
        return views, version

    def _version(self, request: Request) -> Response:
        views, version = self._own_version(request)
        name = version.entrant
        known = version_record(views, version) | self.state_of(views, version)
        return self._site.page(
            request, views.session, "version", f"{name} {version.number}", **known, open=_is_open(views, version),
            member=is_member(views, name), rivals=rivals_of(views, name), challenges=challenges_left(views, name),
        )  # fmt: skip

    def _version_state(self, request: Request) -> Response:
        views, version = self._own_version(request)
        return json_page(self.state_of(views, version))

    def state_of(self, views: Views, version: Version) -> dict[str, Any]:
        """Return what its owners and the organizers see of a version and of its report, as values for JSON."""
        report, checks = version.report, self._site.loop and self._site.loop.checks
        running = checks.lines(version) if checks else []
        record, found = version_record(views, version), list(_reported(views, version))
        state = "checking" if report is None and running else record["state"]
        return {
            "team": version.entrant,
            "number": version.number,
            "hash": version.hash,
            "late": version.late,
            "left_out": version.left_out,
            "state": state,
            "problem": report.problem if report else "",
            "waits": checks.why_waiting(version) if checks else "",
            "lines": list(report.lines) if report else running,
            "scores": _scores(views, version, found),
            "comparison": _comparison(views, version, found),
            "compares": state == "passed" and _is_open(views, version),
            "active": record["active"],
            "url": f"/version/{quote(version.key)}",
        }

    # -- pictures ------------------------------------------------------------------------------------

    def _sheet(self, request: Request) -> Response:
        """Return the style sheet that shows the pictures of all teams."""
        self._site.visitors.reader(request)
        found = self._site.contest.snapshot.state.public_pictures()
        addresses = {team: f"{team_address(team)}/picture?{_version_of(png)}" for team, png in found.items()}
        return Response(in_place_of_signs(addresses), media_type="text/css")

    def _picture(self, request: Request) -> Response:
        self._site.visitors.reader(request)
        png = self._site.contest.snapshot.state.public_pictures().get(request.path_params["team"])
        if png is None:
            raise HTTPException(404, "This team has no picture.")
        kept = "private, max-age=86400" if request.url.query == _version_of(png) else "no-store"
        return Response(png, media_type="image/png", headers={"Cache-Control": kept})


class TeamForms:
    """What members of a team send."""

    def __init__(self, site: Site, contest: OpenContest, pages: TeamPages) -> None:
        self._site = site
        self._contest = contest
        self._pages = pages
        self._uploads = Uploads(contest)
        self._unpacking = asyncio.Semaphore(UNPACKED_AT_ONCE)
        self._pictures = Limiter(PICTURES_PER_DAY, DAY)

    def routes(self) -> dict[str, Endpoint]:
        limited = self._site.visitors.limited
        return {
            "/activate": limited(self._activate),
            "/challenge": limited(self._challenge),
            "/picture": self._change_picture,
            "/api/submit": self._submit,
        }

    def _member(self, session: SignedIn, what: str) -> Member:
        """Return the sender, who must be a member of a team."""
        member, state = session.member, self._contest.state
        if self._contest.config.people is None:
            raise HTTPException(403, "In this contest, only the organizer brings bots.")
        if member.role != "member" or not state.entrants[member.entrant].is_team:
            raise HTTPException(403, f"Only members of a team {what}.")
        return member

    def _activate(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        member = self._member(session, "choose its version")
        version = self._contest.state.version(member.entrant, number_of(fields.get("number", "")))
        if version is None:
            raise HTTPException(404, "This version does not exist.")
        activate(self._contest, version)
        return back(team_address(version.entrant))

    def _challenge(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        team = self._member(session, "start challenges").entrant
        challenge(self._contest, team, fields.get("opponent", ""), number_of(fields.get("number", "")))
        return back(team_address(team))

    async def _change_picture(self, request: Request) -> Response:
        """Accept a picture. The body is a PNG file as `arena.contests.png` describes it; empty for none."""
        session = self._site.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        member = self._member(session, "choose its picture")
        data = await body_of(request, LARGEST, "picture")
        if not self._pictures.take(member.entrant):  # only now: other requests can come while the body does
            text = f"The team has changed its picture {PICTURES_PER_DAY} times in 24 hours. Try tomorrow."
            raise HTTPException(429, text)
        await run_in_threadpool(change_picture, self._contest, member, data)
        return json_page({})

    # -- uploads -------------------------------------------------------------------------------------

    async def _submit(self, request: Request) -> Response:
        """Accept an upload. The body is the content of the file, and the header X-File-Name is its name.

        With "X-Activate: at-once", the version becomes active as soon as it passes its check.
        """
        session = self._site.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        member = self._member(session, "hand in bots")
        length = whole_number(request.headers.get("content-length", "0"))
        if length is None or length > self._largest:  # None if it is no number, or has more than 15 digits
            error = self._too_large()
            raise refused(error, error.status)
        try:
            with self._uploads.reserved(member.entrant):
                version, is_new = await self._take(request, member)
            if not is_new and _at_once(request) and version.passed:
                await run_in_threadpool(activate, self._contest, version)
        except RefusedUploadError as error:
            raise refused(error, error.status) from None
        state = await run_in_threadpool(self._pages.state_of, self._site.views(session), version)
        return json_page(state | {"new": is_new}, 201 if is_new else 200)

    async def _take(self, request: Request, member: Member) -> tuple[Version, bool]:
        name = unquote(request.headers.get("x-file-name", "bot.zip"))
        folder = None
        try:
            folder = await run_in_threadpool(new_work_folder, self._contest.folder)
            async with asyncio.timeout(RECEIVE_SECONDS):
                await self._receive(request, folder / "upload")
            at = utc()
            async with self._unpacking:  # each takes memory and disk space
                return await run_in_threadpool(
                    partial(self._uploads.take, member, folder / "upload", name, at, at_once=_at_once(request))
                )
        except TimeoutError:
            text = f"The upload took longer than {RECEIVE_SECONDS:g} seconds."
            raise RefusedUploadError(text, 408, "Try again.") from None
        except DiskError as error:
            raise RefusedUploadError(*FULL) from error
        finally:
            if folder is not None:
                await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)

    async def _receive(self, request: Request, path: Path) -> None:
        size = 0
        with disk_errors(path), path.open("wb") as stream:
            async for chunk in request.stream():
                size += len(chunk)
                if size > self._largest:
                    raise self._too_large()
                await run_in_threadpool(stream.write, chunk)

    @property
    def _largest(self) -> int:
        return self._contest.config.visible.largest_mib * MIB

    def _too_large(self) -> RefusedUploadError:
        return RefusedUploadError(f"The upload is larger than {self._largest // MIB} MiB.", 413)


def _at_once(request: Request) -> bool:
    return request.headers.get("x-activate", "") == "at-once"


def _version_of(png: bytes) -> str:
    return sha256(png).hexdigest()[:16]


# -- the report of a version -------------------------------------------------------------------------------


def _is_open(views: Views, version: Version) -> bool:
    """Return whether matches for the report of a version are still to be played."""
    state = views.state
    return any(_compares(version, state.encounters[number]) for number in state.matches_left)


def _compares(version: Version, encounter: LadderEncounter) -> bool:
    return encounter.kind in REPORTED and encounter.players[0] == version.player


def _reported(views: Views, version: Version) -> Iterator[Reported]:
    """Yield the opponents in a version's report, with their matches, in the order of the encounters."""
    state = views.state
    found: dict[int, list[Played]] = {}
    for played in state.newest(version.entrant):
        if played.is_reported and _compares(version, state.encounters[played.encounter]) and not played.is_void:
            found.setdefault(played.encounter, []).append(played)
    for number in sorted(found):
        yield state.encounters[number].players[-1], found[number][::-1]


def _scores(views: Views, version: Version, reported: Sequence[Reported]) -> list[dict[str, Any]]:
    """Return the results of a version against anchors, in the matches of its report, weakest first."""
    anchors = views.state.anchors
    found = [(rival, played) for rival, played in reported if rival[0] in anchors]
    return [_score(version, rival, played) for rival, played in sorted(found, key=lambda one: anchors[one[0][0]])]


def _comparison(views: Views, version: Version, reported: Sequence[Reported]) -> dict[str, Any] | None:
    """Return how a version does against the version that was active, and where their first matches differ."""
    state = views.state
    for rival, played in reported:
        known = state.by_player[rival]
        if rival[0] in state.anchors:
            continue
        trials = [one.report and state.played.get(one.report.match) for one in (version, known)]
        places = [views.contest.folder / one.replay for one in trials if one and one.replay]
        differs = first_turn_apart(*places) if len(places) == len(trials) else None
        return _score(version, rival, played) | {"version": known.number, "differs": differs}
    return None


def _score(version: Version, rival: Player, matches: list[Played]) -> dict[str, Any]:
    """Return the points of a version in matches with one opponent: those of its first seat in each match."""
    seats = [played.players.index(version.player) for played in matches]
    return {
        "opponent": rival[0],
        "points": sum(played.points[seat] for played, seat in zip(matches, seats, strict=True)),
        "matches": [
            {"id": played.id, "score": f"{played.scores[seat]:zg}", "points": f"{played.points[seat]:g}"}
            for played, seat in zip(matches, seats, strict=True)
        ],
    }
