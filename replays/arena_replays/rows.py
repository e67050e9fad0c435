"""The entries of a file as sequences that are read when they are needed; and checks of the form of rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar, overload

from arena_replays import records
from arena_replays.documents import Delta
from arena_replays.entries import Note
from arena_replays.limits import ENTRY, RECORD, Budget
from arena_replays.records import Record

T = TypeVar("T")

GROUP_BYTES: Final = 16 * 1024
GROUP_ENTRIES: Final = 65_536


class Track:
    """The places of the records of one kind and stream. Successive records form groups, so that a table stays short.

    Attributes:
        count: The number of entries of all records.
    """

    def __init__(self) -> None:
        self.count = 0
        self._firsts: list[int] = []
        self._offsets: list[int] = []
        self._stops: list[int] = []
        self._bytes = self._entries = 0

    def add(self, record: Record) -> bool:
        """Add the next record. Return whether a new group begins with it."""
        begins = not self._firsts or self._bytes >= GROUP_BYTES or self._entries >= GROUP_ENTRIES
        if begins:
            self._firsts.append(record.first)
            self._offsets.append(record.offset)
            self._stops.append(0)
            self._bytes = self._entries = 0
        self._stops[-1] = record.offset + record.size
        self._bytes += record.size
        self._entries += record.count
        self.count = record.first + record.count
        return begins

    def group_of(self, entry: int) -> int:
        """Return the number of the group that contains an entry."""
        return bisect_right(self._firsts, entry) - 1

    def groups(self, first: int) -> Iterator[tuple[int, int, int]]:
        """Yield for each group from `first` on: its first entry, and the bytes between which its records are."""
        for at in range(max(first, 0), len(self._firsts)):
            yield self._firsts[at], self._offsets[at], self._stops[at]


class Rows(Sequence[T]):
    """A sequence whose items are read from the file when they are needed. A slice is such a sequence too.

    Args:
        walk: Yields the items from a position on.
        within: The positions of the items.
    """

    __slots__ = ("_walk", "_within")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, walk: Callable[[int], Iterator[T]], within: range) -> None:
        self._walk = walk
        self._within = within

    def __len__(self) -> int:
        return len(self._within)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Rows[T]: ...
    def __getitem__(self, at: int | slice) -> T | Rows[T]:
        found = self._within[at]
        if isinstance(found, range):
            return Rows(self._walk, found)
        return next(self._walk(found))

    def __iter__(self) -> Iterator[T]:
        within = self._within
        if within.step == 1:
            return islice(self._walk(within.start), len(within))
        return (next(self._walk(at)) for at in within)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"<{len(self)} items, the first {list(self[:2])}>"


def rows_of(record: Record, budget: Budget) -> list[Any]:
    """Return the rows of a record.

    Args:
        record: The record.
        budget: The budget from which bytes and values of the record are subtracted.

    Raises:
        TooMuchError: The record expands to more than the budget allows.
        ValueError: The record has the wrong number of entries.
    """
    budget.take(RECORD + ENTRY * record.count)
    value = records.unpack(record, budget)
    if type(value) is not list or len(value) != record.count:
        raise ValueError("it has the wrong number of entries")
    return value


def as_links(rows: Any) -> bytes:
    """Return the links of the hash chain in the rows of an index, joined; each has 8 bytes."""
    links = []
    for row in rows:
        match row:
            case [int(), int(), int(), int(), bytes(link)] if len(link) == 8:
                links.append(link)
            case _:
                raise ValueError("the index is invalid")
    return b"".join(links)


def as_note(row: Any) -> Note:
    """Return a row as a note."""
    match row:
        case [int(turn), int(frame), int(player), str(kind), payload, int(refused)]:
            return Note(turn, frame, player, kind, payload, refused)
    raise ValueError("a note is invalid")


def as_delta(delta: Any) -> Delta:
    """Check that a delta is a flat list of triples, and return it."""
    if type(delta) is not list or len(delta) % 3:
        raise ValueError("a delta is invalid")
    return delta


def as_events(events: Any) -> list[dict[str, Any]]:
    """Check that a value is a list of events, and return it."""
    if type(events) is not list or not all(type(event) is dict for event in events):
        raise ValueError("an event is invalid")
    return events
