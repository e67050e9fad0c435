"""The pictures of teams, and the style sheet that shows them wherever a page has the sign of a team."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.pages.pictures import in_place_of_signs
from arena.season.handing_in import DAY
from arena.season.people import change_picture
from arena.season.png import LARGEST
from arena.season.store import Limiter, Season
from arena.web.pages import Endpoint, json_page
from arena.web.contests.requests import Visitors, body_of, check_csrf

SHEET: Final = "pictures.css"
PER_DAY: Final = 10
"""How often a team may change its picture in 24 hours. Each picture stays in the journal."""


@dataclass(frozen=True, slots=True)
class PicturePages:
    season: Season
    visitors: Visitors
    _changes: Limiter = field(default_factory=lambda: Limiter(PER_DAY, DAY))

    def routes(self) -> dict[str, Endpoint]:
        return {"/team/{team}/picture": self._picture}

    def sheet(self, request: Request) -> Response:
        """Return the style sheet that shows the pictures of all teams."""
        self.visitors.reader(request)
        found = self.season.snapshot.state.shown_pictures()
        addresses = {team: f"/team/{quote(team, safe='')}/picture?{_version(png)}" for team, png in found.items()}
        return Response(in_place_of_signs(addresses), media_type="text/css")

    def _picture(self, request: Request) -> Response:
        self.visitors.reader(request)
        png = self.season.snapshot.state.shown_pictures().get(request.path_params["team"])
        if png is None:
            raise HTTPException(404, "This team has no picture.")
        kept = "private, max-age=86400" if request.url.query == _version(png) else "no-store"
        return Response(png, media_type="image/png", headers={"Cache-Control": kept})

    async def change(self, request: Request) -> Response:
        """Accept a picture. The body is a PNG file as `arena.season.png` describes it; empty for none."""
        session = self.visitors.needed(request)
        check_csrf(session, request.headers.get("x-csrf", ""))
        team = session.member.team
        if session.member.role != "member":
            raise HTTPException(403, "Only members of a team choose its picture.")
        data = await body_of(request, LARGEST, "picture")
        if not self._changes.take(team):  # only now: other requests can come while the body does
            raise HTTPException(429, f"The team has changed its picture {PER_DAY} times in 24 hours. Try tomorrow.")
        await run_in_threadpool(change_picture, self.season, session.member, data)
        return json_page({})


def _version(png: bytes) -> str:
    return sha256(png).hexdigest()[:16]
