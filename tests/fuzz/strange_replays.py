"""Replays in which something is wrong: bytes, frames, compressed data, encoded values, or what they mean."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import msgpack
from altered import NUMBERS, altered_bytes, altered_tree

from arena_replays import Reader, compact, records
from arena_replays.limits import Budget

SOURCES = Path(__file__).parents[1] / "replays"
ALL = Budget(1 << 30, 1 << 30)


@dataclass(frozen=True)
class Part:
    """One record of a file: its frame, and its value."""

    kind: int
    form: int
    stream: int
    first: int
    count: int
    value: Any


@dataclass(frozen=True)
class Source:
    """A sound replay, as bytes, as records with their values, and as what a reader makes of it."""

    data: bytes
    parts: list[Part]
    reader: Reader


def sources() -> list[Source]:
    """Return finished files and journals of all games."""
    found = []
    for path in sorted(SOURCES.glob("*.arena")):
        finished = path.read_bytes()
        for data in (finished, journal_of(Reader(finished))):
            reader = Reader(data)
            parts = [
                Part(one.kind, one.form, one.stream, one.first, one.count, records.unpack(one, ALL))
                for one in records.scan(data, len(records.PREAMBLE))
                if isinstance(one, records.Record)
            ]
            found.append(Source(data, parts, reader))
    return found


def journal_of(reader: Reader) -> bytes:
    """Return the journal of a match: records of rows, without an end."""
    parts = [records.PREAMBLE, records.frame(records.HEADER, reader.header, form=records.PACKED)]
    for at in range(0, len(reader.truth), 40):
        rows = list(reader.truth[at : at + 40])
        parts.append(records.frame(records.TRUTH, rows, first=at, count=len(rows)))
    for stream in range(reader.streams):
        frames = [list(frame) for frame in reader.frames(stream)]
        for at in range(0, len(frames), 40):
            rows = frames[at : at + 40]
            parts.append(records.frame(records.VIEW, rows, stream=stream, first=at, count=len(rows)))
    notes = [[note.turn, note.frame, note.player, note.kind, note.payload] for note in reader.notes]
    return b"".join([*parts, *([records.frame(records.NOTES, notes, count=len(notes))] if notes else [])])


def strange_replay(rng: Random, known: list[Source]) -> bytes:
    """Return the bytes of a file."""
    source, other = rng.choice(known), rng.choice(known)
    way = rng.randrange(10)
    if way == 0:
        return altered_bytes(source.data, rng, [one.data for one in known])
    if way <= 3:
        return meaningless(source, rng)
    parts = list(source.parts)
    if way == 4:
        cut = rng.randrange(len(parts) + 1)
        parts = parts[:cut] + other.parts[rng.randrange(len(other.parts)) :]
    elif way == 5:
        at = rng.randrange(len(parts))
        parts[at:at] = rng.choice((parts[at : at + 2], other.parts[-2:], [])) * rng.choice((1, 2, 300))
    strange = {rng.randrange(len(parts)) for _ in range(rng.choice((1, 1, 2, 4)))} if parts else set()
    encoded = [sealed(part, rng, at in strange) for at, part in enumerate(parts)]
    if rng.random() < 0.05:
        rng.shuffle(encoded)
    return records.PREAMBLE + b"".join(encoded)


def meaningless(source: Source, rng: Random) -> bytes:
    """Return a file that is sound, with a correct hash chain, and says what no match can have been."""
    reader = source.reader
    given = [reader.header, list(reader.truth), [list(map(list, reader.frames(one))) for one in range(reader.streams)]]
    given.append(reader.footer or {"outcome": None})
    at = rng.randrange(4)
    given[at] = altered_tree(given[at], rng)
    header, entries, views, footer = given
    try:
        return compact.assemble(header, entries, views, reader.notes, footer)
    except Exception:  # our writer is not given such values
        return altered_bytes(source.data, rng, [source.data])


def sealed(part: Part, rng: Random, strange: bool) -> bytes:
    """Return a record; a strange one is altered in one layer, and sound in the layers around it."""
    layer = rng.randrange(6) if strange else -1
    if layer == 0:
        part = replace(part, value=altered_tree(part.value, rng))
    if layer == 1:
        part = with_strange_frame(part, rng)
    data = msgpack.packb(part.value)
    if layer == 2:
        data = altered_bytes(data, rng, [data])
    if layer == 3:
        data = bytes([rng.choice((0, 0x80, 0x90, 0xC1, 0xFF))]) * rng.choice((1_000, 1 << 20, 1 << 24, (1 << 24) + 1))
    if part.form & records.PACKED:
        data = zlib.compress(data, rng.choice((1, 9)))
        if layer == 4:
            data = altered_bytes(data, rng, [data])
    numbers = (part.form & 0xFF, part.stream & 0xFF, part.first & 0xFFFFFFFF, part.count & 0xFFFFFFFF)
    payload = records.SPAN.pack(*numbers) + data
    if layer == 5:
        payload = altered_bytes(payload, rng, [payload])
    length = len(payload) if layer != 1 or rng.random() < 0.9 else rng.choice(NUMBERS) % 2**32
    start = struct.pack("<BI", part.kind & 0xFF, length)
    return start + zlib.crc32(payload, zlib.crc32(start)).to_bytes(4, "little") + payload


def with_strange_frame(part: Part, rng: Random) -> Part:
    """Return a record that claims another kind, form or number of entries."""
    many = rng.choice((1_000, 300_000, 1_500_000, 2**32 - 1))
    match rng.randrange(5):
        case 0:
            return replace(part, kind=rng.randrange(9))
        case 1:
            return replace(part, form=rng.choice((0, 1, 2, 3, 4, 255)))
        case 2:
            return replace(part, stream=rng.choice((1, 2, 3, 64, 255)))
        case 3:
            return replace(part, first=rng.choice((part.first + 1, part.first - 1, many)))
    return replace(part, count=rng.choice((part.count + 1, part.count - 1, 0, many)))
