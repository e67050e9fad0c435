"""Hand in versions of bots, and show them to their team and the organizers."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.journal.files import DiskError, disk_errors
from arena.season.handing_in import FULL, RefusedUploadError, Uploads
from arena.season.matches import activate
from arena.season.people import SignedIn
from arena.season.store import Season, new_work_folder, utc
from arena.season.values import Member, Version, number_of
from arena.text.numbers import whole_number
from arena.web.pages import Endpoint, json_page
from arena.web.contests.requests import Visitors, check_csrf, refused
from arena.web.contests.views import Views

RECEIVE_SECONDS = 300.0
"""The longest time to receive one upload, in seconds."""
UNPACKED_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class VersionPages:
    season: Season
    visitors: Visitors
    views: Callable[[], Views]
    page: Callable[..., Response]
    uploads: Uploads
    _unpacking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(UNPACKED_AT_ONCE))

    def routes(self, shared: Callable[..., Endpoint]) -> dict[str, Endpoint]:
        return {
            "/version/{team}/{number}": shared(self._version),
            "/api/version/{team}/{number}": shared(self._version_state),
        }

    async def submit(self, request: Request) -> Response:
        """Accept an upload. The body is the content of the file, and the header X-File-Name is its name.

        With "X-Activate: at-once", the version becomes active as soon as it passes its check.
        """
        session = self.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        if session.member.role != "member":
            raise HTTPException(403, "Only members of a team hand in bots.")
        team, largest = session.member.team, self.season.config.largest_mib * 1024 * 1024
        length = whole_number(request.headers.get("content-length", "0"))
        if length is None or length > largest:  # None if it is no number, or has more than 15 digits
            error = self._too_large()
            raise refused(error, error.status)
        try:
            with self.uploads.reserved(team):
                version, is_new = await self._take(request, session.member)
            if not is_new and _at_once(request) and version.passed:
                await run_in_threadpool(activate, self.season, version)
        except RefusedUploadError as error:
            raise refused(error, error.status) from None
        return json_page(_state_of(version, self.views()) | {"new": is_new}, 201 if is_new else 200)

    async def _take(self, request: Request, member: Member) -> tuple[Version, bool]:
        name = unquote(request.headers.get("x-file-name", "bot.zip"))
        folder = None
        try:
            folder = await run_in_threadpool(new_work_folder, self.season)
            async with asyncio.timeout(RECEIVE_SECONDS):
                await self._receive(request, folder / "upload")
            at = utc()
            async with self._unpacking:  # each takes memory and disk space
                return await run_in_threadpool(
                    partial(self.uploads.take, member, folder / "upload", name, at, at_once=_at_once(request))
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
        size, largest = 0, self.season.config.largest_mib * 1024 * 1024
        with disk_errors(path), path.open("wb") as stream:
            async for chunk in request.stream():
                size += len(chunk)
                if size > largest:
                    raise self._too_large()
                await run_in_threadpool(stream.write, chunk)

    def _too_large(self) -> RefusedUploadError:
        return RefusedUploadError(f"The upload is larger than {self.season.config.largest_mib} MiB.", 413)

    def _own_version(self, request: Request) -> tuple[SignedIn, Version, Views]:
        session, views = self.visitors.needed(request), self.views()
        version = views.state.version(request.path_params["team"], number_of(request.path_params["number"]))
        if version is None or not views.is_own(session, version.team):
            raise HTTPException(404, "This version does not exist.")
        return session, version, views

    def _version(self, request: Request) -> Response:
        session, version, views = self._own_version(request)
        title = f"{version.team} {version.number}"
        return self.page(
            request,
            session,
            "version",
            title,
            script="season.js",
            **views.version(version),
            **views.report(version),
            **views.trying(session, version.team),
        )

    def _version_state(self, request: Request) -> Response:
        _, version, views = self._own_version(request)
        return json_page(_state_of(version, views))


def _at_once(request: Request) -> bool:
    return request.headers.get("x-activate", "") == "at-once"


def _state_of(version: Version, views: Views) -> dict[str, Any]:
    shown = views.version(version) | views.report(version)
    return {
        "team": version.team, "number": version.number, "hash": version.hash, "late": version.late,
        "left_out": version.left_out,
        **{name: shown[name] for name in ("state", "problem", "waits", "lines", "active", "scores", "comparison")},
        "compares": shown["open"] and shown["state"] == "passed",
        "url": f"/version/{quote(version.key)}",
    }  # fmt: skip
