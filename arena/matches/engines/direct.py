"""The engine of a command: it plays each match in the thread of the caller, before `submit` returns."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from arena.match.result import MatchResult

MatchT = TypeVar("MatchT")


class DirectEngine(Generic[MatchT]):
    window = 1

    def __init__(self, play: Callable[[MatchT], MatchResult]) -> None:
        self._play = play

    def submit(self, match: MatchT, attempt: int) -> "Future[MatchResult]":
        del attempt
        future: Future[MatchResult] = Future()
        try:
            future.set_result(self._play(match))
        except Exception as error:
            future.set_exception(error)
        return future

    def kill(self) -> None: ...

    def close(self) -> None: ...
