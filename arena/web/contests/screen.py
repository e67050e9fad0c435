"""The big screen of a contest: what `screen.js` shows in turn, for a room of people.

It has only what everybody can see, even if an organizer opens it: a projector has no reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain, islice
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.contests.report.page import stage_parts
from arena.contests.report.views import ladder_view
from arena.contests.values import RATED
from arena.pages.pictures import sign
from arena.pages.render import part
from arena.web.contests.matches import MatchRow, Views
from arena.web.contests.public import match_links
from arena.web.contests.site import Shared, Site
from arena.web.pages import Endpoint, json_page

_LINES: Final = 8
"""The number of results, and of encounters that come next: as many lines as people read from the last row."""
_MOST_SEARCHED: Final = 200
"""The number of the newest results among which one with a board is searched."""
_ANNOUNCEMENTS: Final = 3


class ScreenPages:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, first: Shared) -> dict[str, Endpoint]:
        return {"/screen": self._screen, "/screen.json": first(self._state)}

    def _screen(self, request: Request) -> Response:
        session = self._site.visitors.reader(request)
        return self._site.page(request, session, "screen", self._site.contest.config.name)

    def _state(self, request: Request) -> Response:
        self._site.visitors.reader(request)
        views, config = self._site.views(None), self._site.contest.config.visible
        times = {"opens": "" if self._site.has_opened else config.opens, "deadline": config.deadline}
        announcements = views.state.orders.announcements[:_ANNOUNCEMENTS]
        document = {
            **(_matches_and_tables(views) if self._site.has_opened else _NOTHING),
            **{name: at and {"at": at, "zone": config.shown_time(at)} for name, at in times.items()},
            "announcements": [announcement.reason for announcement in announcements],
        }
        return json_page(document)


_NOTHING: Final = {"sections": (), "board": None, "recent": (), "running": (), "next": ()}


def _matches_and_tables(views: Views) -> dict[str, Any]:
    newest = islice(views.listed(), _MOST_SEARCHED)
    recent = list(islice(newest, _LINES))
    watched = next((row for row in chain(recent, newest) if row.watch), None)
    # While results are held back, the next encounters would show which matches are over.
    waiting = _waiting_names(views) if views.visibility.everything else ()
    return {
        "sections": _sections(views),
        "board": watched and _brief(watched),
        "recent": [_brief(row) for row in recent],
        "running": [_brief(row) for row in views.running()],
        "next": [list(dict.fromkeys(names)) for names in waiting][:_LINES],
    }


def _sections(views: Views) -> Sequence[Mapping[str, str]]:
    """Return the standings and the bracket of each stage, the newest first, and the ladder, as HTML."""
    sections = []
    for run in reversed(views.results.stages.values()):
        parts = stage_parts(views.results, run, match_links(views))
        key, title = parts.standings.key, parts.standings.title
        if parts.bracket:
            html = part("parts/drawings.html", "bracket", parts.bracket)
            sections.append({"id": f"bracket-{key}", "kind": "bracket", "title": title, "html": html})
        html = part("parts/components.html", "standings", parts.standings, None)
        sections.append({"id": key, "kind": "table", "title": title, "html": html})
    if views.ladder:
        html = part("parts/components.html", "standings", ladder_view(views.state, views.ladder), None)
        sections.append({"id": "ladder", "kind": "table", "title": "Ladder", "html": html})
    return sections


def _waiting_names(views: Views) -> list[list[str]]:
    """Return the names of the players of each rated encounter of the ladder that waits."""
    state = views.state
    running = {spec.round for spec, _ in views.running_matches.values() if spec.stage in RATED}
    waiting = [state.encounters[number] for number in state.matches_left if number not in running]
    return [[name for name, _ in encounter.players] for encounter in waiting if encounter.kind in RATED]


def _brief(row: MatchRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "place": row.place,
        "note": row.note,
        "running": row.running,
        "watch": row.watch,
        "sides": [asdict(side) | {"sign": asdict(sign(side.name))} for side in row.sides],
    }
