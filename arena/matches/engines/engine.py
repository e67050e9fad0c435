"""The interface between the organizer and the engines that play matches."""

from concurrent.futures import Future
from typing import Protocol

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec


class Engine(Protocol):
    @property
    def window(self) -> int:
        """The largest number of matches that are allowed to be submitted and not finished at the same time."""
        ...

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        """Start a match, or put it into the queue. `attempt` is the number of earlier tries that failed."""
        ...

    def kill(self) -> None:
        """End the running matches at once, and start no more. The futures of all these matches fail."""
        ...

    def close(self) -> None: ...
