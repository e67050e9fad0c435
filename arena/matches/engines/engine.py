"""The interface between the queue of matches and the engines that play them."""

from concurrent.futures import Future
from typing import Protocol, TypeAlias, TypeVar

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

MatchT_contra = TypeVar("MatchT_contra", contravariant=True)


class MatchEngine(Protocol[MatchT_contra]):
    @property
    def window(self) -> int:
        """The largest number of matches that are allowed to be submitted and not finished at the same time."""
        ...

    def submit(self, match: MatchT_contra, attempt: int, /) -> "Future[MatchResult]":
        """Start a match, or put it into the queue. `attempt` is the number of earlier tries that failed."""
        ...

    def kill(self) -> None:
        """End the running matches at once, and start no more. The futures of all these matches fail."""
        ...

    def close(self) -> None: ...


Engine: TypeAlias = MatchEngine[MatchSpec]
"""An engine for the matches of schedules."""
