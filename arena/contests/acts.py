"""The acts of the organizers, such as voiding a match.

The journal stores each act with its author and reason. Each act except an undo can be undone.
"""

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import ArenaError
from arena.journal.store import Written, now
from arena.contests.matches import pair
from arena.contests.released import released
from arena.contests.state import SeasonState
from arena.contests.store import Season
from arena.contests.values import Act, Member, Played, number_of

LONGEST = 500
Fields = Mapping[str, str]
WORDS = {
    "pause": "paused the ladder",
    "resume": "resumed the ladder",
    "freeze": "froze the ladder and the versions",
    "void": "voided {subject}",
    "replay": "let {subject} be played again",
    "correct": "corrected the result of {subject}",
    "disqualify_version": "disqualified the version {subject}",
    "disqualify_team": "disqualified the team {subject}",
    "remove_picture": "removed the picture of the team {subject}",
    "hold": "held back new results",
    "release": "released results",
    "announce": "announced",
    "finals": "started finals with {subject} teams",
    "undo": "undid number {subject}",
}
"""The description of each act in the public log."""


def act(season: Season, member: Member, kind: str, fields: Fields) -> int:
    """Record an organizer's act, and return the number of its journal entry. The act takes effect at once.

    Args:
        kind: One of the keys of `WORDS` except "finals". `finals.start_finals` records that act.
    """
    subject, reason = fields.get("subject", "").strip(), reason_of(fields)
    with season.lock:
        document = {"author": member.name, "reason": reason, "at": now()}
        if kind == "undo":
            return season.write(("undo", str(_undoable(season, subject).number), document))
        if kind not in _CHECKS:
            raise ArenaError("This act does not exist.")
        more = _CHECKS[kind](season, subject, fields)
        written: list[Written] = [("act", kind, document | {"subject": subject} | more)]
        if kind == "replay":
            written.append(_again(season, season.state.played[subject]))
        return season.write(*written) - len(written) + 1


def reason_of(fields: Fields) -> str:
    reason = fields.get("reason", "").strip()
    if not reason or len(reason) > LONGEST:
        raise ArenaError(f"Give a reason of at most {LONGEST} characters.")
    return reason


def _undoable(season: Season, subject: str) -> Act:
    found = season.state.acts.get(number_of(subject))
    if found is None or found.number in season.state.undone:
        raise ArenaError(f"There is no act {subject[:20]} that can be undone.")
    return found


def _again(season: Season, played: Played) -> Written:
    encounter = season.state.encounters[played.encounter]
    return pair(season, "replay", played.players, 1, encounter.team, season.state.number + 1)


def _nothing(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    return {}


def _match(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    played = season.state.played.get(subject)
    if played is None or not played.is_rated:
        raise ArenaError(f"There is no rated match {subject[:40]!r}.")
    if subject in season.state.orders.voided:
        raise ArenaError(f"The result of the match {subject} does not count any more.")
    return {}


def _correction(season: Season, subject: str, fields: Fields) -> dict[str, Any]:
    _match(season, subject, fields)
    count = len(season.state.played[subject].players)
    try:
        points = [float(text) for text in fields.get("points", "").replace(",", " ").split()]
    except ValueError:
        points = []
    if len(points) != count or not all(0 <= one <= 1 for one in points):
        raise ArenaError(f"Give {count} numbers from 0 to 1, in the order of the seats, such as 1 0.")
    return {"points": points}


def _version(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    team, _, number = subject.rpartition("/")
    if season.state.version(team, number_of(number)) is None:
        raise ArenaError(f"There is no version {subject[:60]!r}. Write it as TEAM/NUMBER.")
    return {}


def _team(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    if subject not in season.state.teams:
        raise ArenaError(f"There is no team {subject[:60]!r}.")
    return {}


def _picture(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    if subject not in season.state.shown_pictures():
        raise ArenaError(f"The team {subject[:60]!r} has no picture.")
    return {}


def _hold(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    if season.state.orders.limit is not None:
        raise ArenaError("Results are held back already.")
    return {"limit": len(season.state.played)}


def _release(season: Season, subject: str, fields: Fields) -> dict[str, Any]:  # noqa: ARG001 - as all checks
    limit, count = season.state.orders.limit, fields.get("count", "").strip()
    if limit is None:
        raise ArenaError("No results are held back.")
    if count and not number_of(count):
        raise ArenaError("Give the number of results to release, or nothing to release all and hold back no more.")
    return {"limit": min(limit + number_of(count), len(season.state.played)) if count else None}


_CHECKS: Mapping[str, Callable[[Season, str, Fields], dict[str, Any]]] = {
    "pause": _nothing, "resume": _nothing, "freeze": _nothing, "announce": _nothing, "void": _match, "replay": _match,
    "correct": _correction, "disqualify_version": _version, "disqualify_team": _team, "remove_picture": _picture,
    "hold": _hold, "release": _release,
}  # fmt: skip


def _named(state: SeasonState, one: Act) -> str:
    """Return the name of what an act changed: a match has one for people."""
    played = state.played.get(one.subject)
    return one.subject if played is None else f"{played.kind} match {played.encounter} ({' – '.join(played.names)})"


def public_log(state: SeasonState, *, everything: bool = False) -> list[dict[str, Any]]:
    """Return all acts, newest first, including undone acts and the acts that undid them.

    Args:
        everything: Whether to include acts about results that are held back from the public. Show these acts only to
            organizers.
    """
    shown = released(state, everything=everything)
    hidden = {
        number
        for number, one in state.acts.items()
        if (played := state.played.get(one.subject)) and not shown.shows(played)
    }
    found = [*state.acts.values(), *(one for one in state.undone.values() if int(one.subject) not in hidden)]
    return [
        {
            "number": one.number, "text": WORDS[one.kind].format(subject=_named(state, one)), "author": one.author,
            "match": one.subject if one.subject in state.played else "",
            "reason": one.reason, "at": one.at, "undone": one.number in state.undone, "is_undo": one.kind == "undo",
        }
        for one in sorted(found, key=lambda one: one.at, reverse=True)
        if one.number not in hidden
    ]  # fmt: skip
