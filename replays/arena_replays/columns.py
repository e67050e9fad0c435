"""Entries as columns: similar values are stored next to each other. Early recordings have columns; writers write rows.

A *column* is a list of values in one of five forms. Its first element is the form:

* ``[0, value]``: all values are equal.
* ``[1, table, indexes]``: a table of at most 256 distinct values, and one byte per value.
* ``[2, values]``: the values themselves.
* ``[3, differences]``: whole numbers or null; each number as the difference to the previous number (the first to 0).
* ``[4, size, bytes]``: byte strings of one size, joined.

A *table of maps* is ``[shapes, which, columns]``. A shape is a list of keys. ``which`` is a column with the index of
each map's shape. ``columns`` has, for each shape, one column per key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from arena_replays.limits import ENTRY, Budget

K = TypeVar("K")
V = TypeVar("V")

CONSTANT: Final = 0
DIFFERENCES: Final = 3


def unpack_column(column: Any, count: int, budget: Budget) -> list[Any]:
    """Return the values of a column of ``count`` values.

    Raises:
        TooMuchError: The column has more values than the budget allows.
        ValueError: The value is not a column, or has another length.
        IndexError: An index is outside of the table.
    """
    values = _unpack_column(column, count, budget)
    if len(values) != count:
        raise ValueError(f"a column has {len(values)} values instead of {count}")
    return values


def _unpack_column(column: Any, count: int, budget: Budget) -> list[Any]:
    match column:
        case [0, value]:
            budget.take(count)
            return [value] * count
        case [1, list(table), bytes(indexes)]:
            budget.take(len(indexes))
            return [table[index] for index in indexes]
        case [2, list(values)]:
            return values
        case [3, list(differences)]:
            budget.take(len(differences))
            return _summed(differences)
        case [4, int(size), bytes(joined)] if size > 0:
            budget.take(len(joined) // size)
            return [joined[at : at + size] for at in range(0, len(joined), size)]
    raise ValueError("a column has an unknown form")


def _summed(differences: list[Any]) -> list[Any]:
    values: list[int | None] = []
    last = 0
    for difference in differences:
        if difference is None:
            values.append(None)
        else:
            last += whole(difference)
            values.append(last)
    return values


def whole(value: Any) -> int:
    """Return ``value`` if it is a whole number.

    Raises:
        ValueError: It is not a whole number.
    """
    if type(value) is not int:
        raise ValueError("a whole number was expected")
    return value


def unpack_maps(packed: Any, count: int, budget: Budget) -> list[dict[str, Any]]:
    """Return the maps of a table of ``count`` maps.

    Raises:
        TooMuchError: The table has more values than the budget allows.
        ValueError: The value is not such a table (or KeyError, TypeError, IndexError from its parts).
    """
    shapes, which, shape_columns = packed
    budget.take(ENTRY * count)
    which = unpack_column(which, count, budget)
    sizes = Counter(which)
    rows = {
        shape: iter(_unpack_shape(keys, sizes[shape], group, budget))
        for shape, (keys, group) in enumerate(zip(shapes, shape_columns, strict=True))
    }
    return interleave(rows, which)


def interleave(rows: Mapping[K, Iterator[V]], order: Iterable[K]) -> list[V]:
    """Merge the rows of several kinds into one list, in the given order.

    Args:
        rows: The rows of each kind.
        order: The kind of each row.

    Raises:
        ValueError: A kind has fewer rows than the order contains.
        KeyError: A kind has no rows.
    """
    try:
        return [next(rows[kind]) for kind in order]
    except StopIteration:
        raise ValueError("there are fewer rows of a kind than expected") from None


def _unpack_shape(keys: list[Any], size: int, group: list[Any], budget: Budget) -> list[dict[str, Any]]:
    budget.take(2 * len(keys) * size)
    if not all(type(key) is str for key in keys):
        raise ValueError("a key is not a string")
    if not keys:
        return [{} for _ in range(size)]
    values = [unpack_column(column, size, budget) for column in group]
    return [dict(zip(keys, row, strict=True)) for row in zip(*values, strict=True)]
