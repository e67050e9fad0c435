"""A poller that knows what to call for each descriptor."""

from __future__ import annotations

import select
from collections.abc import Callable
from types import TracebackType
from typing import Self

Handler = Callable[[int], None]

MOST_EVENTS = 16
"""The poller allocates room for all of them at each call."""


class Watch:
    """Calls a handler with a player's number whenever one of his descriptors is ready."""

    def __init__(self) -> None:
        self._poller = select.epoll()
        self._sources: dict[int, tuple[Handler, int]] = {}

    def add(self, descriptor: int, handler: Handler, player: int) -> None:
        """Watch a descriptor for something to read."""
        self._sources[descriptor] = (handler, player)
        self._poller.register(descriptor, select.EPOLLIN)

    def remove(self, descriptor: int) -> None:
        """Stop watching a descriptor that is still open; unknown ones do not matter."""
        if self._sources.pop(descriptor, None) is not None:
            self._poller.unregister(descriptor)

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor that has been closed, which took it out of the poller."""
        self._sources.pop(descriptor, None)

    def also_for_writing(self, descriptor: int, wanted: bool) -> None:
        """Watch a descriptor for room to write as well, or no longer."""
        self._poller.modify(descriptor, select.EPOLLIN | (select.EPOLLOUT if wanted else 0))

    def wait(self, seconds: float | None) -> list[tuple[Handler, int]]:
        """Wait until something is ready or the time has passed; returns what is to be called."""
        ready = []
        for descriptor, _ in self._poller.poll(seconds, MOST_EVENTS):
            source = self._sources.get(descriptor)
            if source is not None:
                ready.append(source)
        return ready

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._poller.close()
