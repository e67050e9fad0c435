"""The interface between the organizer and the engines that play matches."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Protocol

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec

RunMatch = Callable[[MatchSpec], MatchResult]
"""Plays one match. Failures of a bot are part of the result. An exception means that Arena or the machine failed."""


class Engine(Protocol):
    """Plays matches, several at a time."""

    @property
    def window(self) -> int:
        """The number of matches that may be submitted before the first one is finished."""
        ...

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        """Start a match, or put it into the queue."""
        ...

    def kill(self) -> None:
        """End the running matches at once. Their futures fail."""
        ...

    def close(self) -> None:
        """Release the engine's resources."""
        ...


class ExecutorEngine:
    """Adapts an executor of the standard library to an engine, for scripts and tests.

    Args:
        executor: The executor that calls `run`.
        run: Plays one match.
        window: The number of matches that may be submitted before the first one is finished.
    """

    def __init__(self, executor: Executor, run: RunMatch, window: int = 4) -> None:
        self._executor = executor
        self._run = run
        self._window = window

    @property
    def window(self) -> int:
        """See `Engine`."""
        return self._window

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":  # noqa: ARG002
        """See `Engine`."""
        return self._executor.submit(self._run, spec)

    def kill(self) -> None:
        """See `Engine`. An executor cannot end running calls, so only waiting matches are dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """See `Engine`."""
        self._executor.shutdown(wait=True, cancel_futures=True)
