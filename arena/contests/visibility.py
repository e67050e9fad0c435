"""The one place that decides which results a reader can see while an organizer holds results back.

Every page, table, replay and number that depends on a result asks a `Visibility`. If one of them decided by itself, a
standing or a seed would tell what a result does not.
"""

from dataclasses import dataclass

from arena.contests.state import Contest
from arena.contests.values import RATED, REPORTED, Played


@dataclass(frozen=True, slots=True)
class Visibility:
    """The results that a reader can see.

    Attributes:
        limit: The number of results of the contest, counted from its start; None for all.
        released: The ids of further matches, whose results a show has released.
    """

    limit: int | None = None
    released: frozenset[str] = frozenset()

    @property
    def everything(self) -> bool:
        return self.limit is None

    def shows(self, played: Played) -> bool:
        """Return whether a result, or a running match, can be seen.

        The matches in the report of a version are never held back: they are for its team only.
        """
        return (
            self.limit is None
            or played.index < self.limit
            or played.kind in REPORTED
            or (played.result is not None and played.id in self.released)
        )

    def ladder_limit(self, state: Contest) -> int | None:
        """Return the number of results from which the reader's table of the ladder is made; None for all.

        Each rating follows from all results before, so the table ends before the first one that is held back.
        """
        late = [] if self.limit is None else state.played.values()[self.limit :]
        return next((played.index for played in late if played.kind in RATED and not self.shows(played)), None)


def visibility_of(state: Contest, *, everything: bool = False) -> Visibility:
    """Return what everybody can see.

    Args:
        everything: Whether the reader is an organizer, who sees all results.
    """
    limit = None if everything else state.orders.limit
    return Visibility(limit, frozenset() if limit is None else state.released)


def held_encounters(state: Contest, visibility: Visibility) -> frozenset[tuple[str, int]]:
    """Return the encounters with results that a reader does not see: stage or kind of encounter, and number."""
    late = [] if visibility.limit is None else state.played.values()[visibility.limit :]
    return frozenset((played.kind, played.encounter) for played in late if not visibility.shows(played))
