"""What an organizer should look at: teams that may lose to each other on purpose, and versions that play alike."""

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from arena.contests.opening import Snapshot
from arena.contests.pairs import Meetings
from arena.contests.state import Contest
from arena.contests.values import Version
from arena_replays import Reader, ReplayError
from arena_replays.documents import Entry


def improbable_pairs(snapshot: Snapshot) -> list[tuple[str, str, Meetings]]:
    """Return the pairs of teams whose results are hardly chance: winner, loser, and their meetings.

    The most improbable come first. Built-in bots lose to nobody on purpose.
    """
    anchors = snapshot.state.anchors.keys()
    found = [one for one in snapshot.pairs.improbable() if anchors.isdisjoint(one[:2])]
    return sorted(found, key=lambda one: -one[2].deviations)


def twins(state: Contest, is_template: Callable[[Version], bool]) -> list[tuple[Version, list[Version]]]:
    """Return the versions with the same files as versions of other entrants. Unchanged templates are no suspicion."""
    found = [(one, state.twins(one)) for one in state.by_player.values()]
    return [(one, others) for one, others in found if others and not is_template(one)]


def alike(state: Contest, is_template: Callable[[Version], bool]) -> list[list[Version]]:
    """Return the groups of versions with different files that did the same in every turn of their first match.

    All first matches have the same seed and opponent. A group that plays like the template is no suspicion.
    """
    groups: dict[str, list[Version]] = defaultdict(list)
    for version in state.by_player.values():
        played = state.played.get(version.report.match) if version.report else None
        if played and played.result and played.result.course and version.passed and not played.is_void:
            groups[played.result.course].append(version)
    different = [group for group in groups.values() if len({one.hash for one in group}) > 1]
    return [group for group in different if not any(map(is_template, group))]


# Compare what two versions do in their first match. All first matches of a contest have the same seed and opponent.


def _played(entry: Entry | None) -> Entry | None:
    """Return an entry of the truth without the times that a turn took."""
    return entry[:3] if entry and entry[0] == "turn" else entry


@lru_cache(maxsize=64)
def first_turn_apart(one: Path, other: Path) -> int | None:
    """Return the number of the turn in which two matches differ first; 0 if they are equal, None if unreadable."""
    try:
        reader = Reader(one)
        turn = 0
        for mine, theirs in zip_longest(reader.truth, Reader(other).truth):
            if _played(mine) != _played(theirs):
                return reader.number_of(turn)
            turn += mine[0] == "turn"
    except (OSError, ReplayError):
        return None
    return 0
