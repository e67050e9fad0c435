"""The pages for everybody: the front page, matches, entrants, tables for programs, the log."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup
from msgspec import to_builtins
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.config import TABLE_FORMATS
from arena.contests.open_contest import OpenContest
from arena.contests.people.organizer_acts import public_log
from arena.contests.report import listings
from arena.contests.report.bracket import Link
from arena.contests.report.details import details_of
from arena.contests.report.page import stage_parts
from arena.contests.report.views import ladder_view, podium, ratings_of
from arena.contests.report.writers import to_csv
from arena.contests.values import Played, utc
from arena.web.contests.entrants import entrant_record, versus_record
from arena.web.contests.following import Follower
from arena.web.contests.matches import Views
from arena.web.contests.requests import team_address
from arena.web.contests.site import Shared, Site, packed
from arena.web.match_pages import PATIENCE, MatchPages, VisibleMatch
from arena.web.pages import Endpoint, compressed, json_page
from arena.web.public_replays import public_bytes
from arena_replays.page import social

_RECENT: Final = 12
"""The number of results on the front page: a screenful of a telephone, below the tables."""
_MOST: Final = 200
"""The number of matches on the page of all matches. The tables for programs have the others."""


def match_address(match_id: str) -> str:
    return f"/match/{quote(match_id)}"


def versus_address(name: str, rival: str) -> str:
    return f"{team_address(name)}/against/{quote(rival, safe='')}"


def _is_whole(request: Request) -> str:
    return "whole" if "whole" in request.query_params else ""


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
        patience = PATIENCE if isinstance(self._contest, Follower) else 0.0
        matches = MatchPages(self._visible_match, patience, self._site.coach)
        return {
            "/": first(self._front, packed(self._chosen_group)),
            "/standings.json": first(self._standings),
            "/matches": shared(self._matches, packed(_chosen_team)),
            "/match/{match_id}": shared(self._match, packed(_is_whole)),
            "/match/{match_id}/watch": matches.watch,
            "/match/{match_id}/still": matches.still,
            "/match/{match_id}/page": matches.page,
            "/match/{match_id}/picture.png": matches.picture,
            "/match/{match_id}/advantage": matches.advantage,
            "/replay/{match_id}": matches.replay,
            "/team/{team}": shared(self._entrant, packed()),
            "/team/{team}/against/{other}": shared(self._versus, packed()),
            "/data/{name}": shared(self._data, packed()),
            "/acts": shared(self._acts, packed()),
            "/data-protection": shared(self._data_protection, packed()),
        }

    # -- standings -----------------------------------------------------------------------------------

    def _front(self, request: Request) -> Response:
        views = self._site.read(request)
        config, state = self._contest.config, views.state
        if not (self._site.has_opened or views.is_organizer):
            announcements = state.orders.announcements
            return self._page(request, views.session, "waiting", config.name, announcements=announcements)
        results = views.results
        runs = [*reversed(results.stages.values())]
        last = results.state.last_stage()
        is_final = last is not None and results.state.is_over(last) and results.state.next_stage() is None
        group = self._chosen_group(request)
        members = [name for name in state.entrants if group in state.groups_of(name)] if group else None
        first, tie = podium(results, members) if is_final else ([], "")
        stages = [stage_parts(results, run, match_links(views)) for run in runs]
        ladder = ladder_view(state, views.ladder) if config.ladder else None
        if members is not None:
            stages = [replace(stage, standings=stage.standings.within(members)) for stage in stages]
            ladder = ladder and ladder.within(members)
        has_results = bool(results.of_stages)
        context: dict[str, Any] = {
            "group": group,
            "game": self._contest.game.title,
            "has_begun": state.config is not None,
            "late": config.visible.is_late(utc()),
            "announcements": state.orders.announcements,
            "running": views.running(),
            "stages": stages,
            "table_formats": TABLE_FORMATS,
            "first": first,
            "tie": tie,
            "places": listings.final(results) if first else None,
            "excluded": results.state.excluded,
            "ladder": ladder,
            "recent": list(islice(views.listed(), _RECENT)),
            "versus": versus_address,
            "ratings": [*ratings_of(results).values()] if has_results else [],
            "notes": listings.ratings(results).notes if has_results else (),
            "details": details_of(results) if has_results else None,
        }
        return self._page(request, views.session, "front", config.name, **context)

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

    def _data_protection(self, request: Request) -> Response:
        """Say what the contest stores about people. Whoever is asked for their name may read it."""
        session, visible = self._site.visitors.session(request), self._contest.config.visible
        people = self._site.views(session).state.members.values() if session or visible.public else ()
        organizers = [member.name for member in people if member.is_organizer]
        return self._page(request, session, "data_protection", "Data protection", organizers=organizers)

    # -- matches -------------------------------------------------------------------------------------

    def _matches(self, request: Request) -> Response:
        views, team = self._site.read(request), _chosen_team(request)
        rows = list(islice(views.listed(team), _MOST))
        return self._page(request, views.session, "matches", "Matches", rows=rows, team=team)

    def _match(self, request: Request) -> Response:
        views, played = found_match(self._site, request)
        row = views.row(played)
        before, after = views.beside(played)
        context: dict[str, Any] = {
            "names": played.names,
            "match": row,
            "players": views.players(played),
            "previous": before,
            "next": after,
            "whole": row.watch and "whole" in request.query_params,
        }
        title = views.headline(played)
        context["social"] = Markup(social(title, self._image(request, played)))
        return self._page(request, views.session, "match", title, **context)

    def _image(self, request: Request, played: Played) -> str:
        return self._site.whole_address(request, f"{match_address(played.id)}/picture.png")

    def _visible_match(self, request: Request) -> VisibleMatch:
        views, played = watched_match(self._site, request)
        return VisibleMatch(
            played.names,
            self._contest.folder / views.replay(played),
            played.result is None,
            partial(views.is_over, played),
            partial(_legs, views, played),
            views.programs(played),
            partial(_place, views, played),
            partial(views.headline, played),
            partial(_copies, views, played),
            self._image(request, played),
            views.session is None,
        )

    # -- entrants ------------------------------------------------------------------------------------

    def _entrant(self, request: Request) -> Response:
        views = self._site.read(request)
        name = self._entrant_name(views, request.path_params["team"])
        record = entrant_record(views, name)
        return self._page(request, views.session, "team", name, versus=versus_address, **record)

    def _versus(self, request: Request) -> Response:
        views = self._site.read(request)
        first, second = (self._entrant_name(views, request.path_params[key]) for key in ("team", "other"))
        record = versus_record(views, first, second)
        return self._page(request, views.session, "versus", f"{first} against {second}", **record)

    @staticmethod
    def _entrant_name(views: Views, name: str) -> str:
        if name not in views.state.entrants:
            raise HTTPException(404, "This team or bot does not exist.")
        return name


def match_links(views: Views) -> Link:
    """Return how drawings link to the matches that the reader can see."""

    def link(match_id: str) -> str:
        played = views.find(match_id)
        return match_address(match_id) if played and views.may_see(played) else ""

    return link


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
    for leg in legs:
        row = views.row(leg)
        entry = {"url": f"/replay/{leg.id}", "live": row.running, "study": row.lost}
        entry["advantage"] = f"/match/{leg.id}/advantage"
        entry["pages"] = [] if row.running else [{"title": "Save the page", "url": f"/match/{leg.id}/page"}]
        entry["explained"] = f"/match/{leg.id}/explained"
        if views.session is not None and isinstance(views.contest, OpenContest):
            entry["session"] = "/api/session"  # who has signed in can send an explanation
        listed.append(entry)
    return listed, legs.index(played)


def _place(views: Views, played: Played) -> dict[str, Any]:
    """Return the way back from a match that is opened by itself."""
    above = {"title": views.contest.config.name, "url": "/"}
    return {"crumbs": [above, {"title": " – ".join(played.names), "url": match_address(played.id)}]}


def _copies(views: Views, played: Played) -> list[bytes]:
    """Return what everybody may see of the legs of a match, of those that the reader may watch."""
    return [
        public_bytes(views.contest.folder / leg.replay, views.programs(leg), over=views.is_over(leg))
        for leg in views.legs(played)
        if leg.replay and views.may_watch(leg)
    ]
