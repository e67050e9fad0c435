"""The one place that decides which results a reader can see while an organizer holds results back.

Every page, table, replay and number that depends on a result asks a `Visibility`. If one of them decided by itself, a
standing or a seed would tell what a result does not.
"""

from dataclasses import dataclass

from arena.contests.state import Contest
from arena.contests.values import REPORTED, Played


@dataclass(frozen=True, slots=True)
class Visibility:
    """The results that a reader can see.

    Attributes:
        limit: The number of results of the contest, counted from its start; None for all.
    """

    limit: int | None = None

    @property
    def everything(self) -> bool:
        return self.limit is None

    def shows(self, played: Played) -> bool:
        """Return whether a result, or a running match, can be seen.

        The matches in the report of a version are never held back: they are for its team only.
        """
        return self.limit is None or played.index < self.limit or played.kind in REPORTED


def visibility_of(state: Contest, *, everything: bool = False) -> Visibility:
    """Return what everybody can see.

    Args:
        everything: Whether the reader is an organizer, who sees all results.
    """
    return Visibility(None if everything else state.orders.limit)


def held_encounters(state: Contest, visibility: Visibility) -> frozenset[tuple[str, int]]:
    """Return the encounters with results that a reader does not see: stage or kind of encounter, and number."""
    late = [] if visibility.limit is None else state.played.values()[visibility.limit :]
    return frozenset((played.kind, played.encounter) for played in late if not visibility.shows(played))
