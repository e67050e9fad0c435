"""From a journal to a finished file: large chunks, columns, zlib, index, footer."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgpack

from arena_replays import frames, records, truth
from arena_replays.columns import pack_column
from arena_replays.entries import Note
from arena_replays.errors import DamagedReplay
from arena_replays.limits import MAX_CHUNK_VALUES, WRITTEN_SHARE
from arena_replays.reader import Reader

MAX_FRAMES: Final = 1024
FULL: Final = MAX_CHUNK_VALUES // 3  # values of a view after which a chunk ends with the turn


def compact(journal: bytes, footer: dict[str, Any]) -> bytes:
    """The finished file for a journal.

    Args:
        journal: All bytes of it.
        footer: The end of the match.
    """
    reader = Reader(journal, share=WRITTEN_SHARE)
    views = [_readable(reader, stream) for stream in range(reader.streams)]
    frames_in_all = min(map(len, views))
    return assemble(reader.header, reader.truth, [view[:frames_in_all] for view in views], reader.notes, footer)


def _readable(reader: Reader, stream: int) -> list[frames.Frame]:
    """Return the frames of a stream up to the limit of what a file may hold."""
    found: list[frames.Frame] = []
    with contextlib.suppress(DamagedReplay):
        found.extend(reader.frames(stream))
    return found


def assemble(
    header: dict[str, Any],
    entries: Sequence[list[Any]],
    views: Sequence[Sequence[frames.Frame]],
    notes: Sequence[Note],
    footer: dict[str, Any],
) -> bytes:
    """Builds a finished file from its content."""
    build = _Builder()
    build.add(records.HEADER, header, records.PACKED, turns=(0, 0))
    turns = _turn_ends(entries)
    frame = 0
    for first, last, stop in _cuts(entries, views):
        part = entries[first:last]
        reach = (_turn_of(turns, first), _turn_of(turns, last - 1))
        build.add(records.TRUTH, truth.pack(part), first=first, count=len(part), turns=reach)
        for stream, view in enumerate(views):
            chunk = view[frame:stop]
            if chunk:
                build.add(records.VIEW, frames.pack(chunk), stream=stream, first=frame, count=len(chunk), turns=reach)
        frame = stop
    if notes:
        build.add(records.NOTES, pack_notes(notes), count=len(notes), turns=(notes[0].turn, notes[-1].turn))
    return build.finish(footer)


class _Builder:
    """Collects records, their index and their chain."""

    def __init__(self) -> None:
        self.parts = [records.PREAMBLE]
        self.chain = records.Chain()
        self.index: list[list[Any]] = []
        self.size = len(records.PREAMBLE)

    def add(
        self,
        kind: int,
        value: Any,
        form: int = records.PACKED | records.COLUMNS,
        *,
        stream: int = 0,
        first: int = 0,
        count: int = 1,
        turns: tuple[int, int],
    ) -> None:
        record = records.frame(kind, value, form=form, stream=stream, first=first, count=count)
        head = self.chain.add(record)
        self.index.append([kind, self.size, *turns, head[:8]])
        self._append(record)

    def finish(self, footer: dict[str, Any]) -> bytes:
        index = records.frame(records.INDEX, self.index, count=len(self.index))
        self.chain.add(index)
        self._append(index)
        end: bytes = msgpack.packb(footer)
        self._append(records.frame(records.FOOTER, {"end": end, "chain": self.chain.add(end)}, form=records.PACKED))
        return b"".join(self.parts)

    def _append(self, record: bytes) -> None:
        self.parts.append(record)
        self.size += len(record)


def _cuts(entries: Sequence[list[Any]], views: Sequence[Sequence[frames.Frame]]) -> Iterator[tuple[int, int, int]]:
    """Where to cut into chunks: (first entry, one past the last, one past the last frame)."""
    first = frame = start = values = 0
    for at, entry in enumerate(entries):
        if entry[0] in ("setup", "do"):
            values += max((_values_of(view[frame]) for view in views if frame < len(view)), default=0)
            frame += 1
        full = frame - start >= MAX_FRAMES or values >= FULL
        if full and (entry[0] == "turn" or values >= 2 * FULL):
            yield first, at + 1, frame
            first, start, values = at + 1, frame, 0
    if first < len(entries):
        yield first, len(entries), frame


def _values_of(frame: frames.Frame) -> int:
    """Return about how many values a frame in columns expands to, as limits.py counts them."""
    delta, events = frame
    return 10 + 7 * len(delta) // 3 + sum(8 + 3 * len(event) for event in events)


def _turn_ends(entries: Sequence[list[Any]]) -> list[int]:
    return [at for at, entry in enumerate(entries) if entry[0] == "turn"]


def _turn_of(ends: Sequence[int], entry: int) -> int:

    return bisect_left(ends, entry)


def pack_notes(notes: Sequence[Note]) -> dict[str, Any]:
    """Notes as columns."""
    names = ("turn", "frame", "player", "kind", "payload")
    return {name: pack_column([getattr(note, name) for note in notes]) for name in names}
