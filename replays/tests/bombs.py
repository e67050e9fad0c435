"""Small files that expand to very much data: one file for each way to do so in the format."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from functools import lru_cache

import msgpack

from arena_replays import records

MANY = 4_000_000
UNPACKED = 16 * 1024 * 1024 - 64


@lru_cache
def compressed(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def record(kind: int, data: bytes, *, form: int = records.PACKED, first: int = 0, count: int = 1) -> bytes:
    """Frame bytes as a record. The bytes are msgpack, or look like msgpack and are invalid."""
    if form & records.PACKED:
        data = compressed(data)
    payload = records.SPAN.pack(form, 0, first, count) + data
    start = struct.pack("<BI", kind, len(payload))
    return start + zlib.crc32(payload, zlib.crc32(start)).to_bytes(4, "little") + payload


def replay(*parts: bytes, header: bytes | None = None) -> bytes:
    """Put records behind a preamble and a header with one view."""
    return records.PREAMBLE + record(records.HEADER, header or msgpack.packb({"streams": 1})) + b"".join(parts)


def array(item: bytes, items: int) -> bytes:
    return b"\xdd" + struct.pack(">I", items) + item * items


def many_states(many: int = MANY) -> bytes:
    first = [[part for at in range(many // 64) for part in (at, "+", "C")], []]
    rows = [record(records.VIEW, msgpack.packb([first]))]
    rows += [record(records.VIEW, msgpack.packb([[[], []]]), first=at) for at in range(1, 400)]
    return replay(*rows)


def empty_lists(many: int = UNPACKED) -> bytes:
    return replay(record(records.TRUTH, array(b"\x90", many), count=many))


def empty_maps(many: int = UNPACKED) -> bytes:
    return replay(header=b"\x82\xa7streams\x01\xa4more" + array(b"\x80", many))


def short_texts(many: int = UNPACKED // 3) -> bytes:
    return replay(header=b"\x82\xa7streams\x01\xa4more" + array(b"\xa2\xc4\x81", many))


def arrays_of_texts(many: int = UNPACKED // 3) -> bytes:
    parts = b"".join(array(b"\xa2\xc4\x81", many // 11) for _ in range(10))
    return replay(header=b"\x82\xa7streams\x01\xa4more\x9a" + parts)


def claims(many: int = UNPACKED // 2) -> bytes:
    lists = (b"\xdd" + struct.pack(">I", many)) * 900
    return replay(header=b"\x82\xa7streams\x01\xa4more" + lists + bytes(many))


def long_footer() -> bytes:
    end = b"\x81\xa4more" + array(b"\x90", UNPACKED - 100)
    return replay(record(records.FOOTER, msgpack.packb({"end": end, "chain": b"x"})))


def many_bytes() -> bytes:
    note = msgpack.packb([[0, 0, 0, "log", "x" * UNPACKED]])
    return replay(*(record(records.NOTES, note, first=at) for at in range(60)))


def many_truths() -> bytes:
    action = msgpack.packb([["do", 0, bytes(UNPACKED), []]])
    return replay(*(record(records.TRUTH, action, first=at) for at in range(60)))


def drawings(many: int = MANY) -> bytes:
    shapes = array(b"\x80", many)
    note = b"\x91\x95\x00\x00\x00\xa4draw" + shapes
    return replay(*(record(records.NOTES, note, first=at) for at in range(4)))


def tiny_records(many: int = MANY) -> bytes:
    return replay(record(records.NOTES, b"\x90", form=0, count=0) * (many // 4))


BOMBS: dict[str, Callable[..., bytes]] = {
    make.__name__: make
    for make in (
        many_states,
        empty_lists,
        empty_maps,
        short_texts,
        arrays_of_texts,
        claims,
        long_footer,
        many_bytes,
        many_truths,
        drawings,
        tiny_records,
    )
}
