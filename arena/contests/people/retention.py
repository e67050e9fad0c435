"""Erase what is older than a contest keeps it: `keep_people_days` and `keep_sources_days` of `contest.toml`.

The time runs from the last result or hand-in of the contest, so that nothing is erased while it is played. Sources of a
version that is not active any more are removed earlier: so many days after its last match, or after its hand-in.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from arena.contests.open_contest import OpenContest
from arena.contests.people import erasure
from arena.contests.people.erasure import ErasurePlan
from arena.contests.state import Contest
from arena.contests.values import Version, time_of, utc
from arena.errors import ArenaError

_EVERY = 3600.0
"""The seconds between two looks at what is too old: the limits are whole days."""


def plan_of_old(contest: OpenContest, time_now: datetime) -> ErasurePlan | None:
    """Return what is to be erased now; None if nothing is too old."""
    state, rules = contest.state, contest.config.visible
    last = _last_time(state)
    if last is None:
        return None

    def is_over(days: int, since: datetime) -> bool:
        return days > 0 and time_now - since > timedelta(days=days)

    people: list[str] = []
    if is_over(rules.keep_people_days, last):
        people = [member.id for member in state.members.values() if not member.is_organizer]
        people += [entrant.id for entrant in state.entrants.values() if entrant.is_team]
        people = [key for key in people if key not in state.orders.erased]
    old = [
        version
        for version in state.by_player.values()
        if version.path and version.hash not in state.orders.removed and not _is_shared(state, version)
        if is_over(rules.keep_sources_days, last if state.active(version.entrant) == version else _used(state, version))
    ]
    if not people and not old:
        return None
    found = erasure.plan(contest, people, keeps_names_elsewhere=True)
    found.copies |= {version.hash: version.key for version in old}
    return found


def _last_time(state: Contest) -> datetime | None:
    """Return when the last match ended or the last version was handed in; None before the first one."""
    times = [version.at for version in state.by_player.values() if state.entrants[version.entrant].is_team]
    times += [played.at for played in state.played.values()[-1:]]
    return max(map(time_of, times), default=None)


def _is_shared(state: Contest, version: Version) -> bool:
    """Return whether the files also belong to a bot of the organizer, or to a version that may not go yet."""
    return any(
        not state.entrants[name].is_team
        or (name != version.entrant and state.active(name) == state.by_player[name, hash_])
        for name, hash_ in state.by_hash[version.hash]
    )


def _used(state: Contest, version: Version) -> datetime:
    """Return when a version has last played, or was handed in."""
    for played in state.newest(version.entrant):
        if version.player in played.players:
            return time_of(played.at)
    return time_of(version.at)


def erase_old(contest: OpenContest, found: ErasurePlan, busy: Collection[str] = ()) -> str:
    """Erase what `plan_of_old` has found, and return the id of the act."""
    rules = contest.config.visible
    kept = [("people", rules.keep_people_days if found.people else 0), ("sources", rules.keep_sources_days)]
    reason = "; ".join(f"{what} are kept for {days} days" for what, days in kept if days)
    return erasure.erase(contest, None, reason, found, busy)


class Retention:
    """Erases what is too old while a server runs, in a thread of its own.

    Args:
        busy: Returns the names of the entrants whose matches or checks are running. While there are any, it waits.
    """

    def __init__(self, contest: OpenContest, busy: Callable[[], Collection[str]]) -> None:
        self._contest = contest
        self._busy = busy
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="retention", daemon=True)

    def start(self) -> None:
        rules = self._contest.config.visible
        if rules.keep_people_days or rules.keep_sources_days:
            self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()

    def look(self) -> None:
        """Erase what is too old now."""
        with self._contest.lock:
            busy = self._busy()
            found = None if busy else plan_of_old(self._contest, utc())
            if found is not None:
                erase_old(self._contest, found, busy)

    def _follow(self) -> None:
        while True:
            try:
                self.look()
            except ArenaError as error:  # such as a full disk: try again later
                logging.getLogger(__name__).warning("What is too old was not erased: %s", error.message)
            if self._stopped.wait(_EVERY):
                return
