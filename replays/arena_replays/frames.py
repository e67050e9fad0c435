"""View entries as columns of objects, fields and values. The writer writes rows; early recordings have columns.

A chunk of frames is a map:

* ``changes``: the number of triples of each frame (column),
* ``ids``: the object of each triple (column),
* ``fields``: the distinct field names; ``which``: the field of each triple (column of indexes into ``fields``),
* ``values``: for each field, a column with the values of its triples in their order. If all are small whole numbers
  or null, the column is ``[3, differences]`` (see columns.py): differences between a number and the previous number of
  the same object, which is 0 at first,
* ``events``: the number of events of each frame (column); ``effects``: all events (table of maps).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena_replays import columns
from arena_replays.documents import Delta, Frame
from arena_replays.limits import Budget


def unpack(packed: Any, count: int, budget: Budget) -> list[Frame]:
    """Return the frames of a chunk of ``count`` frames.

    Raises:
        TooMuchError: The chunk has more values than the budget allows.
        ValueError: The value is not such a chunk (or KeyError, TypeError, IndexError from its parts).
    """
    changes = columns.unpack_column(packed["changes"], count, budget)
    triples = total(changes)
    budget.take(3 * triples)
    ids = columns.unpack_column(packed["ids"], triples, budget)
    names = packed["fields"]
    which = columns.unpack_column(packed["which"], triples, budget)
    values = _unpack_values(packed["values"], ids, which, len(names), budget)
    happened = columns.unpack_column(packed["events"], count, budget)
    effects = columns.unpack_maps(packed["effects"], total(happened), budget)
    frames: list[Frame] = []
    triple = effect = 0
    for size, events in zip(changes, happened, strict=True):
        delta: Delta = []
        for at in range(triple, triple + size):
            delta += (ids[at], names[which[at]], values[at])
        frames.append((delta, effects[effect : effect + events]))
        triple += size
        effect += events
    return frames


def total(sizes: Sequence[Any]) -> int:
    """Return the sum of a column of sizes.

    Raises:
        ValueError: An entry is not a size.
    """
    if any(columns.whole(size) < 0 for size in sizes):
        raise ValueError("impossible sizes")
    return sum(sizes)


def _unpack_values(packed: list[Any], ids: list[Any], which: list[Any], fields: int, budget: Budget) -> list[Any]:
    owners: list[list[int]] = [[] for _ in range(fields)]
    for at, field in enumerate(which):
        owners[field].append(at)
    values: list[Any] = [None] * len(ids)
    for positions, column in zip(owners, packed, strict=True):
        if column[0] == columns.DIFFERENCES:
            _undo_differences(column[1], positions, ids, values)
        else:
            for at, value in zip(positions, columns.unpack_column(column, len(positions), budget), strict=True):
                values[at] = value
    return values


def _undo_differences(differences: list[Any], positions: list[int], ids: list[Any], values: list[Any]) -> None:
    last: dict[str, int] = {}
    for at, difference in zip(positions, differences, strict=True):
        if difference is not None:
            last[ids[at]] = values[at] = last.get(ids[at], 0) + columns.whole(difference)
