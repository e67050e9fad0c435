"""Limits for a writer, so that readers accept everything that the writer writes."""

from __future__ import annotations

from typing import Any

from arena_replays import records
from arena_replays.limits import MAX_RECORD, MAX_UNPACKED, PIECE, SPARE, Budget


class Allowance:
    """Counts the bytes and values that records of one kind can still use.

    Args:
        size: Limit of bytes.
        values: Limit of values, counted as in limits.py.
        record_values: Limit of values in one record.

    Attributes:
        spent: True after a record was over a limit. Then no more entries are accepted.
    """

    __slots__ = ("_bounded", "_counted", "_record_values", "_size", "spent")

    def __init__(self, size: int, values: int, record_values: int) -> None:
        self._size = size
        self._bounded = values // 2
        self._counted = values - self._bounded
        self._record_values = record_values
        self.spent = False

    def pieces(self, kind: int, entries: list[Any], *, first: int, stream: int = 0) -> list[bytes]:
        """Encode the entries as records. Stop before the first record that is over a limit.

        Args:
            kind: The kind of the records.
            entries: The entries.
            first: The ordinal of the first entry among all entries of this kind and stream.
            stream: The number of the view; 0 for other records.
        """
        if not entries or self.spent:
            return []
        record = records.frame(kind, entries, stream=stream, first=first, count=len(entries))
        if len(record) > PIECE and len(entries) > 1:
            half = len(entries) // 2
            found = self.pieces(kind, entries[:half], first=first, stream=stream)
            return found + self.pieces(kind, entries[half:], first=first + half, stream=stream)
        self.spent = not self._takes(record)
        return [] if self.spent else [record]

    def _takes(self, record: bytes) -> bool:
        self._size -= len(record)
        if self._size < 0 or len(record) > MAX_RECORD - SPARE:
            return False
        bound = 12 * len(record) // 5  # no record has more values than this: at most 2.4 per byte
        if bound <= self._bounded:  # counting the values is slow, and short matches do not need it
            self._bounded -= bound
            return True
        budget = Budget(MAX_UNPACKED, min(self._counted, self._record_values))
        before = budget.values
        if not records.fits(record, budget):
            return False
        self._counted -= before - budget.values
        return True
