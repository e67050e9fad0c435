"""Write a finished file from its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import BinaryIO, Final, TypeVar

from arena_replays import records
from arena_replays.building import Builder
from arena_replays.documents import FRAMED, Entry, Footer, Frame, Header
from arena_replays.entries import Note
from arena_replays.reader import Reader
from arena_replays.recorder import Recorder

T = TypeVar("T")

BATCH: Final = 128  # entries that are in memory at once


@contextmanager
def assembled(
    header: Header,
    entries: Iterable[Entry],
    views: Sequence[Iterable[Frame]],
    notes: Iterable[Note],
    footer: Footer,
    *,
    packed: bool = True,
) -> Iterator[BinaryIO]:
    """Open a finished file with this content. The content can be of any length: it is taken bit by bit.

    If a frame is longer than a reader accepts, all views end before it, and the footer says so.

    Args:
        header: The header.
        entries: The truth.
        views: The frames of each stream. All views end with the shortest one.
        notes: Logs, drawings and output of bots.
        footer: The end of the match.
        packed: Whether to compress the records. Use False if the whole file is compressed afterwards.
    """
    start = records.frame(records.HEADER, header, form=records.PACKED if packed else records.PLAIN)
    recorder = Recorder(Builder(start, len(views), packed=packed), journal=False)
    try:
        _record_all(recorder, entries, [iter(view) for view in views], notes)
        with recorder.finish(footer) as file:
            yield file
    finally:
        recorder.close()


def _record_all(
    recorder: Recorder, entries: Iterable[Entry], views: list[Iterator[Frame]], notes: Iterable[Note]
) -> None:
    none: list[list[Frame]] = [[] for _ in views]
    for batch in _batches(entries):
        wanted = sum(entry[0] in FRAMED for entry in batch)
        taken = [list(islice(view, wanted)) for view in views]
        shortest = min(map(len, taken), default=0)
        if shortest < wanted:
            views = [iter(()) for _ in views]
        recorder.record(batch, [view[:shortest] for view in taken], [])
    for some in _batches(notes):
        rows = [[one.turn, one.frame, one.player, one.kind, one.payload, one.refused] for one in some]
        recorder.record([], none, rows)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch


def assemble(
    header: Header,
    entries: Iterable[Entry],
    views: Sequence[Iterable[Frame]],
    notes: Iterable[Note],
    footer: Footer,
    *,
    packed: bool = True,
) -> bytes:
    """Return the bytes of a finished file with this content; see `assembled`."""
    with assembled(header, entries, views, notes, footer, packed=packed) as file:
        return file.read()


def unpacked(replay: bytes) -> bytes:
    """Return a replay with uncompressed records. A replay without an end is returned unchanged."""
    reader = Reader(replay)
    if reader.footer is None:
        return replay
    views = [reader.frames(stream) for stream in range(reader.streams)]
    return assemble(reader.header, reader.truth, views, reader.notes, reader.footer, packed=False)
