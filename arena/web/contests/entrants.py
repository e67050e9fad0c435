"""What the page of a team or a bot says, and that of all matches of two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from arena.contests.people.daily_limits import uploads_since
from arena.contests.report.bot_statistics import bot_statistics
from arena.contests.report.bracket import history_of
from arena.contests.report.details import endings
from arena.contests.report.history import how_it_ended
from arena.contests.report.views import ratings_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.values import Played, utc
from arena.study.coach.stored import Decision, known_decision
from arena.text.printable import command_line
from arena.web.contests.matches import Views
from arena.web.contests.versions import challenges_left, rivals_of, version_facts
from arena.web.public_replays import is_withheld
from arena_replays import ReplayError

_MATCHES: Final = 12
"""The number of matches on the page of an entrant, as on the first page. A link leads to the others."""
_LAST: Final = 12
"""The number of last results against an opponent, so that they fit into a line beside their counts."""


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """How an entrant did against one opponent.

    Attributes:
        last: The last results, ``W``, ``D`` or ``L``; the newest is the last one.
    """

    name: str
    last: list[str]
    won: int
    drawn: int
    lost: int


def entrant_record(views: Views, name: str) -> dict[str, Any]:
    """Return the content of the page of an entrant, for one reader."""
    results = views.results
    row = next((row for row in views.ladder if row.team == name), None)
    titles = dict(views.contest.config.groups)
    return {
        "name": name,
        "groups": [titles.get(group, group) for group in views.state.groups_of(name)],
        "row": row,
        "rating": ratings_of(results).get(name),
        "places": list(_places(results, name)),
        "history": history_of(row.form.history) if row else None,
        **results.of_entrant(name, lambda: _facts(views, name)),
        "suspended": results.suspended.get(name),
        "matches": list(islice(views.listed(name), _MATCHES)),
        **own_record(views, name, row.version if row else 0),
    }


def _facts(views: Views, name: str) -> dict[str, Any]:
    """Return what is counted over all matches of an entrant. It is the same for all who see the same results."""
    state = views.state
    visibility = views.results.visibility
    newest_first = [played for played in state.newest(name) if played.is_public and visibility.shows(played)]
    matches = [
        (played.spec, state.orders.counted(played.id, played.result))
        for played in reversed(newest_first)
        if played.result
    ]
    return {
        "facts": bot_statistics([name], matches, state.voids)[name],
        "opponents": _opponents(views, name, newest_first),
    }


def own_record(views: Views, name: str, public_version: int) -> dict[str, Any]:
    """Return what only the owners of an entrant and the organizers see.

    Args:
        public_version: The number of the version that others see.
    """
    state = views.state
    own = {
        "own": views.is_own(name),
        "real_name": views.real_name(name),
        "consent": state.consent_of(name),
        "member": views.is_member(name),
        "pictured": name in state.public_pictures(),
    }
    if not views.is_own(name):
        return own | {
            "active": public_version,
            "versions": [],
            "rivals": [],
            "challenges": 0,
            "uploads": 0,
            "open": [],
        }
    active, per_day = state.active(name), views.contest.config.visible.per_day
    return own | {
        "active": active.number if active else public_version,
        "versions": [version_facts(views, version) for version in reversed(state.versions.get(name, ()))],
        "rivals": rivals_of(views, name),
        "challenges": challenges_left(views, name),
        "uploads": max(0, per_day - uploads_since(state, name, utc())),
        "open": list(_open_challenges(views, name)),
    }


def _open_challenges(views: Views, name: str) -> Iterator[dict[str, Any]]:
    for number in views.state.matches_left:
        encounter = views.state.encounters[number]
        if encounter.kind == "challenge" and encounter.team == name:
            yield {"number": number, "opponent": ", ".join({rival for rival, _ in encounter.players[1:]})}


def _places(results: VisibleContest, name: str) -> Iterator[tuple[str, int, int]]:
    """Yield the title of each stage of an entrant, its place, and the number of places; the newest stage first."""
    for run in reversed(results.stages.values()):
        for row in run.rank():
            if row.name == name:
                yield results.title_of(run), row.place, len(run.names)


def _opponents(views: Views, name: str, newest_first: Sequence[Played]) -> list[OpponentRow]:
    """Return how an entrant did against each opponent in matches of two, the most frequent first."""
    results: dict[str, list[str]] = {}
    for played in reversed(newest_first):
        names = played.names
        if len(names) == 2 and names[0] != names[1] and views.counts(played):
            seat = names.index(name)
            results.setdefault(names[1 - seat], []).append(views.result(played, seat))
    rows = [
        OpponentRow(rival, letters[-_LAST:], letters.count("W"), letters.count("D"), letters.count("L"))
        for rival, letters in results.items()
    ]
    return sorted(rows, key=lambda row: (-row.won - row.drawn - row.lost, row.name))


def versus_record(views: Views, first: str, second: str) -> dict[str, Any]:
    """Return all matches of two entrants that everybody can see, the newest first, and what decided them."""
    matches = [
        played
        for played in views.state.newest(first)
        if second in played.names and played.is_public and views.visibility.shows(played)
    ]
    decisions = {played.id: _decision(views, played, {first, second}) for played in matches}
    letters = [views.result(played, played.names.index(first)) for played in matches if views.counts(played)]
    results = [views.state.orders.counted(played.id, played.result) for played in matches if played.result]
    config = f"{views.contest.folder.name}.toml"
    return {
        "one": first,
        "other": second,
        "matches": [views.row(played) for played in matches],
        "endings": endings(Counter(map(how_it_ended, results))),
        "decisions": decisions,
        "unknown": any(views.counts(played) and not decisions[played.id] for played in matches),
        "commands": [command_line("arena", "explain", "losses", config, "--bot", name) for name in (first, second)],
        "won": letters.count("W"),
        "lost": letters.count("L"),
        "drawn": letters.count("D"),
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
