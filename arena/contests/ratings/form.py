"""How a player is doing: its record, its last results, and its skill over time. Contests show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.contests.ratings.skill import MU

_LAST: Final = 5
"""The results of which people speak as a form, and as many letters as a narrow column has."""
_MOST: Final = 200
"""The most values of a history. A longer one loses every second value, and from then on takes half as many.

Twice to four times the points that a picture shows (`Form.points`), so that halving is not seen.
"""


@dataclass(frozen=True, slots=True)
class Form:
    """The results of one player, and what they did to its skill. It never changes: `after` returns a new one.

    Attributes:
        between: Results at tables that were neither the first nor the last place.
        last: The letters of the last results, newest last; see `result_letter`.
        history: The skill at the start and after matches, newest last.
        every: The number of matches between two values of the history.
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    between: int = 0
    last: str = ""
    history: tuple[float, ...] = (MU,)
    every: int = 1

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost + self.between

    def after(self, letter: str, skill: float) -> Form:
        """Return the form after one more match.

        Args:
            letter: See `result_letter`.
            skill: The skill after the match.
        """
        history, every = self.history, self.every
        if self.matches % every > 0 and len(history) > 1:
            history = history[:-1]  # a value between two that stay gives way to a newer one
        history = (*history, skill)
        if len(history) > _MOST:
            history, every = history[::2], 2 * every
        won, drawn, lost, between = [n + (letter == kind) for n, kind in zip(self.counts, "WDLB", strict=True)]
        return Form(won, drawn, lost, between, (self.last + letter)[-_LAST:], history, every)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        return self.won, self.drawn, self.lost, self.between

    @property
    def record(self) -> str:
        """The wins, draws and losses; with a name for each number if other places are possible."""
        if not self.between:
            return f"{self.won} – {self.drawn} – {self.lost}"
        named = zip(self.counts, ("first", "shared", "last", "between"), strict=True)
        return ", ".join(f"{count} {name}" for count, name in named if count)

    @property
    def only_won(self) -> bool:
        return self.matches == self.won > 0

    @property
    def only_lost(self) -> bool:
        return self.matches == self.lost > 0

    @property
    def remark(self) -> str:
        """What to say in the place of a rating that results of one kind alone cannot bound; "" for most players."""
        if self.only_won:
            return "not lost yet"
        return "not won yet" if self.only_lost else ""

    def points(self, most: int = 24) -> Sequence[float]:
        """Return the history, thinned out for a small picture."""
        count = len(self.history)
        if count <= most:
            return self.history
        return [self.history[round(point * (count - 1) / (most - 1))] for point in range(most)]


def result_letter(own_points: float, points: Sequence[float]) -> str:
    """Return how a player did: ``W`` is first, ``D`` is equal to all, ``L`` is last, ``B`` is between the ends.

    Args:
        own_points: The points of the player.
        points: The points of all players of the match.
    """
    if max(points) == min(points):
        return "D"
    if own_points == max(points):
        return "W"
    return "L" if own_points == min(points) else "B"
