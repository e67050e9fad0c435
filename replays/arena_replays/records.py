"""The outer layer of a replay file: magic, framed records, checksums and the hash chain."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgpack

from arena_replays.errors import DamagedReplay, NotAReplay, UnknownVersion
from arena_replays.limits import (
    ENTRY,
    MAX_DEPTH,
    MAX_RATIO,
    MAX_RECORD,
    MAX_UNPACKED,
    RECORD,
    SPARE,
    Budget,
    TooMuchError,
)
from arena_replays.source import BytesSource, Source

MAGIC: Final = b"\x89ARENA\n"
VERSION: Final = 1
PREAMBLE: Final = MAGIC + bytes([VERSION])

HEADER: Final = 1
TRUTH: Final = 2
VIEW: Final = 3
NOTES: Final = 4
INDEX: Final = 5
FOOTER: Final = 6
KEYFRAME: Final = 7
KIND_NAMES: Final = {
    HEADER: "header",
    TRUTH: "truth",
    VIEW: "view",
    NOTES: "notes",
    INDEX: "index",
    FOOTER: "footer",
    KEYFRAME: "keyframe",
}
ROW_KINDS: Final = (TRUTH, VIEW, NOTES)  # records with entries

FRAME: Final = struct.Struct("<BII")  # kind, length of the payload, checksum
SPAN: Final = struct.Struct("<BBII")  # form, stream, first entry, entries

PLAIN: Final = 0
PACKED: Final = 2  # compressed with zlib
LEVEL: Final = 6  # of zlib; 9 takes five times as long and saves 2 %
FAST_LEVEL: Final = 4  # of zlib in a long match: less than half the time, and 9 % more bytes
BLOCK: Final = 256 * 1024  # bytes that are read at once

UNDECODABLE: Final = (
    ValueError,
    TypeError,
    zlib.error,
    RecursionError,
    OverflowError,
    MemoryError,
    msgpack.UnpackException,
)


@dataclass(frozen=True, slots=True)
class Record:
    """One framed record of a file.

    Attributes:
        kind: One of the constants from ``HEADER`` to ``KEYFRAME``.
        offset: The position of the frame in the file.
        stream: The number of the view; 0 for other records.
        first: Ordinal of the record's first entry.
        count: The number of entries.
        form: The form of the data: ``PLAIN`` or ``PACKED``.
        data: The entries, as bytes.
        size: Length of the whole record in the file.
    """

    kind: int
    offset: int
    stream: int
    first: int
    count: int
    form: int
    data: bytes
    size: int

    @property
    def name(self) -> str:
        """The name of the record, for messages."""
        return KIND_NAMES.get(self.kind, f"kind {self.kind}")


def encode(value: Any) -> bytes:
    """Encode the data of a record."""
    data: bytes = msgpack.packb(value, unicode_errors="replace")
    return data


def frame(kind: int, value: Any, *, form: int = PLAIN, stream: int = 0, first: int = 0, count: int = 1) -> bytes:
    """Encode ``value`` as one record."""
    return seal(kind, encode(value), form=form, stream=stream, first=first, count=count)


def seal(
    kind: int,
    data: bytes,
    *,
    form: int = PLAIN,
    stream: int = 0,
    first: int = 0,
    count: int = 1,
    level: int = LEVEL,
) -> bytes:
    """Make one record from encoded data. Data that zlib makes too small for a reader are not compressed."""
    if form == PACKED:
        packed = zlib.compress(data, level)
        if len(data) <= MAX_RATIO * len(packed):
            data = packed
        else:
            form = PLAIN
    span = SPAN.pack(form, stream, first, count)
    length = len(span) + len(data)
    checksum = zlib.crc32(data, zlib.crc32(span, zlib.crc32(struct.pack("<BI", kind, length))))
    return FRAME.pack(kind, length, checksum) + span + data


def check_preamble(data: bytes, where: str) -> None:
    """Check that ``data`` starts like a replay of this version.

    Raises:
        NotAReplay: The data are not a replay.
        UnknownVersion: The replay has another version of the format.
    """
    if data[: len(MAGIC)] != MAGIC or len(data) <= len(MAGIC):
        raise NotAReplay(f"{where} is not a replay of Arena.", hint="Replays end in .arena.")
    version = data[len(MAGIC)]
    if version != VERSION:
        raise UnknownVersion(
            f"{where} is a replay of format version {version}, this program reads version {VERSION}.",
            hint="Install a newer arena-replays to read it.",
        )


def scan(
    data: bytes | Source, start: int, *, stop: int | None = None, only: tuple[int, int] | None = None
) -> Iterator[Record | str]:
    """Walk over the records from ``start``.

    Args:
        data: The bytes of the file.
        start: The position of a record.
        stop: The position at which to stop; by default the end of the file.
        only: A kind and a stream. Other records are skipped without checks.

    Yields:
        Each complete record. If the rest of the bytes is invalid, a message about it comes last.
    """
    part = _Blocks(BytesSource(data) if isinstance(data, bytes) else data).part
    at, stop = start, (len(data) if isinstance(data, bytes) else data.size) if stop is None else stop
    while at < stop:
        if at + FRAME.size > stop:
            yield f"the file ends in the middle of a record at byte {at}"
            return
        kind, length, checksum = FRAME.unpack(part(at, FRAME.size))
        name = KIND_NAMES.get(kind, f"kind {kind}")
        if length > MAX_RECORD or length < SPAN.size:
            yield f"the record at byte {at} ({name}) has an impossible length of {length} bytes"
            return
        end = at + FRAME.size + length
        if end > stop:
            yield f"the file ends in the middle of a record at byte {at} ({name})"
            return
        if only is None or only == (kind, SPAN.unpack(part(at + FRAME.size, SPAN.size))[1]):
            payload = part(at + FRAME.size, length)
            if zlib.crc32(payload, zlib.crc32(struct.pack("<BI", kind, length))) != checksum:
                yield f"the record at byte {at} ({name}) is damaged: its checksum differs"
                return
            form, stream, first, count = SPAN.unpack_from(payload)
            yield Record(kind, at, stream, first, count, form, payload[SPAN.size :], end - at)
        at = end


class _Blocks:
    """Reads a source in large blocks. The parts are asked for in the order of the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._begin = 0
        self._block = b""

    def part(self, offset: int, length: int) -> bytes:
        begin = offset - self._begin
        if begin + length > len(self._block):
            self._begin, begin = offset, 0
            self._block = self._source.read(offset, max(length, BLOCK))
        return self._block[begin : begin + length]


def unpack(record: Record, budget: Budget) -> Any:
    """Decode the data of a record within a budget.

    Raises:
        TooMuchError: The data expands to more than the budget allows.
        DamagedReplay: The data does not follow the format.
    """
    data = record.data
    try:
        if record.form not in (PLAIN, PACKED):
            raise ValueError(f"its form {record.form} is unknown")
        if record.form == PACKED:
            limit = min(MAX_UNPACKED, budget.size)
            if record.kind in (*ROW_KINDS, KEYFRAME):
                limit = min(limit, MAX_RATIO * len(data))
            data = _inflate(data, limit)
        budget.take_bytes(len(data))
        return unpack_bytes(data, budget)
    except TooMuchError:
        raise
    except UNDECODABLE as error:
        raise damaged(record, str(error) or type(error).__name__) from None


def fits(kind: int, data: bytes, count: int) -> bool:
    """Return whether a reader accepts a record of rows with this data, which must be valid."""
    if len(data) > MAX_RECORD - SPARE:
        return False
    budget = Budget()
    try:
        budget.take(RECORD + ENTRY * count)
        unpack(Record(kind, 0, 0, 0, count, PLAIN, data, len(data)), budget)
    except (TooMuchError, DamagedReplay):
        return False
    return True


def _inflate(data: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj()
    found = stream.decompress(data, limit + 1)  # one byte more shows that the limit is exceeded; 0 would mean no limit
    if len(found) > limit:
        raise TooMuchError("it expands to too many bytes")
    if not stream.eof:
        raise ValueError("its compressed data is cut short")
    return found


def unpack_bytes(data: bytes, budget: Budget) -> Any:
    """Decode msgpack data. Reject extension types, deep nesting, and keys that are not strings.

    Raises:
        TooMuchError: The data has more values than the budget allows.
        ValueError: The data does not follow the format. Some invalid data raises another error of `UNDECODABLE`.
    """
    counted = budget.shared or len(data) > budget.values
    try:
        value = msgpack.unpackb(
            data,
            ext_hook=_no_extension,
            list_hook=budget.take_list if counted else None,
            object_hook=budget.take_map if counted else None,
            # msgpack allocates the memory of a list before it calls a hook: limit the length here too.
            max_array_len=budget.values,
            max_map_len=budget.values // 2,
        )
    except ValueError as error:
        if "exceeds max" in str(error):
            raise TooMuchError("it expands to too many values") from None
        raise
    _check_depth(value)
    return value


def damaged(record: Record, reason: str) -> DamagedReplay:
    """Return the error for a record with invalid content."""
    return DamagedReplay(f"The record at byte {record.offset} ({record.name}) cannot be read: {reason}.")


def _no_extension(_code: int, _data: bytes) -> Any:
    raise ValueError("extension types are not allowed")


def _check_depth(value: Any, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if type(value) is list:
        for item in value:
            if type(item) is list or type(item) is dict:
                _check_depth(item, depth + 1)
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise ValueError("a key is not a string")
            _check_depth(item, depth + 1)
    elif isinstance(value, msgpack.Timestamp):
        raise ValueError("extension types are not allowed")


class Chain:
    """The hash chain over records. Each link depends on all earlier records."""

    def __init__(self) -> None:
        self.head = hashlib.sha256(PREAMBLE).digest()

    def add(self, record: bytes) -> bytes:
        """Add the bytes of one record and return its link."""
        self.head = hashlib.sha256(self.head + record).digest()
        return self.head
