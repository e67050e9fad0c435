"""Convert a journal to a finished file: large chunks, columns, zlib, index, footer."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgpack

from arena_replays import frames, records, truth
from arena_replays.columns import pack_column
from arena_replays.documents import FRAMED, Entry, Footer, Header
from arena_replays.entries import Note
from arena_replays.errors import DamagedReplay
from arena_replays.limits import MAX_CHUNK_VALUES, MAX_UNPACKED, WRITTEN_SHARE
from arena_replays.reader import Reader

MAX_FRAMES: Final = 1024
MIN_FRAMES: Final = 64
CHUNKS: Final = 10  # the number of chunks of a usual match; a damaged file can be read up to the first damaged chunk
NOTE_RECORD: Final = 1024 * 1024  # uncompressed bytes; small, because a reader drops whole records of notes
FULL: Final = MAX_CHUNK_VALUES // 3  # when a view in a chunk has this number of values, the chunk ends after the turn


def compact(journal: bytes, footer: Footer, left_out: frozenset[str] = frozenset()) -> bytes:
    """Return the finished file for a journal.

    A journal within a third of a reader's limits is converted completely. For a longer journal, the function checks
    whether a reader accepts the complete file. If not, the file ends at a third of the limits.

    Args:
        journal: All bytes of the journal.
        footer: The end of the match.
        left_out: The names of the parts (``truth``, ``views``, ``notes``) that end early in the journal.
    """
    finished, lacking = _assembled(Reader(journal, share=WRITTEN_SHARE), footer, left_out)
    if lacking == left_out:
        return finished
    longer, _ = _assembled(Reader(journal), footer, left_out)
    reader = Reader(longer)
    return longer if not reader.check() and reader.left_out <= lacking else finished


def readable(finished: bytes, footer: Footer) -> bytes:
    """Return ``finished`` if a reader finds no problem in it. Otherwise return a shorter file, up to the problem."""
    reader = Reader(finished)
    return _assembled(reader, footer, frozenset())[0] if reader.check() else finished


def _assembled(reader: Reader, footer: Footer, left_out: frozenset[str]) -> tuple[bytes, frozenset[str]]:
    """Return a finished file with what the reader can read, and the names of the parts that end early.

    All views end with the shortest one.
    """
    views = [_readable(reader, stream) for stream in range(reader.streams)]
    shortest = min(map(len, views))
    lacking = set(left_out)
    if reader.problem:
        lacking.add("truth")
    if shortest < reader.frame_count():
        lacking.add("views")
    if reader.notice:
        lacking.add("notes")
    if lacking:
        footer = {**footer, "left_out": sorted(lacking)}
    views = [view[:shortest] for view in views]
    return assemble(reader.header, reader.truth, views, reader.notes, footer), frozenset(lacking)


def _readable(reader: Reader, stream: int) -> list[frames.Frame]:
    """Return the frames of a stream, up to the first record that is damaged or over a limit."""
    found: list[frames.Frame] = []
    with contextlib.suppress(DamagedReplay):
        found.extend(reader.frames(stream))
    return found


def assemble(
    header: Header,
    entries: Sequence[Entry],
    views: Sequence[Sequence[frames.Frame]],
    notes: Sequence[Note],
    footer: Footer,
    *,
    packed: bool = True,
) -> bytes:
    """Build a finished file from its content.

    Args:
        header: The header.
        entries: The truth.
        views: The frames of each stream.
        notes: Logs, drawings and output of bots.
        footer: The end of the match.
        packed: Whether to compress the records. Use False if the whole file is compressed afterwards.
    """
    build = _Builder(records.PACKED if packed else records.ROWS)
    build.add(records.HEADER, header, turns=(0, 0))
    turns = _turn_ends(entries)
    frame = 0
    for first, last, stop in _cuts(entries, views):
        reach = (_turn_of(turns, first), _turn_of(turns, last - 1))
        build.add_all(records.TRUTH, truth.pack, entries[first:last], first=first, turns=reach)
        for stream, view in enumerate(views):
            build.add_all(records.VIEW, frames.pack, view[frame:stop], first=frame, stream=stream, turns=reach)
        frame = stop
    if notes:
        reach = (min(note.turn for note in notes), max(note.turn for note in notes))
        build.add_all(records.NOTES, pack_notes, notes, first=0, turns=reach, limit=NOTE_RECORD)
    return build.finish(footer)


def unpacked(replay: bytes) -> bytes:
    """Return a replay with uncompressed records. A replay without an end is returned unchanged."""
    reader = Reader(replay)
    if reader.footer is None:
        return replay
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    return assemble(reader.header, reader.truth, views, reader.notes, reader.footer, packed=False)


class _Builder:
    """Collects records, their index and their chain."""

    def __init__(self, form: int) -> None:
        self.form = form
        self.parts = [records.PREAMBLE]
        self.chain = records.Chain()
        self.index: list[list[Any]] = []
        self.size = len(records.PREAMBLE)

    def add(self, kind: int, value: Any, *, turns: tuple[int, int]) -> None:
        self._add(records.frame(kind, value, form=self.form), kind, turns)

    def add_all(
        self,
        kind: int,
        pack: Callable[[Sequence[Any]], Any],
        items: Sequence[Any],
        *,
        first: int,
        turns: tuple[int, int],
        stream: int = 0,
        limit: int = MAX_UNPACKED,
    ) -> None:
        """Add items as columns, in records of at most `limit` bytes without compression.

        Only a record with a single item can be longer.
        """
        if not items:
            return
        data = records.encode(pack(items))
        if len(data) > limit and len(items) > 1:
            half = len(items) // 2
            self.add_all(kind, pack, items[:half], first=first, turns=turns, stream=stream, limit=limit)
            self.add_all(kind, pack, items[half:], first=first + half, turns=turns, stream=stream, limit=limit)
            return
        form = self.form | records.COLUMNS
        self._add(records.seal(kind, data, form=form, stream=stream, first=first, count=len(items)), kind, turns)

    def _add(self, record: bytes, kind: int, turns: tuple[int, int]) -> None:
        head = self.chain.add(record)
        self.index.append([kind, self.size, *turns, head[:8]])
        self._append(record)

    def finish(self, footer: Footer) -> bytes:
        index = records.frame(records.INDEX, self.index, count=len(self.index))
        self.chain.add(index)
        self._append(index)
        end: bytes = msgpack.packb(footer)
        self._append(records.frame(records.FOOTER, {"end": end, "chain": self.chain.add(end)}, form=self.form))
        return b"".join(self.parts)

    def _append(self, record: bytes) -> None:
        self.parts.append(record)
        self.size += len(record)


def _cuts(entries: Sequence[Entry], views: Sequence[Sequence[frames.Frame]]) -> Iterator[tuple[int, int, int]]:
    """Yield for each chunk: its first entry, one past its last entry, and one past its last frame."""
    first = frame = start = values = 0
    frame_count = max(map(len, views), default=MAX_FRAMES * CHUNKS)
    most = min(max(frame_count // CHUNKS, MIN_FRAMES), MAX_FRAMES)
    for at, entry in enumerate(entries):
        if entry[0] in FRAMED:
            more = max((_values_of(view[frame]) for view in views if frame < len(view)), default=0)
            if values + more > 3 * FULL and frame > start:
                yield first, at, frame
                first, start, values = at, frame, 0
            values += more
            frame += 1
        full = frame - start >= most or values >= FULL
        if full and (entry[0] == "turn" or frame - start >= 2 * MAX_FRAMES or values >= 2 * FULL):
            yield first, at + 1, frame
            first, start, values = at + 1, frame, 0
    if first < len(entries):
        yield first, len(entries), frame


def _values_of(frame: frames.Frame) -> int:
    """Return the approximate number of values of a frame in columns, counted as in limits.py."""
    delta, events = frame
    inner = sum(map(_nested, delta[2::3])) + sum(_nested(value) for event in events for value in event.values())
    return 10 + 7 * len(delta) // 3 + sum(8 + 3 * len(event) for event in events) + inner


def _nested(value: Any) -> int:
    """Return the number of values inside a value."""
    if type(value) is dict:
        return 2 * len(value) + sum(map(_nested, value.values()))
    return len(value) + sum(map(_nested, value)) if type(value) is list else 0


def _turn_ends(entries: Sequence[list[Any]]) -> list[int]:
    return [at for at, entry in enumerate(entries) if entry[0] == "turn"]


def _turn_of(ends: Sequence[int], entry: int) -> int:

    return bisect_left(ends, entry)


def pack_notes(notes: Sequence[Note]) -> dict[str, Any]:
    """Return notes as columns."""
    names = ["turn", "frame", "player", "kind", "payload"]
    if any(note.refused for note in notes):
        names.append("refused")
    return {name: pack_column([getattr(note, name) for note in notes]) for name in names}
