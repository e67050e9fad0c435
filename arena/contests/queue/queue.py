"""The queue of matches: when a match starts, and when it is played again. Everything that plays matches uses it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

import msgspec

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.match.void import HOST_LATE, RETRIES

# A match with its result as one line of JSON.


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A match with its result, without most of the bots' output, in the form in which results are stored."""

    spec: MatchSpec
    outcome: MatchResult
    at: str = ""

    @classmethod
    def of(cls, spec: MatchSpec, result: MatchResult, at: str) -> Self:
        return cls(spec, result.brief(), at)

    def to_document(self) -> dict[str, Any]:
        return {"spec": self.spec.to_document(), "outcome": self.outcome.to_document(), "at": self.at}


# Long contests have tens of thousands of results. msgspec reads them five times faster than `from_document`.
_recorded = msgspec.json.Decoder(ResultLine)


def parse_result(text: str) -> ResultLine:
    line: ResultLine = _recorded.decode(text)
    return line


# The interface between the queue of matches and the engines that play them.

MatchT_contra = TypeVar("MatchT_contra", contravariant=True)


class MatchEngine(Protocol[MatchT_contra]):
    """Plays matches, on this machine or elsewhere."""

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

    def close(self) -> None:
        """End what the engine has started. No match runs any more."""
        ...


Engine: TypeAlias = MatchEngine[MatchSpec]
"""An engine for the matches of schedules."""


class QueuedMatch(Protocol):
    """What an engine plays, such as `MatchSpec` for the matches of a schedule."""

    @property
    def match_id(self) -> str: ...


MatchT = TypeVar("MatchT", bound=QueuedMatch)


def repeat_void(_match: QueuedMatch, result: MatchResult) -> bool:
    """Play each void match again, as contests do: they need a result."""
    return bool(result.void)


def repeat_late(_match: QueuedMatch, result: MatchResult) -> bool:
    """Play a match again only if the machine was too slow: who asked for one match wants to see its other ends."""
    return result.outcome.reason == HOST_LATE


@dataclass(frozen=True, slots=True)
class Ended(Generic[MatchT]):
    """The end of one try of a match.

    Attributes:
        error: Why the match failed; None if it did not fail.
    """

    match: MatchT
    played: MatchResult | None = None
    error: BaseException | None = None
    again: bool = False

    @property
    def result(self) -> MatchResult | None:
        """The result that counts: for a void match that is not repeated, see `MatchResult.without_void`."""
        if self.played is None or self.again:
            return None
        # A match that no contest has asked for has no `void`: whoever looks at it wants to see what happened.
        return self.played.without_void() if self.played.void else self.played

    @property
    def reason(self) -> str:
        """Why the match failed or is void; empty if it was played to an end."""
        if self.played is not None:
            return self.played.void
        return str(self.error) or type(self.error).__name__


class MatchQueue(Generic[MatchT]):
    """The matches that an engine plays now, and how often each match has failed or was void.

    The caller chooses the next match, because a repeated match is not always wanted any more.

    Args:
        repeats: Decides whether a match that was played to its end is void, and played again.
        voids: How often at the most.
        failures: How often a match that fails is played again; 0 where somebody waits for the reason.
    """

    def __init__(
        self,
        engine: MatchEngine[MatchT],
        repeats: Callable[[MatchT, MatchResult], bool] = repeat_void,
        *,
        voids: int = RETRIES,
        failures: int = RETRIES,
    ) -> None:
        self.engine = engine
        self.running: dict[Future[MatchResult], MatchT] = {}
        self._repeats = repeats
        self._most_failures, self._most_voids = failures, voids
        self._failures: Counter[str] = Counter()
        self._voids: Counter[str] = Counter()

    @property
    def has_room(self) -> bool:
        return len(self.running) < self.engine.window

    def start(self, match: MatchT) -> Future[MatchResult]:
        future = self.engine.submit(match, self._failures[match.match_id])
        self.running[future] = match
        return future

    def wait(self, order: Callable[[MatchT], Any] | None = None, seconds: float | None = None) -> list[Ended[MatchT]]:
        """Wait until a running match ends, and return all tries that have ended, sorted by a key of their matches.

        Args:
            seconds: Wait no longer than this. If no match has ended then, return an empty list.
        """
        done, _ = wait(self.running, seconds, return_when=FIRST_COMPLETED)
        ended = sorted(done, key=lambda future: order(self.running[future])) if order else done
        return [self.take(future) for future in ended]

    def take(self, future: Future[MatchResult]) -> Ended[MatchT]:
        """Return how a try has ended; wait for its end if it still runs."""
        match = self.running.pop(future)
        error = CancelledError("cancelled") if future.cancelled() else future.exception()
        if error is not None:
            self._failures[match.match_id] += 1
            return Ended(match, error=error, again=self._failures[match.match_id] <= self._most_failures)
        result = future.result()
        again = self._repeats(match, result)
        if again:
            self._voids[match.match_id] += 1
            again = self._voids[match.match_id] <= self._most_voids
        return Ended(match, result, again=again)

    def finish(
        self, future: Future[MatchResult], again: Callable[[Ended[MatchT]], bool] = lambda _ended: True
    ) -> Ended[MatchT]:
        """Wait for the end of a match, and play it again while `again` allows it."""
        ended = self.take(future)
        while ended.again and again(ended):
            ended = self.take(self.start(ended.match))
        return ended


def played_once(engine: MatchEngine[MatchT], matches: Iterable[MatchT]) -> Iterator[Ended[MatchT]]:
    """Play matches whose results count nowhere, several at a time, and yield their ends in order.

    A void match is not repeated: it says enough. One that fails is.
    """
    queue = MatchQueue(engine, voids=0)
    for future in [queue.start(match) for match in matches]:
        yield queue.finish(future)


# The engine of a command: it plays each match in the thread of the caller, before `submit` returns.

AnyMatchT = TypeVar("AnyMatchT")


class DirectEngine(Generic[AnyMatchT]):
    window = 1

    def __init__(self, play: Callable[[AnyMatchT], MatchResult]) -> None:
        self._play = play

    def submit(self, match: AnyMatchT, attempt: int) -> "Future[MatchResult]":
        del attempt
        future: Future[MatchResult] = Future()
        try:
            future.set_result(self._play(match))
        except Exception as error:
            future.set_exception(error)
        return future

    def kill(self) -> None: ...

    def close(self) -> None: ...
