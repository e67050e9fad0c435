"""How long a search may think."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from time import process_time

SECONDS = 1.0
"""The time for a turn, if nothing else is given."""
SHARE_OF_CLOCK = 0.1
"""At most this share of the time that is left on the clock is spent on one turn."""
SHARE = 0.4
"""Each action gets at least this share of what is left for the turn. Its tree serves the later actions, too."""
GRAIN = 0.004
"""The seconds between two readings of the clock."""
LEAST = 0.02
"""Each action gets at least this share of the whole budget of a turn."""


class BadBudget(ValueError):  # noqa: N818 - clear without the suffix
    """A limit of the search is impossible. The message says which."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one turn. A turn can have several actions.

    Attributes:
        playouts: The number of playouts; None for no limit.
        seconds: The processor time in seconds; None for no limit.
    """

    playouts: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Budget:
        """Read the settings ``playouts`` and ``seconds``. Without both, a turn has `SECONDS`.

        Raises:
            BadBudget: A value is no number, or not above 0.
        """
        playouts, seconds = _number(settings, "playouts"), _number(settings, "seconds")
        if playouts is None:
            return cls(None, SECONDS if seconds is None else seconds)
        return cls(max(1, int(playouts)), seconds)

    @property
    def is_repeatable(self) -> bool:
        """Whether only the number of playouts limits the search, so that equal seeds give equal choices."""
        return self.seconds is None


class Meter:
    """Measures what one turn has used.

    Args:
        budget: The limits of the turn.
        actions: The number of actions that a turn usually has.
    """

    def __init__(self, budget: Budget, actions: float) -> None:
        self._budget = budget
        self._share = max(SHARE, 1 / actions)
        self._begun = process_time()
        self._played = 0
        self._unread = self._stride = 0
        self._most_playouts = self._most_seconds = 0.0

    def allow(self, time_left: float | None) -> None:
        """Allow a share of what is left, for the next action.

        Args:
            time_left: The seconds on the clock; None for no limit.
        """
        playouts, seconds = self._budget.playouts, self._budget.seconds
        if time_left is not None and not self._budget.is_repeatable:
            seconds = min(seconds or inf, SHARE_OF_CLOCK * time_left)
        used = process_time() - self._begun
        self._most_playouts = inf if playouts is None else self._played + max(1, self._part(playouts, self._played))
        self._most_seconds = inf if seconds is None else used + self._part(seconds, used)
        self._unread = self._stride  # read the clock at once

    def reduce(self, share: float) -> None:
        """Leave only a share of what the next action was allowed."""
        used = process_time() - self._begun
        if self._most_playouts < inf:
            self._most_playouts = self._played + share * (self._most_playouts - self._played)
        self._most_seconds = used + share * (self._most_seconds - used)

    def count(self) -> None:
        """Count a playout."""
        self._played += 1

    @property
    def is_empty(self) -> bool:
        """Whether the share is used up. The clock is not read for each playout: that can take longer than one."""
        if self._played >= self._most_playouts:
            return True
        self._unread += 1
        if self._unread <= self._stride:
            return False
        used = process_time() - self._begun
        if used >= self._most_seconds:
            return True  # the next call reads the clock again
        self._unread, self._stride = 0, int(GRAIN * self._played / max(used, GRAIN))
        return False

    def _part(self, budget: float, used: float) -> float:
        return max(self._share * (budget - used), LEAST * budget)


def _number(settings: Mapping[str, str], name: str) -> float | None:
    text = settings.get(name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise BadBudget(f"{name} must be a number above 0, not {text}.")
    return value
