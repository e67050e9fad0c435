"""A poller that knows what to call for each descriptor."""

from __future__ import annotations

import select
from collections.abc import Callable
from types import TracebackType
from typing import Self

Handler = Callable[[int], None]

MAX_EVENTS = 16
"""The poller allocates memory for all of them at each call."""


class Watch:
    """Calls a handler with a player's number whenever one of their descriptors is ready.

    No method fails because a descriptor is or is not watched: a descriptor that was closed leaves the kernel's set
    unseen, and its number may be in use again.
    """

    def __init__(self) -> None:
        self._poller = select.epoll()
        self._sources: dict[int, tuple[Handler, int]] = {}

    def add(self, descriptor: int, handler: Handler, player: int, *, read: bool = True, write: bool = False) -> None:
        """Watch a descriptor for these directions and no other; for none of them, stop watching it."""
        events = (select.EPOLLIN if read else 0) | (select.EPOLLOUT if write else 0)
        if not events:
            self.remove(descriptor)
            return
        known = descriptor in self._sources
        self._sources[descriptor] = (handler, player)
        try:
            (self._poller.modify if known else self._poller.register)(descriptor, events)
        except (FileNotFoundError, FileExistsError):
            (self._poller.register if known else self._poller.modify)(descriptor, events)

    def remove(self, descriptor: int) -> None:
        """Stop watching a descriptor, watched or not, open or closed."""
        if self._sources.pop(descriptor, None) is not None:
            try:
                self._poller.unregister(descriptor)
            except OSError:
                return  # it was closed, which took it out of the kernel's set

    def wait(self, seconds: float | None) -> list[tuple[Handler, int]]:
        """Wait until something is ready or the time has passed; return what is to be called."""
        ready = []
        for descriptor, _ in self._poller.poll(seconds, MAX_EVENTS):
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
