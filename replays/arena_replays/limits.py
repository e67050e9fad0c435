"""The limits of one file. The writer obeys them, so that a reader accepts every written file.

Limits on bytes are not enough: a column of four bytes can expand to a million values. So a reader also counts values:

* 8 for a record
* 4 for an entry, and for a map in a table of maps
* 3 for a triple of a delta in columns
* 2 for a pair of a map
* 1 for an element of a list, and for a value of a column in form 0, 1, 3 or 4 (see columns.py)
"""

from __future__ import annotations

from typing import Any, Final

MAX_FILE: Final = 32 * 1024 * 1024  # bytes of a file
MAX_RECORD: Final = 16 * 1024 * 1024  # bytes of a record in the file
MAX_UNPACKED: Final = 16 * 1024 * 1024  # bytes of a record without compression
MAX_DEPTH: Final = 32  # levels of nested lists and maps

# Limits of all records of a file together: bytes without compression, and values. The first two are for all records
# except views and notes.
MAX_BYTES: Final = 24 * 1024 * 1024
MAX_VALUES: Final = 1_500_000
MAX_NOTE_BYTES: Final = 12 * 1024 * 1024  # notes; a reader drops notes over this limit
MAX_NOTE_VALUES: Final = 1_000_000
MAX_VIEW_BYTES: Final = 64 * 1024 * 1024  # views; larger, since a reader does not have all views in memory at once
MAX_VIEW_VALUES: Final = 5_000_000
MAX_CHUNK_VALUES: Final = 1_000_000  # values in one record of a view

# Limits for the writer's journal, in bytes; for the header, without compression. Truth, views and notes together are
# less than `MAX_FILE`.
MAX_WRITTEN_HEADER: Final = 4 * 1024 * 1024
MAX_WRITTEN_TRUTH: Final = 6 * 1024 * 1024
MAX_WRITTEN_VIEWS: Final = 20 * 1024 * 1024
MAX_WRITTEN_NOTES: Final = 5 * 1024 * 1024
PIECE: Final = 400_000  # limit of bytes of a record with several entries: so it has fewer than MAX_CHUNK_VALUES values
SPARE: Final = 4_096  # as columns, a single entry can become longer by at most this number of bytes

RECORD: Final = 8
ENTRY: Final = 4
WRITTEN_SHARE: Final = 3  # a writer uses a third of the limits: as columns, entries can have 2.4 times as many values


class TooMuchError(ValueError):
    """A file expands to more bytes or values than the limits allow."""


class Budget:
    """The bytes and values to which the records of one file can still expand.

    Args:
        size: Bytes without compression.
        values: Values, counted as described in this module.
    """

    __slots__ = ("_limit", "size", "values")

    def __init__(self, size: int, values: int) -> None:
        self.size = size
        self.values = self._limit = values

    def take_bytes(self, size: int) -> None:
        """Subtract bytes from the budget.

        Raises:
            TooMuchError: Fewer bytes are left.
        """
        self.size -= size
        if self.size < 0:
            raise TooMuchError("the file expands to too many bytes")

    def take(self, values: int) -> None:
        """Subtract values from the budget. Call this before memory is allocated for them.

        Raises:
            TooMuchError: Fewer values are left.
        """
        if values > self.values:
            raise TooMuchError(f"the file expands to more than {self._limit} values")
        self.values -= values

    def take_list(self, items: list[Any]) -> list[Any]:
        """Subtract the elements of a decoded list from the budget, and return the list; see `take`."""
        self.take(len(items))
        return items

    def take_map(self, pairs: dict[str, Any]) -> dict[str, Any]:
        """Subtract the pairs of a decoded map from the budget, and return the map; see `take`."""
        self.take(2 * len(pairs))
        return pairs


class Budgets:
    """The budgets of one file, by the kind of its records.

    Args:
        share: Divide the limits of `play` and `views` by this number.

    Attributes:
        play: Truth, and everything except views and notes.
        views: Views.
        notes: Logs, drawings and output of bots.
    """

    __slots__ = ("notes", "play", "views")

    def __init__(self, share: int = 1) -> None:
        self.play = Budget(MAX_BYTES // share, MAX_VALUES // share)
        self.views = Budget(MAX_VIEW_BYTES // share, MAX_VIEW_VALUES // share)
        self.notes = Budget(MAX_NOTE_BYTES, MAX_NOTE_VALUES)
