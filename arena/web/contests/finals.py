"""The pages of the finals of a season, and the runs of their tournaments."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.match.spec import MatchSpec
from arena.season.finals import FinalsRun, start_finals
from arena.season.people import SignedIn
from arena.season.released import Released, released
from arena.season.store import Season
from arena.contests.report.form import Course
from arena.contests.report.page import tournament_content
from arena.contests.report.titles import Titles
from arena.tournament.run.organizer import Snapshot, read_snapshot
from arena.web.match_pages import MatchPages, Shown
from arena.web.pages import Endpoint, json_page, page
from arena.web.contests.pictures import SHEET
from arena.web.contests.requests import Fields, Visitors, back, team_address
from arena.web.contests.views import Views
from arena.web.contests.fragments import fragments, progress
from arena.web.contests.following import Spectator


@dataclass(frozen=True, slots=True)
class FinalsPages:
    season: Season
    visitors: Visitors
    show: Callable[..., Response]
    _runs: dict[str, FinalsRun] = field(default_factory=dict)
    _spectators: dict[str, Spectator] = field(default_factory=dict)

    def routes(self, shared: Callable[..., Endpoint]) -> dict[str, Endpoint]:
        matches = MatchPages(self._shown)
        return {
            "/finals/{place}": shared(self._overview),
            "/finals/{place}/match/{match_id}": shared(self._match),
            "/finals/{place}/watch/{match_id}": matches.watch,
            "/finals/{place}/replay/{match_id}": matches.replay,
            "/finals/{place}/still/{match_id}": matches.still,
            "/finals/{place}/screen": self._screen,
            "/finals/{place}/state": shared(self._state, self._known),
        }

    def start(self, request: Request, session: SignedIn, fields: Fields) -> Response:  # noqa: ARG002
        path = start_finals(self.season, session.member, fields)
        self._runs[path.parent.name] = FinalsRun(path)
        return back("/desk")

    def continue_all(self) -> None:
        """Continue all finals that were started before."""
        for one in self.season.state.orders.finals:
            path: Path = self.season.folder / one.more["place"] / "league.toml"
            if path.exists():
                self._runs[path.parent.name] = FinalsRun(path)

    def stop(self) -> None:
        for run in self._runs.values():
            run.stop()

    def _released(self, request: Request, session: SignedIn | None) -> tuple[Path, Released]:
        """Return the folder of the requested finals, and what a reader can see. Without a session: everybody."""
        place, state = request.path_params["place"], self.season.snapshot.state
        found = next((one for one in state.orders.finals if one.more["place"] == place), None)
        if found is None:
            raise HTTPException(404, "These finals do not exist.")
        shown = released(state, everything=Views.is_organizer(session))
        if not shown.shows_finals(found.at):
            raise HTTPException(404, "The results of these finals are held back.")
        return self.season.folder / place / "league", shown

    def _spectator(self, folder: Path) -> Spectator:
        """Return the state of finals now."""
        place = folder.parent.name
        known = self._spectators.get(place)
        if known is None:
            known = Spectator(folder, lambda match: f"/finals/{place}/match/{match}", team_address)
            known = self._spectators.setdefault(place, known)
        with suppress(ArenaError):  # they have not begun
            known.refresh()
        return known

    # -- the big screen: only what everybody can see, even if an organizer opens it ------------------

    def _screen(self, request: Request) -> Response:
        self.visitors.reader(request)
        folder, _ = self._released(request, None)
        place = folder.parent.name
        return page(
            request, "tournament/front.html", script="'self'", sheets=("page.css", SHEET),
            screen=True, import_map="", data="",
            shown={"version": "", "fragments": {}},
            title=f"{self.season.config.name}: {place}", state=f"/finals/{place}/state",
            watch=f"/finals/{place}/watch/",
        )  # fmt: skip

    def _state(self, request: Request) -> Response:
        from arena.contests.report.documents import standings_document

        self.visitors.reader(request)
        folder, shown = self._released(request, None)
        known = self._known(request)
        if not shown.until:
            spectator = self._spectator(folder)
            boards = self.season.config.public_replays
            return json_page(spectator.state(known, "The finals have not begun.", may_watch=boards))
        fresh = {}
        if known != shown.until:
            snapshot, place = self._read(folder, shown), folder.parent.name
            document, course = standings_document(snapshot), Course.of(snapshot.schedule.matches())
            fresh = fragments(document, [], course, lambda match: f"/finals/{place}/match/{match}", team_address)
            fresh |= progress(document, [])
        return json_page({"version": shown.until, "fragments": fresh, "running": []})

    def _known(self, request: Request) -> str:
        """Return the version that the page has, if it is the current one. Others must not make an answer to compute."""
        self.visitors.reader(request)
        folder, shown = self._released(request, None)
        known = request.query_params.get("version", "")
        spectator = self._spectators.get(folder.parent.name)
        current = shown.until == known if shown.until else spectator is not None and spectator.is_current(known)
        return known if current else ""

    # -- pages ---------------------------------------------------------------------------------------

    def _snapshot(self, request: Request) -> tuple[SignedIn | None, Path, Snapshot]:
        session = self.visitors.reader(request)
        folder, shown = self._released(request, session)
        return session, folder, self._read(folder, shown)

    @staticmethod
    def _read(folder: Path, shown: Released) -> Snapshot:
        try:
            return read_snapshot(folder, shown.until)
        except ArenaError:
            raise HTTPException(404, "The finals have not begun. Load the page again.") from None

    def _overview(self, request: Request) -> Response:
        from arena.contests.report.documents import tournament_document

        session, folder, snapshot = self._snapshot(request)
        document, place = tournament_document(snapshot), folder.parent.name
        course = Course.of(snapshot.schedule.matches())
        content = tournament_content(document, lambda match: f"/finals/{place}/match/{match}", course, team_address)
        content["still"] = lambda match: f"/finals/{place}/still/{match}"
        return self.show(request, session, "finals", document["tournament"], script="season.js",
                          **content)  # fmt: skip

    def _final(self, request: Request) -> tuple[SignedIn | None, Path, MatchSpec, bool]:
        """Return the session of a request, and the path and the match of the requested replay of finals.

        The last value is whether all matches with the seed of this match are over.
        """
        session, folder, snapshot = self._snapshot(request)
        for spec, result in snapshot.schedule.matches():
            allowed = self.season.config.public_replays or any(Views.is_own(session, name) for name in spec.names)
            if spec.match_id == request.path_params["match_id"] and result.replay and allowed:
                return session, folder / result.replay, spec, snapshot.schedule.seed_is_spent(spec)
        raise HTTPException(404, "This replay does not exist.")

    def _running(self, request: Request) -> tuple[tuple[str, ...], Path] | None:
        """Return the names and the growing replay of a running match that the sender may watch; None for others."""
        session = self.visitors.reader(request)
        folder, shown = self._released(request, session)
        for one in [] if shown.until else self._spectator(folder).running():
            names = tuple(one["names"])
            allowed = self.season.config.public_replays or any(Views.is_own(session, name) for name in names)
            if one["match_id"] == request.path_params["match_id"] and allowed:
                return names, folder / one["replay"]
        return None

    def _match(self, request: Request) -> Response:
        from arena.contests.report.documents import standings_document

        session, _, spec, _ = self._final(request)
        title = Titles(standings_document(self._snapshot(request)[2])).place(spec.to_document())
        return self.show(request, session, "final", " – ".join(spec.names), names=spec.names, title_of_match=title,
                          place=request.path_params["place"], match_id=spec.match_id)  # fmt: skip

    def _shown(self, request: Request) -> Shown:
        leg: dict[str, Any] = {
            "url": f"/finals/{request.path_params['place']}/replay/{request.path_params['match_id']}"
        }
        if running := self._running(request):
            names, path = running
            leg["live"] = True
            return Shown(names, path, True, lambda: False, lambda: ([leg], 0), names)
        _, path, spec, over = self._final(request)
        return Shown(spec.names, path, False, lambda: over, lambda: ([leg], 0), spec.names)
