"""Fields that hold an array of numbers: packed bytes of a declared type and shape."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from arena.game.errors import GameError

DTYPES = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
"""The types of numbers, with their letters in `struct` and `memoryview`."""
_SIZES = {"b": 1, "h": 2, "i": 4, "q": 8, "f": 4, "d": 8}
_EQUAL = re.compile(rb"\0{16,}")
"""Equal bytes between two spans. A span costs up to 9 bytes more than its content (offset and length in msgpack), so
fewer equal bytes are cheaper to repeat; 16 leaves something for the time of a span."""
_MOST_SPANS = 256
"""More spans mean that the change is everywhere. Chosen, not measured: it bounds the time of a reader."""


class Array(NamedTuple):
    """The type of an array: ``pixels: Annotated[bytes, Array("float32", (84, 84))] = field("Brightness.")``.

    The field's value is `bytes`: the numbers in little-endian order, row by row. With NumPy,
    ``numpy.frombuffer(state.pixels, "<f4")`` reads them, and ``array.tobytes()`` makes a new value.

    Attributes:
        dtype: ``int8`` to ``int64``, ``uint8`` to ``uint64``, ``float32`` or ``float64``.
        shape: The size of each dimension: a number, or the name of a field of the type int that holds it, as in
            ``("height", "width")``. The field belongs to the same class, or else to the state, and is neither secret
            nor private. The first size can be None, which allows any size.
    """

    dtype: str
    shape: tuple[int | str | None, ...]

    def check_declaration(self, where: str) -> None:
        """Raise `GameError` if the dtype or the shape is invalid. Whether the named fields exist is not checked."""
        sizes = self.shape[1:] if type(self.shape) is tuple and self.shape[:1] == (None,) else self.shape
        if self.dtype not in DTYPES:
            raise GameError(f"{where} has an array of {self.dtype}; it must be one of {', '.join(DTYPES)}.")
        if type(self.shape) is not tuple or not self.shape or not all(map(_is_size, sizes)):
            raise GameError(
                f"{where} has an array of the shape {self.shape!r}. Write a tuple of sizes: numbers from 1, or names "
                "of fields; the first size may be None."
            )

    def is_valid(self, value: object, sizes: Mapping[str, int] | None = None) -> bool:
        """Return whether a value has the type and length of this array.

        Args:
            value: The value.
            sizes: The values of the named fields. A size whose field is not in it can have any value.
        """
        known = [(sizes or {}).get(size) if isinstance(size, str) else size for size in self.shape]
        unit = _SIZES[DTYPES[self.dtype].lower()] * math.prod(size for size in known if size is not None)
        if type(value) is not bytes:
            return False
        return len(value) == unit if None not in known or not unit else len(value) % unit == 0

    def encode(self, value: Any) -> bytes | None:
        """Return the wire value of a field: its bytes or None, unchanged.

        Raises:
            GameError: The value is not None, and has another type or length than the array.
        """
        if value is None or self.is_valid(value):
            valid: bytes | None = value
            return valid
        what = f"{len(value)} bytes" if isinstance(value, bytes) else f"a {type(value).__name__}"
        raise GameError(f"A field is an array of {self}, and was set to {what}. Set it to bytes of this size.")

    def is_finite(self, value: bytes) -> bool:
        """Return whether all numbers are finite."""
        return self.dtype[0] != "f" or all(
            map(math.isfinite, memoryview(value).cast("f" if self.dtype == "float32" else "d"))
        )

    def __str__(self) -> str:
        return f"{self.dtype}, {' x '.join('any' if size is None else str(size) for size in self.shape)}"


def _is_size(size: object) -> bool:
    return (type(size) is int and size > 0) or (type(size) is str and size.isidentifier())


def difference(old: Any, new: Any) -> Any:
    """Return the value that a delta contains for a field: the new value, or the changed spans of an array.

    Spans are a flat list ``[offset, bytes, offset, bytes, ...]``; an offset counts bytes from the start of the array.
    Two spans with fewer than 16 bytes between them become one span. The result is the whole new value in three cases:

    * The length has changed.
    * More than three quarters of the bytes differ.
    * There are more than 256 spans.
    """
    if type(new) is not bytes or type(old) is not bytes or len(old) != len(new):
        return new
    return _changes(old, new)


@lru_cache(maxsize=1)  # the deltas of all players and of the replay usually contain the same change
def _changes(old: bytes, new: bytes) -> Any:
    # Two large integers are compared in the time of one pass over their bytes, without a loop in Python.
    differing = (int.from_bytes(old, "little") ^ int.from_bytes(new, "little")).to_bytes(len(new), "little")
    if differing.count(0) * 4 < len(differing):
        return new
    spans: list[Any] = []
    start = 0
    for equal in (*_EQUAL.finditer(differing), None):
        end = equal.start() if equal else len(differing)
        if end > start:
            spans += (start, new[start:end])
        if len(spans) > 2 * _MOST_SPANS:
            return new
        start = equal.end() if equal else end
    return spans
