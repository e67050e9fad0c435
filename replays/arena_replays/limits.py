"""How much one file may hold. The writer keeps to these limits, so that nothing is written that cannot be read.

Sizes alone are no limit: a column of four bytes can stand for a million values. So a reader counts values too. Each
record counts as 8, each entry and each map in a table of maps as 4, each element of a list as 1, each pair of a map
as 2, each triple of a delta in columns as 3, and each value that a column stands for without listing it as 1.
"""

from __future__ import annotations

from typing import Any, Final

MAX_FILE: Final = 32 * 1024 * 1024  # bytes of a file
MAX_RECORD: Final = 16 * 1024 * 1024  # bytes of a record in the file
MAX_UNPACKED: Final = 16 * 1024 * 1024  # bytes of a record without compression
MAX_DEPTH: Final = 32  # levels of lists and maps in each other

# All records together: bytes without compression, and values.
MAX_BYTES: Final = 24 * 1024 * 1024
MAX_VALUES: Final = 1_500_000
MAX_NOTE_BYTES: Final = 12 * 1024 * 1024  # notes apart; a file with more is read without the rest of them
MAX_NOTE_VALUES: Final = 1_000_000
MAX_VIEW_BYTES: Final = 64 * 1024 * 1024  # views apart; a reader needs not keep them
MAX_VIEW_VALUES: Final = 5_000_000
MAX_CHUNK_VALUES: Final = 1_000_000  # of them in one record

# Bytes that a writer puts into a journal: less than a file together, so that truth and notes fit beside views.
MAX_WRITTEN_HEADER: Final = 4 * 1024 * 1024
MAX_WRITTEN_TRUTH: Final = 6 * 1024 * 1024
MAX_WRITTEN_VIEWS: Final = 20 * 1024 * 1024
MAX_WRITTEN_NOTES: Final = 5 * 1024 * 1024
PIECE: Final = 400_000  # bytes of a record with several entries: they cannot stand for more than MAX_CHUNK_VALUES
SPARE: Final = 4_096  # bytes by which columns of one entry may be longer than the entry

RECORD: Final = 8
ENTRY: Final = 4
WRITTEN_SHARE: Final = 3  # a writer keeps to a third: entries count for up to 2.4 times as much as columns


class TooMuchError(ValueError):
    """A file expands to more than is allowed."""


class Budget:
    """What the records of one file may still expand to.

    Args:
        size: Bytes without compression.
        values: Values, counted as the text of this module says.
    """

    __slots__ = ("_limit", "size", "values")

    def __init__(self, size: int, values: int) -> None:
        self.size = size
        self.values = self._limit = values

    def take_bytes(self, size: int) -> None:
        """Spend bytes.

        Raises:
            TooMuchError: There are not so many left.
        """
        self.size -= size
        if self.size < 0:
            raise TooMuchError("the file expands to too many bytes")

    def take(self, values: int) -> None:
        """Spend values, before the memory for them is used.

        Raises:
            TooMuchError: There are not so many left.
        """
        if values > self.values:
            raise TooMuchError(f"the file expands to more than {self._limit} values")
        self.values -= values

    def take_list(self, items: list[Any]) -> list[Any]:
        """Spend the elements of a list that was just decoded; see `take`."""
        self.take(len(items))
        return items

    def take_map(self, pairs: dict[str, Any]) -> dict[str, Any]:
        """Spend the pairs of a map that was just decoded; see `take`."""
        self.take(2 * len(pairs))
        return pairs


class Budgets:
    """What one file may still expand to, by what is in its records.

    Args:
        share: Allow one part in so many only.

    Attributes:
        play: Truth, and all that is neither views nor notes.
        views: Views.
        notes: What bots said.
    """

    __slots__ = ("notes", "play", "views")

    def __init__(self, share: int = 1) -> None:
        self.play = Budget(MAX_BYTES // share, MAX_VALUES // share)
        self.views = Budget(MAX_VIEW_BYTES // share, MAX_VIEW_VALUES // share)
        self.notes = Budget(MAX_NOTE_BYTES, MAX_NOTE_VALUES)
