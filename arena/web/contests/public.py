"""The pages for everybody: the front page, matches, entrants, tables for programs, the log, the big screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain, islice
from typing import Any, Final
from urllib.parse import quote

from msgspec import to_builtins
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.config import TABLE_FORMATS
from arena.contests.people.organizer_acts import public_log
from arena.contests.report import listings
from arena.contests.report.bracket import Link
from arena.contests.report.details import details_of
from arena.contests.report.page import stage_parts
from arena.contests.report.views import ladder_view, podium, ratings_of
from arena.contests.report.writers import to_csv
from arena.contests.values import RATED, Played, utc
from arena.pages.pictures import sign
from arena.pages.render import part
from arena.web.contests.entrants import entrant_record, versus_record
from arena.web.contests.following import Follower
from arena.web.contests.matches import Views
from arena.web.contests.requests import team_address
from arena.web.contests.site import Shared, Site, packed
from arena.web.match_pages import PATIENCE, MatchPages, VisibleMatch
from arena.web.pages import Endpoint, compressed, json_page

_RECENT: Final = 12
_MOST: Final = 200
_SCREEN: Final = 8


def match_address(match_id: str) -> str:
    return f"/match/{quote(match_id)}"


def versus_address(one: str, other: str) -> str:
    return f"{team_address(one)}/against/{quote(other, safe='')}"


def _chosen_team(request: Request) -> str:
    return request.query_params.get("team", "")


class PublicPages:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._contest = site.contest
        self._page = site.page

    def routes(self, first: Shared, shared: Shared) -> dict[str, Endpoint]:
        """Return the endpoints. `first` keeps the pages that wait for no others."""
        # The status file of another process can be older than its replays.
        matches = MatchPages(self._shown, PATIENCE if isinstance(self._contest, Follower) else 0.0)
        return {
            "/": first(self._front, packed(self._chosen_group)),
            "/standings.json": first(self._standings),
            "/screen": self._screen,
            "/screen.json": first(self._screen_state),
            "/matches": shared(self._matches, packed(_chosen_team)),
            "/match/{match_id}": shared(self._match, packed(lambda one: "whole" * ("whole" in one.query_params))),
            "/match/{match_id}/watch": matches.watch,
            "/match/{match_id}/still": matches.still,
            "/replay/{match_id}": matches.replay,
            "/team/{team}": shared(self._entrant, packed()),
            "/team/{team}/against/{other}": shared(self._versus, packed()),
            "/data/{name}": shared(self._data, packed()),
            "/acts": shared(self._acts, packed()),
        }

    # -- standings -----------------------------------------------------------------------------------

    def _front(self, request: Request) -> Response:
        views = self._site.read(request)
        config, state = self._contest.config, views.state
        shown = views.results
        runs = [*reversed(shown.stages.values())]
        is_final = bool(runs) and shown.state.is_over(runs[0]) and shown.state.next_stage() is None
        first, tie = podium(shown) if is_final else ([], "")
        played = bool(shown.of_stages)
        group = self._chosen_group(request)
        members = [name for name, entrant in state.entrants.items() if not group or group in entrant.groups]
        return self._page(
            request, views.session, "front", config.name,
            group=group, members=members, game=self._contest.game.title, has_begun=state.config is not None,
            late=config.visible.is_late(utc()),
            announcements=state.orders.announcements, running=views.running(),
            stages=[stage_parts(shown, run, self._link(views)) for run in runs], table_formats=TABLE_FORMATS,
            first=first, tie=tie, places=listings.final(shown) if first else None, excluded=shown.state.excluded,
            ladder=ladder_view(views.ladder) if config.ladder else None,
            recent=list(islice(views.listed(), _RECENT)), versus=versus_address,
            ratings=[*ratings_of(shown).values()] if played else [],
            notes=listings.ratings(shown).notes if played else (),
            details=details_of(shown) if played else None,
        )  # fmt: skip

    def _chosen_group(self, request: Request) -> str:
        """Return the group whose teams and bots are shown; empty for all, and if there is no such group."""
        group = request.query_params.get("group", "")
        return group if group in dict(self._contest.config.groups) else ""

    def _standings(self, request: Request) -> Response:
        """Return the name of the contest and the rows of the ladder, with the last results of each."""
        views = self._site.read(request)
        rows = []
        for row in views.ladder:
            document: dict[str, Any] = to_builtins(row)
            form = document.pop("form")
            rows.append(document | {name: form[name] for name in ("won", "drawn", "lost", "last")})
        return json_page({"contest": self._contest.config.name, "rows": rows})

    def _data(self, request: Request) -> Response:
        """Return a table for programs, as ``NAME.csv``."""
        name, _, form = request.path_params["name"].rpartition(".")
        table = self._site.read(request).results.tables.get(name)
        if table is None or form != "csv":
            raise HTTPException(404, "This table does not exist.")
        return compressed(request, Response(to_csv(table), media_type="text/csv"))

    def _acts(self, request: Request) -> Response:
        views = self._site.read(request)
        entries = public_log(views.state, everything=views.is_organizer)
        return self._page(request, views.session, "acts", "Log", entries=entries)

    # -- matches -------------------------------------------------------------------------------------

    def _matches(self, request: Request) -> Response:
        views, team = self._site.read(request), _chosen_team(request)
        rows = list(islice(views.listed(team), _MOST))
        return self._page(request, views.session, "matches", "Matches", rows=rows, team=team)

    def _match(self, request: Request) -> Response:
        views, played = found_match(self._site, request)
        shown = views.match(played)
        whole = shown["match"]["watch"] and "whole" in request.query_params
        title = " – ".join(shown["names"])
        return self._page(
            request, views.session, "match", title, whole=whole, causes=views.causes(played), **shown
        )  # fmt: skip

    def _shown(self, request: Request) -> VisibleMatch:
        views, played = watched_match(self._site, request)
        return VisibleMatch(
            played.names,
            self._contest.folder / views.replay(played),
            played.result is None,
            partial(views.is_over, played),
            partial(_legs, views, played),
            views.programs(played),
        )

    # -- entrants ------------------------------------------------------------------------------------

    def _entrant(self, request: Request) -> Response:
        views = self._site.read(request)
        name = self._entrant_name(views, request.path_params["team"])
        record = entrant_record(views, name)
        return self._page(request, views.session, "team", name, versus=versus_address, **record)

    def _versus(self, request: Request) -> Response:
        views = self._site.read(request)
        one, other = (self._entrant_name(views, request.path_params[key]) for key in ("team", "other"))
        record = versus_record(views, one, other)
        return self._page(request, views.session, "versus", f"{one} against {other}", **record)

    @staticmethod
    def _entrant_name(views: Views, name: str) -> str:
        if name not in views.state.entrants:
            raise HTTPException(404, "This team or bot does not exist.")
        return name

    # -- the big screen: only what everybody can see, even if an organizer opens it ------------------

    def _screen(self, request: Request) -> Response:
        session = self._site.visitors.reader(request)
        return self._page(request, session, "screen", self._contest.config.name)

    def _screen_state(self, request: Request) -> Response:
        self._site.visitors.reader(request)
        views = self._site.views(None)
        config, listed = self._contest.config.visible, islice(views.listed(), _MOST)
        recent = [*islice(listed, _SCREEN)]
        watched = next((row for row in chain(recent, listed) if row["watch"]), None)
        # While results are held back, the next encounters would show which matches are over.
        waiting = self._next(views) if views.visibility.everything else ()
        return json_page({
            "sections": self._sections(views),
            "board": watched and _brief(watched),
            "recent": [_brief(row) for row in recent],
            "running": [_brief(row) for row in views.running()],
            "next": [list(dict.fromkeys(names)) for names in waiting][:_SCREEN],
            "deadline": config.shown_time(config.deadline) if config.deadline else "",
            "announcements": [one.reason for one in views.state.orders.announcements[:3]],
        })  # fmt: skip

    def _sections(self, views: Views) -> Sequence[Mapping[str, str]]:
        """Return the standings and the bracket of each stage, the newest first, and the ladder, as HTML."""
        found = []
        for run in reversed(views.results.stages.values()):
            parts = stage_parts(views.results, run, self._link(views))
            key, title = parts.standings.key, parts.standings.title
            if parts.bracket:
                drawn = part("parts/drawings.html", "bracket", parts.bracket)
                found.append({"id": f"bracket-{key}", "kind": "bracket", "title": title, "html": drawn})
            shown = part("parts/components.html", "standings", parts.standings, None)
            found.append({"id": key, "kind": "table", "title": title, "html": shown})
        if views.ladder:
            shown = part("parts/components.html", "standings", ladder_view(views.ladder), None)
            found.append({"id": "ladder", "kind": "table", "title": "Ladder", "html": shown})
        return found

    @staticmethod
    def _link(views: Views) -> Link:
        """Return how drawings link to the matches that the reader can see."""

        def link(match_id: str) -> str:
            played = views.find(match_id)
            return match_address(match_id) if played and views.may_see(played) else ""

        return link

    @staticmethod
    def _next(views: Views) -> Sequence[list[str]]:
        state = views.state
        running = {spec.round for spec, _ in views.running_matches.values() if spec.stage in RATED}
        waiting = [state.encounters[number] for number in state.matches_left if number not in running]
        return [[name for name, _ in one.players] for one in waiting if one.kind in RATED]


def _brief(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the big screen shows of a match."""
    sides = [asdict(side) | {"sign": asdict(sign(side.name))} for side in row["sides"]]
    return {key: row[key] for key in ("id", "kind", "place", "note", "running", "watch")} | {"sides": sides}


def found_match(site: Site, request: Request) -> tuple[Views, Played]:
    """Return the requested match, for a reader who can see it."""
    views = site.read(request)
    played = views.find(request.path_params["match_id"])
    if played is None or not views.may_see(played):
        raise HTTPException(404, "This match does not exist.")
    return views, played


def watched_match(site: Site, request: Request) -> tuple[Views, Played]:
    """Return the requested match, for a reader who may watch it."""
    views, played = found_match(site, request)
    if not views.replay(played) or not views.may_watch(played):
        raise HTTPException(404, "This replay does not exist.")
    return views, played


def _legs(views: Views, played: Played) -> tuple[list[dict[str, Any]], int]:
    legs = views.legs(played)
    listed = []
    for one in legs:
        row = views.row(one)
        leg = {"url": f"/replay/{one.id}", "live": row["running"], "study": row["lost"]}
        if views.takes_part(one):
            leg["explained"] = f"/match/{one.id}/explained"
        listed.append(leg)
    return listed, legs.index(played)
