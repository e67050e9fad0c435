"""Hand in versions of bots, and show them to their team and the organizers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.season.handing_in import RefusedUploadError, check_quota, new_upload_folder, take_upload
from arena.season.people import SignedIn
from arena.season.store import Season
from arena.season.values import Version, number_of
from arena.text.numbers import whole_number
from arena.web.pages import Endpoint, json_page
from arena.web.season.requests import Visitors, check_csrf, refused
from arena.web.season.views import Views


@dataclass(frozen=True, slots=True)
class VersionPages:
    """The pages of the versions of all bots, and the interface for `arena submit`.

    Args:
        season: The season.
        visitors: Finds out who sends a request.
        views: What the visitors are allowed to see.
        page: Returns a page with the links that all pages of the season have.
    """

    season: Season
    visitors: Visitors
    views: Views
    page: Callable[..., Response]

    def routes(self) -> dict[str, Endpoint]:
        """Return the endpoints for GET requests."""
        return {
            "/version/{team}/{number}": self._version,
            "/api/version/{team}/{number}": self._version_state,
        }

    async def submit(self, request: Request) -> Response:
        """Accept an upload. The body is the content of the file, and the header X-File-Name is its name."""
        session = self.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        if session.member.role != "member":
            raise HTTPException(403, "Only members of a team hand in bots.")
        largest = self.season.config.largest_mib * 1024 * 1024
        length = whole_number(request.headers.get("content-length", "0"))
        too_large = HTTPException(413, f"The upload is larger than {self.season.config.largest_mib} MiB.")
        if length is None or length > largest:  # None if it is no number, or has more than 15 digits
            raise too_large
        folder = await run_in_threadpool(new_upload_folder, self.season)
        try:
            check_quota(self.season, session.member.team)
            size = 0
            with (folder / "upload").open("wb") as stream:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > largest:
                        raise too_large
                    await run_in_threadpool(stream.write, chunk)
            name = unquote(request.headers.get("x-file-name", "bot.zip"))
            version, is_new = await run_in_threadpool(take_upload, self.season, session.member, folder / "upload", name)
        except RefusedUploadError as error:
            raise refused(error, error.status) from None
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
        return json_page(self._state_of(version) | {"new": is_new}, 201 if is_new else 200)

    def _own_version(self, request: Request) -> tuple[SignedIn, Version]:
        session = self.visitors.needed(request)
        version = self.season.state.version(request.path_params["team"], number_of(request.path_params["number"]))
        if version is None or not self.views.is_own(session, version.team):
            raise HTTPException(404, "This version does not exist.")
        return session, version

    def _version(self, request: Request) -> Response:
        session, version = self._own_version(request)
        with self.season.lock:
            shown = self.views.version(version)
            return self.page(request, session, "version", f"{version.team} {version.number}", script="season.js",
                              **shown)  # fmt: skip

    def _version_state(self, request: Request) -> Response:
        _, version = self._own_version(request)
        return json_page(self._state_of(version))

    def _state_of(self, version: Version) -> dict[str, Any]:
        with self.season.lock:
            shown = self.views.version(version)
        return {
            "team": version.team, "number": version.number, "hash": version.hash, "late": version.late,
            "state": shown["state"], "problem": shown["problem"], "lines": shown["lines"], "active": shown["active"],
            "url": f"/version/{quote(version.key)}",
        }  # fmt: skip
