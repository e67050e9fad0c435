"""The seam between the organizer and whatever plays the matches."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Protocol

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec

RunMatch = Callable[[MatchSpec], MatchResult]
"""Plays one match. What a bot does wrong is part of the result; an exception is a fault of ours or of the host."""


class Engine(Protocol):
    """Plays matches, some of them at once."""

    @property
    def window(self) -> int:
        """How many matches may be submitted before the first of them is done."""
        ...

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        """Start a match, or puts it in the queue."""
        ...

    def kill(self) -> None:
        """End the running matches at once; their futures fail."""
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


class ExecutorEngine:
    """Any executor of the standard library as an engine, for scripts and tests.

    Args:
        executor: What calls `run`.
        run: Plays one match.
        window: How many matches may be submitted before the first of them is done.
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
        """See `Engine`; an executor cannot end what it runs, so only what waits is dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """See `Engine`."""
        self._executor.shutdown(wait=True, cancel_futures=True)
