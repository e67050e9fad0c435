"""The rows of a record, unpacked and held to the shape that the format gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena_replays import records
from arena_replays.columns import unpack_column
from arena_replays.entries import Note
from arena_replays.frames import Delta
from arena_replays.limits import ENTRY, Budget
from arena_replays.records import Record


def unpack_notes(packed: Any, count: int, budget: Budget) -> list[list[Any]]:
    """Return notes from columns."""
    columns = [unpack_column(packed[name], count, budget) for name in ("turn", "frame", "player", "kind", "payload")]
    return [list(row) for row in zip(*columns, strict=True)]


def rows_of(record: Record, unpack: Callable[[Any, int, Budget], Any], expected: int, budget: Budget) -> list[Any]:
    """Return the rows of a record, from columns or not.

    Args:
        record: The record.
        unpack: Makes rows of columns.
        expected: How many rows came before it.
        budget: What the file may still expand to.

    Raises:
        TooMuchError: The record expands to more.
        ValueError: It does not follow on those, or does not hold what it claims.
    """
    if record.first != expected:
        raise ValueError("it does not follow on what is there")
    budget.take(ENTRY * record.count)
    value = records.unpack(record, budget)
    if record.form & records.COLUMNS:
        value = unpack(value, record.count, budget)
    if type(value) is not list or len(value) != record.count:
        raise ValueError("it has not the number of entries which it claims")
    return value


def as_header(header: Any) -> dict[str, Any]:
    """The header, which says how many views there are."""
    if type(header) is not dict or type(header.get("streams")) is not int or not 1 <= header["streams"] <= 65:
        raise ValueError("the header is not one")
    return header


def as_link(row: Any) -> tuple[int, bytes]:
    """A row of the index: where a record starts, and its place in the hash chain."""
    match row:
        case [int(), int(offset), int(), int(), bytes(link)]:
            return offset, link
    raise ValueError("the index is not one")


def as_map(value: Any) -> dict[str, Any]:
    """A map."""
    if type(value) is not dict:
        raise ValueError("a map was expected")
    return value


def as_note(row: Any) -> Note:
    """A note."""
    match row:
        case [int(turn), int(frame), int(player), str(kind), payload]:
            return Note(turn, frame, player, kind, payload)
    raise ValueError("a note is not one")


def as_delta(delta: Any) -> Delta:
    """A delta: flat triples."""
    if type(delta) is not list or len(delta) % 3:
        raise ValueError("a delta is not one")
    return delta


def as_events(events: Any) -> list[dict[str, Any]]:
    """A list of events."""
    if type(events) is not list or not all(type(event) is dict for event in events):
        raise ValueError("an event is not one")
    return events
