"""View entries as columns: which object, which field, which value; a field's values stand together.

A chunk of frames is a map:

* ``changes``: how many triples each frame has (column),
* ``ids``: the object of each triple (column),
* ``fields``: the distinct field names; ``which``: the field of each triple (column of indexes into them),
* ``values``: for each field, the values of all its triples in their order. Whole numbers are differences to the value
  that the same field of the same object had before in this chunk (0 at first), in the form ``[3, ...]`` of columns.py,
* ``events``: how many events each frame has (column); ``effects``: all events (table of maps).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arena_replays import columns

Delta = list[Any]
Frame = tuple[Delta, list[dict[str, Any]]]

MAX_TRIPLES: Final = 4_000_000


def pack(frames: Sequence[Frame]) -> dict[str, Any]:
    """Turns frames into columns."""
    ids: list[str] = []
    fields: dict[str, int] = {}
    which: list[int] = []
    values: list[list[tuple[str, Any]]] = []
    for delta, _ in frames:
        for at in range(0, len(delta), 3):
            name, field, value = delta[at : at + 3]
            index = fields.setdefault(field, len(fields))
            if index == len(values):
                values.append([])
            ids.append(name)
            which.append(index)
            values[index].append((name, value))
    events = [event for _, happened in frames for event in happened]
    return {
        "changes": columns.pack_column([len(delta) // 3 for delta, _ in frames]),
        "ids": columns.pack_column(ids),
        "fields": list(fields),
        "which": columns.pack_column(which),
        "values": [_pack_values(field) for field in values],
        "events": columns.pack_column([len(happened) for _, happened in frames]),
        "effects": columns.pack_maps(events),
    }


def _pack_values(pairs: list[tuple[str, Any]]) -> columns.Column:
    if not all(columns.is_small(value) for _, value in pairs):
        return columns.pack_column([value for _, value in pairs])
    last: dict[str, int] = {}
    differences: list[int | None] = []
    for name, value in pairs:
        differences.append(None if value is None else value - last.get(name, 0))
        if value is not None:
            last[name] = value
    return [columns.DIFFERENCES, differences]


def unpack(packed: Any, count: int) -> list[Frame]:
    """The frames of a chunk of ``count`` frames.

    Raises:
        ValueError: It is no such chunk (or KeyError, TypeError, IndexError from its parts).
    """
    changes = columns.unpack_column(packed["changes"], count)
    triples = total(changes)
    ids = columns.unpack_column(packed["ids"], triples)
    names = packed["fields"]
    which = columns.unpack_column(packed["which"], triples)
    values = _unpack_values(packed["values"], ids, which, len(names))
    happened = columns.unpack_column(packed["events"], count)
    effects = columns.unpack_maps(packed["effects"], total(happened))
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
    """The sum of a column of sizes.

    Raises:
        ValueError: One is no size, or together they are more than a chunk may hold.
    """
    result = sum(map(columns.whole, sizes))
    if any(size < 0 for size in sizes) or result > MAX_TRIPLES:
        raise ValueError("impossible sizes")
    return result


def _unpack_values(packed: list[Any], ids: list[Any], which: list[Any], fields: int) -> list[Any]:
    owners: list[list[int]] = [[] for _ in range(fields)]
    for at, field in enumerate(which):
        owners[field].append(at)
    values: list[Any] = [None] * len(ids)
    for positions, column in zip(owners, packed, strict=True):
        if column[0] == columns.DIFFERENCES:
            _undo_differences(column[1], positions, ids, values)
        else:
            for at, value in zip(positions, columns.unpack_column(column, len(positions)), strict=True):
                values[at] = value
    return values


def _undo_differences(differences: list[Any], positions: list[int], ids: list[Any], values: list[Any]) -> None:
    last: dict[str, int] = {}
    for at, difference in zip(positions, differences, strict=True):
        if difference is not None:
            last[ids[at]] = values[at] = last.get(ids[at], 0) + columns.whole(difference)
