"""A mapping that only grows, so that a copy costs nothing and never changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class AppendOnly(Generic[K, V]):
    """Values by key, in the order in which they were added.

    A copy shares the values, and has those that had been added before. Threads can read copies without a lock while one
    thread adds values, if Python compares the keys without running code of ours, as for numbers and text.
    """

    __slots__ = ("_items", "_places", "_size")

    def __init__(self) -> None:
        self._places: dict[K, int] = {}
        self._items: list[V] = []
        self._size = 0

    def add(self, key: K, value: V) -> None:
        if key in self._places:
            raise ValueError(f"{key} was added before")
        self._items.append(value)
        self._places[key] = self._size
        self._size += 1

    def __copy__(self) -> AppendOnly[K, V]:
        copy = object.__new__(type(self))
        copy._places, copy._items, copy._size = self._places, self._items, self._size
        return copy

    def get(self, key: K) -> V | None:
        place = self._places.get(key, self._size)
        return self._items[place] if place < self._size else None

    def __getitem__(self, key: K) -> V:
        place = self._places[key]
        if place >= self._size:
            raise KeyError(key)
        return self._items[place]

    def __contains__(self, key: K) -> bool:
        return self._places.get(key, self._size) < self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AppendOnly) and ([*self], self.values()) == ([*other], other.values())

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[K]:
        return iter([*self._places][: self._size])

    def values(self) -> list[V]:
        return self._items[: self._size]

    def around(self, place: int, near: int) -> list[V]:
        """Return the values at most `near` places before and after a place."""
        return self._items[max(0, place - near) : min(self._size, place + near + 1)]

    def newest(self) -> Iterator[V]:
        """Yield the values, the newest first."""
        return (self._items[place] for place in range(self._size - 1, -1, -1))
