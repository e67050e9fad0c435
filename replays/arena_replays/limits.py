"""The limits that a reader enforces, and that a writer obeys.

A match has no limit. The limits are on each record: its bytes, its bytes without compression, and its values. A reader
unpacks one record at a time, so its memory does not grow with the file. Bytes are not enough as a limit: a list of a
million empty lists has a million bytes and takes 64 MB. So a reader also counts values:

* 8 for a record
* 4 for an entry
* 2 for a pair of a map
* 1 for an element of a list

A reader keeps all notes, so they have limits for the whole file too.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

MAX_RECORD: Final = 16 * 1024 * 1024  # bytes of a record in the file
MAX_UNPACKED: Final = 16 * 1024 * 1024  # bytes of a record without compression
MAX_RATIO: Final = 64  # how many times longer a compressed record of entries may be without compression
MAX_CHUNK_VALUES: Final = 1_000_000  # values in one record
MAX_DEPTH: Final = 32  # levels of nested lists and maps

# Limits of all notes of a file together: bytes without compression, and values. A reader drops notes over this limit.
MAX_NOTE_BYTES: Final = 12 * 1024 * 1024
MAX_NOTE_VALUES: Final = 1_000_000

MAX_WRITTEN_HEADER: Final = 4 * 1024 * 1024  # bytes of the header without compression
MAX_WRITTEN_HEADER_VALUES: Final = 250_000
MAX_WRITTEN_NOTES: Final = 5 * 1024 * 1024  # bytes of all notes
PIECE: Final = 400_000  # limit of bytes of a record with several entries: so it has fewer than MAX_CHUNK_VALUES values
SPARE: Final = 4_096  # bytes of a record that a writer leaves unused

RECORD: Final = 8
ENTRY: Final = 4


class TooMuchError(ValueError):
    """A record or a file expands to more bytes or values than the limits allow."""


class Budget:
    """The bytes and values to which one record, or several, can still expand.

    Args:
        size: Bytes without compression.
        values: Values, counted as described in this module.
        shared: Whether several records share the budget. Then values are always counted. Otherwise they are only
            counted in long records: no record has more values than bytes.
    """

    __slots__ = ("_limit", "shared", "size", "values")

    def __init__(self, size: int = MAX_UNPACKED, values: int = MAX_CHUNK_VALUES, *, shared: bool = False) -> None:
        self.size = size
        self.shared = shared
        self.values = self._limit = values

    def take_bytes(self, size: int) -> None:
        """Subtract bytes from the budget.

        Raises:
            TooMuchError: Fewer bytes are left.
        """
        self.size -= size
        if self.size < 0:
            raise TooMuchError("it expands to too many bytes")

    def take(self, values: int) -> None:
        """Subtract values from the budget. Call this before memory is allocated for them.

        Raises:
            TooMuchError: Fewer values are left.
        """
        if values > self.values:
            raise TooMuchError(f"it expands to more than {self._limit} values")
        self.values -= values

    def take_list(self, items: list[Any]) -> list[Any]:
        """Subtract the elements of a decoded list from the budget, and return the list; see `take`."""
        self.take(len(items))
        return items

    def take_map(self, pairs: dict[str, Any]) -> dict[str, Any]:
        """Subtract the pairs of a decoded map from the budget, and return the map; see `take`."""
        self.take(2 * len(pairs))
        return pairs


def left_out_notice(left_out: Collection[str], turn: int, action: int) -> str:
    """Return a message about the parts of a replay that end early because of a limit; "" if none does.

    Args:
        left_out: Some of ``truth``, ``views`` and ``notes``.
        turn: The number of the last recorded turn.
        action: The number of actions in the views.
    """
    views = f"its views end with action {action}" if action >= 0 else "it has no views"
    messages = {
        "truth": f"An action of this match is larger than a replay can hold: the match is recorded up to turn {turn}.",
        "views": f"A change of this match is larger than a replay can hold: {views}.",
        "notes": "The bots wrote too much: some logs and drawings are left out.",
    }
    return " ".join(message for name, message in messages.items() if name in left_out)
