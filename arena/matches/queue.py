"""The queue of matches of tournaments, seasons and comparisons: when a match starts, and when it is played again."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from typing import Any

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.engines.engine import Engine

RETRIES = 2
"""The number of further tries of a match that fails because of Arena or the machine, and of a void match."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of one try of a match.

    Attributes:
        error: Why the match failed; None if it did not fail.
    """

    spec: MatchSpec
    played: MatchResult | None = None
    error: BaseException | None = None
    again: bool = False

    @property
    def result(self) -> MatchResult | None:
        """The result that counts: for a void match that is not repeated, see `MatchResult.without_void`."""
        if self.played is None or self.again:
            return None
        return self.played.without_void() if self.played.void else self.played

    @property
    def reason(self) -> str:
        """Why the match failed or is void; empty if it was played to an end."""
        if self.played is not None:
            return self.played.void
        return str(self.error) or type(self.error).__name__


class MatchQueue:
    """The matches that an engine plays now, and how often each match has failed or was void.

    The caller chooses the next match, because a repeated match is not always wanted any more.

    Args:
        repeats: Decides whether a void match is played again. By default, it is played again `RETRIES` times.
    """

    def __init__(self, engine: Engine, repeats: Callable[[MatchSpec, MatchResult], bool] | None = None) -> None:
        self.engine = engine
        self.running: dict[Future[MatchResult], MatchSpec] = {}
        self._repeats = repeats or self._is_new_void
        self._failures: Counter[str] = Counter()
        self._voids: Counter[str] = Counter()

    @property
    def has_room(self) -> bool:
        return len(self.running) < self.engine.window

    def start(self, spec: MatchSpec) -> Future[MatchResult]:
        future = self.engine.submit(spec, self._failures[spec.match_id])
        self.running[future] = spec
        return future

    def wait(self, order: Callable[[MatchSpec], Any] | None = None) -> list[Ended]:
        """Wait until a running match ends, and return all tries that have ended, sorted by a key of their matches."""
        done, _ = wait(self.running, return_when=FIRST_COMPLETED)
        return [self.take(one) for one in sorted(done, key=lambda one: order(self.running[one]) if order else ())]

    def take(self, future: Future[MatchResult]) -> Ended:
        """Return how a try has ended; wait for its end if it still runs."""
        spec = self.running.pop(future)
        error = CancelledError("cancelled") if future.cancelled() else future.exception()
        if error is not None:
            self._failures[spec.match_id] += 1
            return Ended(spec, error=error, again=self._failures[spec.match_id] <= RETRIES)
        result = future.result()
        return Ended(spec, result, again=bool(result.void) and self._repeats(spec, result))

    def _is_new_void(self, spec: MatchSpec, result: MatchResult) -> bool:  # noqa: ARG002
        self._voids[spec.match_id] += 1
        return self._voids[spec.match_id] <= RETRIES
