"""The page of a version, for the members of its team and for organizers: its check, its report, and what to do with it.

A version is checked (`arena.contests.people.version_checks`), and then plays the matches of its report: against
anchors, and against the version that is active. While it is checked and plays, the page asks for its own state again
and again, and programs get the same state as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.contests.people.daily_limits import challenges_since
from arena.contests.people.team_actions import is_frozen
from arena.contests.suspicions import first_turn_apart
from arena.contests.values import REPORTED, LadderEncounter, Played, Player, Version, number_of, utc
from arena.web.contests.matches import Views
from arena.web.contests.site import Shared, Site
from arena.web.pages import Endpoint, json_page

OpponentMatches = tuple[Player, list[Played]]
"""An opponent in a version's report, with their matches."""


class VersionPages:
    """The pages of versions: also while another process runs the contest."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, shared: Shared) -> dict[str, Endpoint]:
        return {
            "/version/{team}/{number}": shared(self._version),
            "/api/version/{team}/{number}": shared(self._state),
        }

    def _own_version(self, request: Request) -> tuple[Views, Version]:
        views = self._site.views(self._site.visitors.needed(request))
        version = views.state.version(request.path_params["team"], number_of(request.path_params["number"]))
        if version is None or not views.is_own(version.entrant):
            raise HTTPException(404, "This version does not exist.")
        return views, version

    def _version(self, request: Request) -> Response:
        views, version = self._own_version(request)
        name = version.entrant
        context = {
            **self.state_of(views, version),
            "version": version,
            "facts": version_facts(views, version),
            "open": _is_open(views, version),
            "member": views.is_member(name),
            "rivals": rivals_of(views, name),
            "challenges": challenges_left(views, name),
        }
        return self._site.page(request, views.session, "version", f"{name} {version.number}", **context)

    def _state(self, request: Request) -> Response:
        views, version = self._own_version(request)
        return json_page(self.state_of(views, version))

    def state_of(self, views: Views, version: Version) -> dict[str, Any]:
        """Return what its owners and the organizers see of a version and of its report, as values for JSON."""
        report, checks = version.report, self._site.loop and self._site.loop.checks
        running_lines = checks.lines(version) if checks else []
        facts, matches = version_facts(views, version), list(_report_matches(views, version))
        state = "checking" if report is None and running_lines else facts.state
        return {
            "team": version.entrant,
            "number": version.number,
            "hash": version.hash,
            "late": version.late,
            "left_out": version.left_out,
            "state": state,
            "problem": report.problem if report else "",
            "waits": checks.why_waiting(version) if checks else "",
            "lines": list(report.lines) if report else running_lines,
            "scores": _scores(views, version, matches),
            "comparison": _comparison(views, version, matches),
            "compares": state == "passed" and _is_open(views, version),
            "active": facts.active,
            "url": f"/version/{quote(version.key)}",
        }


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What is known of a version. Only its owners and the organizers are allowed to see it.

    Attributes:
        by: The name of the person who handed it in.
        state: ``waiting``, ``passed`` or ``failed``.
        usable: Whether the team can play with it from now on.
        asks: Whether it is the newest version, and waits for the team's choice.
        out: Whether an organizer has disqualified it.
        playing: The number of the team's active version; 0 without one.
    """

    version: Version
    by: str
    state: str
    active: bool
    usable: bool
    asks: bool
    out: bool
    playing: int


def version_facts(views: Views, version: Version) -> VersionFacts:
    state, active = views.state, views.state.active(version.entrant)
    is_active = active is not None and active.number == version.number
    is_newer = active is None or version.number > active.number
    is_out = state.orders.is_out(version.player)
    is_free = version.passed and not is_frozen(views.contest, version) and not is_out
    checked = "passed" if version.passed else "failed"
    return VersionFacts(
        version=version,
        by=state.ids.get(version.by, ""),
        state="waiting" if version.report is None else checked,
        active=is_active,
        usable=is_free and not is_active,
        asks=is_free and is_newer and not state.was_active(version.player),
        out=is_out,
        playing=active.number if active else 0,
    )


def rivals_of(views: Views, name: str) -> list[str]:
    """Return whom an entrant can challenge: the anchors come last."""
    state = views.state
    rivals = [entrant for entrant in state.entrants if entrant != name and state.active(entrant)]
    return sorted(rivals, key=lambda rival: rival in state.anchors)


def challenges_left(views: Views, name: str) -> int:
    """Return how many challenges a team can still start."""
    return max(0, views.contest.config.visible.challenges_per_day - challenges_since(views.state, name, utc()))


# -- the report ------------------------------------------------------------------------------------


def _is_open(views: Views, version: Version) -> bool:
    """Return whether matches for the report of a version are still to be played."""
    state = views.state
    return any(_is_for_report(version, state.encounters[number]) for number in state.matches_left)


def _is_for_report(version: Version, encounter: LadderEncounter) -> bool:
    return encounter.kind in REPORTED and encounter.players[0] == version.player


def _report_matches(views: Views, version: Version) -> Iterator[OpponentMatches]:
    """Yield the opponents in a version's report, with their matches, in the order of the encounters."""
    state = views.state
    newest_first: dict[int, list[Played]] = {}
    for played in state.newest(version.entrant):
        if played.is_reported and not played.is_void and _is_for_report(version, state.encounters[played.encounter]):
            newest_first.setdefault(played.encounter, []).append(played)
    for number in sorted(newest_first):
        yield state.encounters[number].players[-1], newest_first[number][::-1]


def _scores(views: Views, version: Version, reported: Sequence[OpponentMatches]) -> list[dict[str, Any]]:
    """Return the results of a version against anchors, in the matches of its report, weakest first."""
    anchors = views.state.anchors
    of_anchors = [(rival, matches) for rival, matches in reported if rival[0] in anchors]
    of_anchors.sort(key=lambda entry: anchors[entry[0][0]])
    return [_score(version, rival, matches) for rival, matches in of_anchors]


def _comparison(views: Views, version: Version, reported: Sequence[OpponentMatches]) -> dict[str, Any] | None:
    """Return how a version does against the version that was active, and where their first matches differ."""
    state = views.state
    for rival, matches in reported:
        if rival[0] in state.anchors:
            continue
        active = state.by_player[rival]
        replays = [_first_replay(views, version), _first_replay(views, active)]
        paths = [views.contest.folder / replay for replay in replays if replay]
        differs = first_turn_apart(*paths) if len(paths) == len(replays) else None
        return _score(version, rival, matches) | {"version": active.number, "differs": differs}
    return None


def _first_replay(views: Views, version: Version) -> str:
    """Return the path of the replay of the first match of a version, which ends its check; empty if there is none."""
    played = views.state.played.get(version.report.match) if version.report else None
    return played.replay if played else ""


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
