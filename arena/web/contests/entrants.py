"""What the page of a team or a bot says, and that of all matches of two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from arena.contests.people.daily_limits import challenges_since, uploads_since
from arena.contests.people.team_actions import is_frozen
from arena.contests.report.bot_statistics import bot_statistics
from arena.contests.report.bracket import history_of
from arena.contests.report.details import endings
from arena.contests.report.history import how_it_ended
from arena.contests.report.views import ratings_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.values import Played, Version, utc
from arena.study.analysis.deciding import Decision, known_decision
from arena.text.printable import command_line
from arena.web.contests.matches import Views
from arena.web.contests.requests import takes_bots
from arena.web.public_replays import is_withheld
from arena_replays import ReplayError

_MATCHES: Final = 50
_LAST: Final = 12


def entrant_record(views: Views, name: str) -> dict[str, Any]:
    """Return the content of the page of an entrant, for one reader."""
    shown = views.results
    row = next((one for one in views.ladder if one.team == name), None)
    form = row.form if row else shown.course.bots.get(name)
    return {
        "name": name,
        "row": row,
        "rating": ratings_of(shown).get(name),
        "places": list(_places(shown, name)),
        "history": history_of(form.history) if form else None,
        **shown.of_entrant(name, lambda: _facts(views, name)),
        "suspended": shown.suspended.get(name),
        "matches": list(islice(views.listed(name), _MATCHES)),
        **own_record(views, name, row.version if row else 0),
    }


def _facts(views: Views, name: str) -> dict[str, Any]:
    """Return what is counted over all matches of an entrant. It is the same for all who see the same results."""
    state = views.state
    played = [one for one in state.newest(name) if one.is_public and views.results.visibility.shows(one)]
    matches = [(one.spec, state.orders.counted(one.id, one.result)) for one in reversed(played) if one.result]
    return {
        "facts": bot_statistics([name], matches, state.voids)[name],
        "opponents": _opponents(views, name, played),
    }


def own_record(views: Views, name: str, shown: int) -> dict[str, Any]:
    """Return what only the owners of an entrant and the organizers see.

    Args:
        shown: The version that others see.
    """
    state, people = views.state, views.contest.config.visible
    own, active = views.is_own(name), state.active(name)
    return {
        "own": own,
        "member": is_member(views, name),
        "pictured": name in state.public_pictures(),
        "active": active.number if active and own else shown,
        "versions": [version_record(views, one) for one in reversed(state.versions.get(name, ()))] if own else [],
        "rivals": rivals_of(views, name) if own else [],
        "challenges": challenges_left(views, name) if own else 0,
        "uploads": max(0, people.per_day - uploads_since(state, name, utc())) if own else 0,
        "open": [
            {"number": number, "opponent": ", ".join({rival for rival, _ in state.encounters[number].players[1:]})}
            for number in state.matches_left
            if own and state.encounters[number].kind == "challenge" and state.encounters[number].team == name
        ],
    }


def is_member(views: Views, name: str) -> bool:
    """Return whether the reader hands in the bots of an entrant, and starts its challenges."""
    session = views.session
    return (
        session is not None
        and (session.member.entrant, session.member.role) == (name, "member")
        and views.state.entrants[name].is_team
        and takes_bots(views.contest)
    )


def rivals_of(views: Views, name: str) -> list[str]:
    """Return whom an entrant can challenge: the anchors come last."""
    state = views.state
    others = [one for one in state.entrants if one != name and state.active(one)]
    return sorted(others, key=lambda one: one in state.anchors)


def challenges_left(views: Views, name: str) -> int:
    """Return how many challenges a team can still start."""
    return max(0, views.contest.config.visible.challenges_per_day - challenges_since(views.state, name, utc()))


def version_record(views: Views, version: Version) -> dict[str, Any]:
    """Return the facts about a version. Only its owners and the organizers are allowed to see them."""
    state, report, active = views.state, version.report, views.state.active(version.entrant)
    is_active = active is not None and active.number == version.number
    usable = version.passed and not is_frozen(views.contest, version)
    is_newer = active is None or version.number > active.number
    out = state.orders.is_out(version.player)
    checked = "passed" if version.passed else "failed"
    return {
        "version": version,
        "by": state.ids.get(version.by, ""),
        "state": "waiting" if report is None else checked,
        "active": is_active,
        "usable": usable and not out and not is_active,
        "asks": usable and not out and is_newer and not state.was_active(version.player),
        "out": out,
        "playing": active.number if active else 0,
    }


def _places(shown: VisibleContest, name: str) -> Iterator[tuple[str, int, int]]:
    """Yield the title of each stage of an entrant, its place, and the number of places; the newest stage first."""
    for run in reversed(shown.stages.values()):
        for row in run.rank():
            if row.name == name:
                yield shown.title_of(run), row.place, len(run.names)


def _opponents(views: Views, name: str, played: Sequence[Played]) -> list[dict[str, Any]]:
    """Return how an entrant did against each opponent in matches of two, the most frequent first."""
    found: dict[str, list[str]] = {}
    for one in reversed(played):
        names = one.names
        if len(names) == 2 and names[0] != names[1] and views.counts(one):
            seat = names.index(name)
            found.setdefault(names[1 - seat], []).append(views.result(one, seat))
    rows = [
        {"name": other, "last": results[-_LAST:], "won": results.count("W"), "drawn": results.count("D"),
         "lost": results.count("L")}
        for other, results in found.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row["won"] - row["drawn"] - row["lost"], row["name"]))


def versus_record(views: Views, one: str, other: str) -> dict[str, Any]:
    """Return all matches of two entrants that everybody can see, the newest first, and what decided them."""
    both = [
        played
        for played in views.state.newest(one)
        if other in played.names and played.is_public and views.visibility.shows(played)
    ]
    decisions = {played.id: _decision(views, played, {one, other}) for played in both}
    results = [views.result(played, played.names.index(one)) for played in both if views.counts(played)]
    counted = [views.state.orders.counted(played.id, played.result) for played in both if played.result]
    return {
        "one": one,
        "other": other,
        "matches": [views.row(played) for played in both],
        "endings": endings(Counter(map(how_it_ended, counted))),
        "decisions": decisions,
        "unknown": any(views.counts(played) and not decisions[played.id] for played in both),
        "commands": [
            command_line("arena", "explain", "losses", f"{views.contest.folder.name}.toml", "--bot", name)
            for name in (one, other)
        ],
        "won": results.count("W"),
        "lost": results.count("L"),
        "drawn": results.count("D"),
    }


def _decision(views: Views, played: Played, names: set[str]) -> Decision | None:
    """Return what decided a finished match between two of its players, if its files say so and may be shown."""
    seats = tuple(seat for seat, name in enumerate(played.names) if name in names)
    allowed = bool(played.replay) and not played.is_void and views.may_watch(played)
    with suppress(OSError, ReplayError):
        replay = views.contest.folder / played.replay
        if allowed and not is_withheld(replay, over=views.is_over(played)):
            return known_decision(replay, seats)
    return None
