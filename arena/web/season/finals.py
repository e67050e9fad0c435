"""The pages of the finals of a season, and the runs of their tournaments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.match.spec import MatchSpec
from arena.season.finals import FinalsRun, start_finals
from arena.season.people import SignedIn
from arena.season.released import released
from arena.season.store import Season
from arena.tournament.report.page import tournament_content
from arena.tournament.run.organizer import Snapshot, read_snapshot
from arena.web.match_pages import MatchPages, Shown
from arena.web.pages import Endpoint
from arena.web.season.requests import Fields, Visitors, back, team_address
from arena.web.season.views import Views


@dataclass(frozen=True, slots=True)
class FinalsPages:
    season: Season
    visitors: Visitors
    page: Callable[..., Response]
    _runs: dict[str, FinalsRun] = field(default_factory=dict)

    def routes(self) -> dict[str, Endpoint]:
        matches = MatchPages(self._shown)
        return {
            "/finals/{place}": self._overview,
            "/finals/{place}/match/{match_id}": self._match,
            "/finals/{place}/watch/{match_id}": matches.watch,
            "/finals/{place}/replay/{match_id}": matches.replay,
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

    def _snapshot(self, request: Request) -> tuple[SignedIn | None, Path, Snapshot]:
        session, place = self.visitors.reader(request), request.path_params["place"]
        state = self.season.snapshot.state
        found = next((one for one in state.orders.finals if one.more["place"] == place), None)
        if found is None:
            raise HTTPException(404, "These finals do not exist.")
        shown = released(state, everything=Views.is_organizer(session))
        if not shown.shows_finals(found.at):
            raise HTTPException(404, "The results of these finals are held back.")
        folder = self.season.folder / place / "league"
        try:
            return session, folder, read_snapshot(folder, shown.until)
        except ArenaError:
            raise HTTPException(404, "The finals have not begun. Load the page again.") from None

    def _overview(self, request: Request) -> Response:
        from arena.tournament.report.documents import tournament_document

        session, folder, snapshot = self._snapshot(request)
        document, place = tournament_document(snapshot), folder.parent.name
        content = tournament_content(document, lambda match: f"/finals/{place}/match/{match}", team_address)
        return self.page(request, session, "finals", document["tournament"], script="season.js",
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

    def _match(self, request: Request) -> Response:
        session, _, spec, _ = self._final(request)
        return self.page(request, session, "final", " – ".join(spec.names), names=spec.names,
                          place=request.path_params["place"], match_id=spec.match_id)  # fmt: skip

    def _shown(self, request: Request) -> Shown:
        _, path, spec, over = self._final(request)
        leg = {"url": f"/finals/{request.path_params['place']}/replay/{spec.match_id}"}
        return Shown(spec.names, path, False, lambda: over, lambda: ([leg], 0), spec.names)
