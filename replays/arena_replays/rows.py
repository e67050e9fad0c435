"""Unpack the rows of a record, and check their form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena_replays import records
from arena_replays.columns import CONSTANT, unpack_column
from arena_replays.entries import Note
from arena_replays.frames import Delta
from arena_replays.limits import ENTRY, Budget
from arena_replays.records import Record

NONE_REFUSED = [CONSTANT, 0]
"""The column ``refused`` for records that lack it: nothing was refused."""


def unpack_notes(packed: Any, count: int, budget: Budget) -> list[list[Any]]:
    """Convert columns of notes to rows."""
    columns = [unpack_column(packed[name], count, budget) for name in ("turn", "frame", "player", "kind", "payload")]
    columns.append(unpack_column(packed.get("refused", NONE_REFUSED), count, budget))
    return [list(row) for row in zip(*columns, strict=True)]


def rows_of(record: Record, unpack: Callable[[Any, int, Budget], Any], expected: int, budget: Budget) -> list[Any]:
    """Return the rows of a record. The record has rows or columns.

    Args:
        record: The record.
        unpack: Converts columns to rows.
        expected: The number of rows before this record.
        budget: The budget from which bytes and values of the record are subtracted.

    Raises:
        TooMuchError: The record expands to more than the budget allows.
        ValueError: The record does not continue the previous one, or has the wrong number of entries.
    """
    if record.first != expected:
        raise ValueError("it does not continue the previous record")
    budget.take(ENTRY * record.count)
    value = records.unpack(record, budget)
    if record.form & records.COLUMNS:
        value = unpack(value, record.count, budget)
    if type(value) is not list or len(value) != record.count:
        raise ValueError("it has the wrong number of entries")
    return value


def as_link(row: Any) -> tuple[int, bytes]:
    """Return a row of the index: the position of a record, and its link in the hash chain."""
    match row:
        case [int(), int(offset), int(), int(), bytes(link)]:
            return offset, link
    raise ValueError("the index is invalid")


def as_note(row: Any) -> Note:
    """Return a row as a note."""
    match row:
        case [int(turn), int(frame), int(player), str(kind), payload]:  # files from before the first release
            return Note(turn, frame, player, kind, payload)
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
