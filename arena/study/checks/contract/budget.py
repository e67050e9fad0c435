"""How long a check may take: it looks at fewer positions when they are dear, and says what it has left out."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, inf
from statistics import fmean
from time import monotonic

_EVERY = 1.0
"""The seconds between two reports of progress."""


class Stopped(BaseException):
    """The time of a check is over. It is no `Exception`, so that no check takes it for a defect of the rules."""


class Budget:
    """The time of a check.

    Args:
        seconds: The time for all games; None for as long as it takes.
        progress: Called about once a second, also within a long check of one position.
    """

    def __init__(self, seconds: float | None = None, progress: Callable[[], None] | None = None) -> None:
        self._begun = self._said = monotonic()
        self._end = inf if seconds is None else self._begun + seconds
        self._progress = progress

    @property
    def spent(self) -> float:
        """The seconds since the beginning."""
        return monotonic() - self._begun

    @property
    def left(self) -> float:
        """The seconds left; infinite without a limit."""
        return self._end - monotonic()

    def tick(self) -> None:
        """Raise `Stopped` if the time is over. Every trial of a check calls this."""
        now = monotonic()
        if now > self._end:
            raise Stopped
        if self._progress is not None and now - self._said >= _EVERY:
            self._said = now
            self._progress()


_LOOKS = 8
"""With fewer positions in each game, fewer games are better: one position costs as much as hundreds of actions."""


class Spacing:
    """Spreads the positions that are looked at over the games, by what they cost.

    Args:
        budget: The time of the check.
        games: How many games are planned.
    """

    def __init__(self, budget: Budget, games: int) -> None:
        self._budget = budget
        self._games = games
        self._costs: list[float] = []
        self._lengths: list[int] = []
        self._playing: list[float] = []
        self._begun = (0.0, 0.0)
        self._until = inf

    def begin(self) -> None:
        """Begin a game. It gets an equal share of the time that is left, or a larger one if positions are dear."""
        self._begun = monotonic(), fsum(self._costs)
        games = 3.0  # nobody knows what the first game costs
        if self._playing:
            games = self._budget.left / max(1e-6, fmean(self._playing) + _LOOKS * fmean(self._costs))
        self._until = monotonic() + self._budget.left / max(1.0, min(self._games, games))
        self._games -= 1

    def add(self, seconds: float) -> None:
        """Add what a position has cost."""
        self._costs.append(seconds)

    def end(self, length: int) -> None:
        """End a game of so many actions."""
        self._lengths.append(length)
        begun, costs = self._begun
        self._playing.append(monotonic() - begun - (fsum(self._costs) - costs))

    @property
    def is_late(self) -> bool:
        """Whether the share of the game is used up. It is then played to its end without a closer look."""
        return monotonic() > self._until

    def gap(self, step: int) -> int:
        """Return the smallest number of actions to the next position for which the game's share is enough."""
        if self._until == inf or not self._costs:
            return 1
        affordable = (self._until - monotonic()) / max(1e-6, fmean(self._costs))
        length = fmean(self._lengths) if self._lengths else 2 * step + 20  # a game that nobody has seen the end of
        return max(1, round((length - step) / max(1.0, affordable)))
