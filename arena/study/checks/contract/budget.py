"""How long a check may take. Every trial of a check looks at the clock, so that a long one can be stopped within."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
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
