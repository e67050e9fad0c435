"""Build a finished file, chunk by chunk: its memory does not grow with the match."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgpack

from arena_replays import records
from arena_replays.documents import Footer, Frame
from arena_replays.limits import PIECE
from arena_replays.state import State, fold, view

CHUNK: Final = 64 * 1024  # bytes of truth, views and notes in a chunk without compression
KEYFRAME_AFTER: Final = 256 * 1024  # bytes of a view before its next keyframe, at least
KEYFRAME_COST: Final = 8  # and at least this many times the bytes of a keyframe
FAST_AFTER: Final = 256 * 1024  # bytes without compression; what follows is compressed faster and less
INDEX_ROWS: Final = 10_000  # rows in one record of the index
IN_MEMORY: Final = 1024 * 1024  # bytes of a file before it is put on the disk


class Builder:
    """Writes a finished file: compressed chunks in the order of the match, keyframes, index, footer and hash chain.

    Args:
        header: The record of the header.
        streams: The number of views.
        folder: The folder for the file while it is built. Only files over 1 MiB need it.
        packed: Whether to compress the records. Use False if the whole file is compressed afterwards.
    """

    def __init__(self, header: bytes, streams: int, folder: Path | None = None, *, packed: bool = True) -> None:
        self._form = records.PACKED if packed else records.PLAIN
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=None if folder is None else str(folder))  # noqa: SIM115 - `close` closes it
        self._file.write(records.PREAMBLE)
        self._size = len(records.PREAMBLE)
        self._chain = records.Chain()
        self._index: list[list[Any]] = []
        self._pieces: dict[tuple[int, int], _Piece] = {}
        self._waiting = self._sealed = 0
        self._turn = 0
        self._states: list[State | None] = [{} for _ in range(streams)]
        self._since = [0] * streams
        self._keyframe_size = [0] * streams
        self._append(records.HEADER, header, 0, 0)

    def add(self, kind: int, data: bytes, *, first: int, count: int, stream: int = 0) -> None:
        """Add entries of one kind and stream.

        Args:
            kind: TRUTH, VIEW or NOTES.
            data: The entries: a list in msgpack that a reader accepts as one record.
            first: The ordinal of the first entry.
            count: The number of entries.
            stream: The number of the view.
        """
        piece = self._pieces.get((kind, stream))
        if piece is not None and piece.size + len(data) > PIECE:
            self._seal(kind, stream, self._pieces.pop((kind, stream)))
            piece = None
        if piece is None:
            piece = self._pieces[kind, stream] = _Piece(first, self._turn)
        piece.add(data, count)
        self._waiting += len(data)

    def show(self, stream: int, frames: Sequence[Frame], size: int) -> None:
        """Follow a view, for its keyframes. Call it once for all frames that are added.

        Args:
            stream: The number of the view.
            frames: The frames. Their values are kept.
            size: The number of their bytes.
        """
        state = self._states[stream]
        if state is None:
            return
        try:
            for delta, _ in frames:
                fold(state, delta)
        except (ValueError, TypeError, KeyError):  # the deltas make no sense: a reader's `check` reports it
            self._states[stream] = None
        self._since[stream] += size

    def flush(self, turns: int) -> None:
        """Note how many turns have ended so far, and begin a new chunk if this one is long enough."""
        self._turn = turns
        if self._waiting >= CHUNK:
            self._end_chunk()

    def finish(self, footer: Footer) -> BinaryIO:
        """Write everything that is left, index and footer. Return the whole file; the caller closes it."""
        self._seal_all()
        for at in range(0, len(self._index), INDEX_ROWS):
            rows = self._index[at : at + INDEX_ROWS]
            index = records.frame(records.INDEX, rows, form=self._form, first=at, count=len(rows))
            self._chain.add(index)
            self._file.write(index)
        end: bytes = msgpack.packb(footer)
        seal = {"end": end, "chain": self._chain.add(end)}
        self._file.write(records.frame(records.FOOTER, seal, form=self._form))
        self._file.seek(0)
        return self._file  # type: ignore[return-value]

    def close(self) -> None:
        """Discard the file."""
        self._file.close()

    def _end_chunk(self) -> None:
        views = {stream: piece for (kind, stream), piece in self._pieces.items() if kind == records.VIEW}
        self._seal_all()
        for stream, piece in views.items():
            if self._since[stream] >= max(KEYFRAME_AFTER, KEYFRAME_COST * self._keyframe_size[stream]):
                self._add_keyframe(stream, piece.first + piece.count)

    def _add_keyframe(self, stream: int, frames: int) -> None:
        """Record the whole view after a number of frames, if it is short in comparison with the frames."""
        state = self._states[stream]
        if state is None:
            return
        data = records.encode([view(state)])
        self._keyframe_size[stream] = len(data)
        if KEYFRAME_COST * len(data) <= self._since[stream] and records.fits(records.KEYFRAME, data, 1):
            self._since[stream] = 0
            record = records.seal(records.KEYFRAME, data, form=self._form, stream=stream, first=frames)
            self._append(records.KEYFRAME, record, self._turn, self._turn)

    def _seal_all(self) -> None:
        pieces, self._pieces, self._waiting = self._pieces, {}, 0
        for (kind, stream), piece in pieces.items():
            self._seal(kind, stream, piece)

    def _seal(self, kind: int, stream: int, piece: _Piece) -> None:
        place = {"form": self._form, "stream": stream, "first": piece.first, "count": piece.count}
        level = records.LEVEL if self._sealed < FAST_AFTER else records.FAST_LEVEL
        self._sealed += piece.size
        self._append(kind, records.seal(kind, piece.data(), **place, level=level), piece.turn, self._turn)

    def _append(self, kind: int, record: bytes, first_turn: int, last_turn: int) -> None:
        link = self._chain.add(record)[:8]
        self._index.append([kind, self._size, first_turn, last_turn, link])
        self._file.write(record)
        self._size += len(record)


class _Piece:
    """Entries that become one record."""

    __slots__ = ("_bodies", "count", "first", "size", "turn")

    def __init__(self, first: int, turn: int) -> None:
        self.first = first
        self.turn = turn
        self.count = self.size = 0
        self._bodies: list[memoryview] = []

    def add(self, data: bytes, count: int) -> None:
        begin = 1 if data[0] != 0xDC and data[0] != 0xDD else 3 if data[0] == 0xDC else 5  # after the head of the list
        self._bodies.append(memoryview(data)[begin:])
        self.count += count
        self.size += len(data)

    def data(self) -> bytes:
        return b"".join([msgpack.Packer().pack_array_header(self.count), *self._bodies])
