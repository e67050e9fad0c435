"""What the members of a team do on its pages: hand in versions, choose, challenge, read logs, choose a picture."""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from arena.contests.journal.files import DiskError, disk_errors
from arena.contests.open_contest import OpenContest, new_work_folder
from arena.contests.people.accounts import Limiter, SignedIn, change_picture, choose_name
from arena.contests.people.team_actions import activate, agree, challenge
from arena.contests.people.uploads import DAY, FULL, MIB, RefusedUploadError, Uploads
from arena.contests.png import LARGEST
from arena.contests.values import Member, Version, number_of, utc
from arena.pages.pictures import in_place_of_signs
from arena.text.reading import whole_number
from arena.web.computing import unshared
from arena.web.contests.my_data import archive_of_member
from arena.web.contests.public import found_match, watched_match
from arena.web.contests.requests import (
    PostedForm,
    back,
    body_of,
    check_csrf,
    picture_address,
    refused,
    takes_bots,
    team_address,
)
from arena.web.contests.site import PICTURES, Shared, Site
from arena.web.contests.versions import VersionPages
from arena.web.match_pages import log_of
from arena.web.pages import Endpoint, json_page

RECEIVE_SECONDS: Final = 300.0
"""The longest time to receive one upload, in seconds: the largest archive at half a MB a second."""
UNPACKED_AT_ONCE: Final = 2
"""The number of uploads that are unpacked at the same time: each takes memory and disk space."""
ARCHIVES_PER_DAY: Final = 5
"""How often a person may ask for all their data in 24 hours: each time, all logs of their team are read."""
PARTS: Final = ("replays", "picture", "opponent")
"""What a team can agree to."""
PICTURES_PER_DAY: Final = 10
"""How often a team may change its picture in 24 hours. Each picture stays in the journal."""


class TeamPages:
    """What teams and the owners of bots see: also while another process runs the contest."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._archives = Limiter(ARCHIVES_PER_DAY, DAY)

    def routes(self, shared: Shared) -> dict[str, Endpoint]:
        return {
            "/match/{match_id}/explained": unshared(self._explained),
            "/match/{match_id}/log": unshared(self._log),
            "/api/session": self._session,
            "/my-data.zip": unshared(self._my_data),
            f"/{PICTURES}": shared(self._sheet),
            "/team/{team}/picture": self._picture,
        }

    def _explained(self, request: Request) -> Response:
        """Return the explanation of a match as the reader may see it; only causes if none has been computed."""
        views, played = watched_match(self._site, request)
        return json_page(views.explained(played) if played.result else {})

    def _log(self, request: Request) -> Response:
        session = self._site.visitors.needed(request)
        views, played = found_match(self._site, request)
        name = request.query_params.get("team", session.member.entrant)
        if name not in played.names or not views.is_own(name):
            raise HTTPException(403, "These logs are for the bot's team.")
        path = self._site.contest.folder / views.replay(played)
        context = log_of(request, path, played.names.index(name), played.result)
        context |= {"name": name, "match_id": played.id, "match_title": views.row(played).title}
        return self._site.page(request, session, "log", f"{name}: log", **context)

    def _session(self, request: Request) -> Response:
        """Return who is signed in, with the value that their changes need, for scripts of pages in a folder."""
        session, answer = self._site.visitors.session(request), {"takes_bots": takes_bots(self._site.contest)}
        if session is None:
            return json_page(answer)
        member = session.member
        person = {"name": member.name, "team": member.entrant, "role": member.role, "csrf": session.csrf}
        return json_page(answer | person)

    def _my_data(self, request: Request) -> Response:
        """Return all that the contest knows of the reader and their team."""
        session = self._site.visitors.needed(request)
        if not self._archives.take(session.member.id):
            raise HTTPException(429, f"You have asked {ARCHIVES_PER_DAY} times in 24 hours. Try tomorrow.")
        path = archive_of_member(self._site.views(session), session.member)
        return FileResponse(path, filename="my-data.zip", background=BackgroundTask(path.unlink))

    # -- pictures ------------------------------------------------------------------------------------

    def _sheet(self, request: Request) -> Response:
        """Return the style sheet that shows the pictures of all teams."""
        self._site.visitors.reader(request)
        pictures = self._site.contest.snapshot.state.public_pictures()
        addresses = {team: picture_address(team, png) for team, png in pictures.items()}
        return Response(in_place_of_signs(addresses), media_type="text/css")

    def _picture(self, request: Request) -> Response:
        self._site.visitors.reader(request)
        png = self._site.contest.snapshot.state.public_pictures().get(request.path_params["team"])
        if png is None:
            raise HTTPException(404, "This team has no picture.")
        is_newest = picture_address(request.path_params["team"], png).endswith(f"?{request.url.query}")
        cache_control = "private, max-age=86400" if is_newest else "no-store"
        return Response(png, media_type="image/png", headers={"Cache-Control": cache_control})


class TeamForms:
    """What members of a team send."""

    def __init__(self, site: Site, contest: OpenContest, versions: VersionPages) -> None:
        self._site = site
        self._contest = contest
        self._versions = versions
        self._uploads = Uploads(contest)
        self._unpacking = asyncio.Semaphore(UNPACKED_AT_ONCE)
        self._pictures = Limiter(PICTURES_PER_DAY, DAY)

    def routes(self) -> dict[str, Endpoint]:
        limited = self._site.visitors.limited
        return {
            "/activate": limited(self._activate),
            "/challenge": limited(self._challenge),
            "/display-name": limited(self._choose_name),
            "/consent": limited(self._agree),
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

    def _activate(self, form: PostedForm) -> Response:
        member = self._member(form.session, "choose its version")
        version = self._contest.state.version(member.entrant, number_of(form.text("number")))
        if version is None:
            raise HTTPException(404, "This version does not exist.")
        activate(self._contest, version)
        return back(team_address(version.entrant))

    def _challenge(self, form: PostedForm) -> Response:
        team = self._member(form.session, "start challenges").entrant
        challenge(self._contest, team, form.text("opponent"), number_of(form.text("number")))
        return back(team_address(team))

    def _choose_name(self, form: PostedForm) -> Response:
        member = self._member(form.session, "choose its name")
        choose_name(self._contest, member, form.text("name"))
        return back(team_address(self._contest.state.members[member.id].entrant))

    def _agree(self, form: PostedForm) -> Response:
        team = self._member(form.session, "say what it agrees to").entrant
        agree(self._contest, team, [part for part in PARTS if form.text(part)], form.text("licence"))
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

        With "X-Activate: at-once", the version becomes active as soon as it passes its check. The header X-Consent has
        what the team agrees to, such as "replays opponent", and X-Licence the licence of its bots.
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
            if "x-consent" in request.headers:
                licence = unquote(request.headers.get("x-licence", ""))
                parts = request.headers["x-consent"].split()
                await run_in_threadpool(agree, self._contest, version.entrant, parts, licence)
        except RefusedUploadError as error:
            raise refused(error, error.status) from None
        state = await run_in_threadpool(self._versions.state_of, self._site.views(session), version)
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
