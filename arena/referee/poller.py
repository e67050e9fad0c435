"""A poller that knows which handler to call for each descriptor."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import Any, Self

Handler = Callable[[int], None]

MAX_EVENTS = 16
"""The most events of one call. The poller allocates memory for all of them at each call."""


HAS_EPOLL = hasattr(select, "epoll")
"""Whether the system has epoll (Linux). Other systems use `select.poll`, which is slower."""


class Poller:
    """Returns the handlers to call, with a player's number, for the descriptors that are ready.

    The caller can add or remove a descriptor repeatedly. A closed descriptor does not need to be removed: the kernel
    polls it no longer.
    """

    def __init__(self) -> None:
        self._poller: Any = select.epoll() if HAS_EPOLL else select.poll()
        self._sources: dict[int, tuple[Handler, int]] = {}

    def add(self, descriptor: int, handler: Handler, player: int, *, read: bool = True, write: bool = False) -> None:
        """Poll a descriptor for reading, for writing or for both. If both are false, stop polling the descriptor."""
        events = (select.POLLIN if read else 0) | (select.POLLOUT if write else 0)
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
        """Stop polling a descriptor. Do nothing if it is not polled. The descriptor can already be closed."""
        if self._sources.pop(descriptor, None) is not None:
            try:
                self._poller.unregister(descriptor)
            except (OSError, KeyError):
                return  # it was closed, so the kernel has forgotten it

    def wait(self, seconds: float | None) -> list[tuple[Handler, int]]:
        """Wait until a descriptor is ready or the time has passed, and return the handlers to call."""
        if HAS_EPOLL:
            ready = self._poller.poll(seconds, MAX_EVENTS)
        else:
            ready = self._poller.poll(None if seconds is None else 1000 * seconds)  # milliseconds
        return [self._sources[descriptor] for descriptor, _ in ready if descriptor in self._sources]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if HAS_EPOLL:
            self._poller.close()
