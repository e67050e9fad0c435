"""Encode what happened in a match within the limits of a reader, for a journal and for the finished file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, BinaryIO

from arena_replays import limits, records
from arena_replays.building import Builder
from arena_replays.documents import FRAMED, Entry, Footer, Frame

NoteRow = list[Any]


class Recorder:
    """Encodes entries, frames and notes as records.

    Args:
        builder: Gets everything that is recorded.
        journal: Whether `record` returns the records of a journal.

    Attributes:
        left_out: The names of the parts (``truth``, ``views``, ``notes``) that end early because of a limit.
        frames: The number of frames that are recorded of each view.
        numbers: The game's numbers of the first and the last recorded turn; None if no turn has ended.
    """

    def __init__(self, builder: Builder, *, journal: bool = True) -> None:
        self.left_out: set[str] = set()
        self._builder = builder
        self._keeps_journal = journal
        self.frames = 0
        self.numbers: tuple[int, int] | None = None
        self._entries = self._noted = self._turns = 0
        self._said = limits.Budget(limits.MAX_WRITTEN_NOTES, limits.MAX_NOTE_VALUES, shared=True)

    def record(self, truth: Sequence[Entry], views: Sequence[Sequence[Frame]], notes: Sequence[NoteRow]) -> list[bytes]:
        """Record entries with their frames in each view, and notes. Return the records for a journal.

        Raises:
            OSError: The disk is full.
        """
        journal: list[bytes] = []
        if "truth" not in self.left_out:
            kept = self._record_truth(truth, journal)
            if "views" not in self.left_out:
                self._record_views([view[:kept] for view in views], journal)
        if "notes" not in self.left_out:
            self._record_notes(notes, journal)
        self._turns += sum(entry[0] == "turn" for entry in truth)
        self._builder.flush(self._turns)
        return journal

    def finish(self, footer: Footer) -> BinaryIO:
        """End the file, and return it. The footer names what is left out."""
        if self.left_out:
            footer = {**footer, "left_out": sorted({*footer.get("left_out", ()), *self.left_out})}
        return self._builder.finish(footer)

    def close(self) -> None:
        """Discard the file."""
        self._builder.close()

    def _record_truth(self, entries: Sequence[Entry], journal: list[bytes]) -> int:
        """Record entries up to the first one that cannot be recorded. Return how many frames belong to them."""
        recorded = 0
        for count, data in pieces(records.TRUTH, entries):
            if data is None:
                self.left_out.add("truth")
                break
            self._add(records.TRUTH, data, self._entries + recorded, count, journal)
            recorded += count
        self._entries += recorded
        ends = [entry[1] for entry in entries[:recorded] if entry[0] == "turn"]
        if ends:
            self.numbers = (ends[0] if self.numbers is None else self.numbers[0], ends[-1])
        return sum(entry[0] in FRAMED for entry in entries[:recorded])

    def _record_views(self, views: Sequence[Sequence[Frame]], journal: list[bytes]) -> None:
        """Record frames. All views end before the first frame that cannot be recorded."""
        if not views:
            return
        encoded = [list(pieces(records.VIEW, view)) for view in views]
        shortest = min(_readable(found) for found in encoded)
        if shortest < len(views[0]):
            self.left_out.add("views")
            views = [view[:shortest] for view in views]
            encoded = [list(pieces(records.VIEW, view)) for view in views]
        for stream, (view, found) in enumerate(zip(views, encoded, strict=True)):
            first, size = self.frames, 0
            for count, data in found:
                assert data is not None
                self._add(records.VIEW, data, first, count, journal, stream)
                first += count
                size += len(data)
            self._builder.show(stream, view, size)
        self.frames += shortest

    def _record_notes(self, notes: Sequence[NoteRow], journal: list[bytes]) -> None:
        for count, data in pieces(records.NOTES, notes):
            try:
                if data is None:
                    raise limits.TooMuchError
                self._said.take_bytes(len(data))
                self._said.take(limits.RECORD + limits.ENTRY * count)
                records.unpack_bytes(data, self._said)
            except limits.TooMuchError:
                self.left_out.add("notes")
                return
            self._add(records.NOTES, data, self._noted, count, journal)
            self._noted += count

    def _add(self, kind: int, data: bytes, first: int, count: int, journal: list[bytes], stream: int = 0) -> None:
        if self._keeps_journal:
            journal.append(records.seal(kind, data, stream=stream, first=first, count=count))
        self._builder.add(kind, data, stream=stream, first=first, count=count)


def pieces(kind: int, entries: Sequence[Any]) -> Iterator[tuple[int, bytes | None]]:
    """Encode entries as lists in msgpack which readers accept as records.

    Yields:
        The number of entries and the bytes of each list; None in place of the bytes for an entry that readers refuse.
    """
    if not entries:
        return
    data = records.encode(entries)
    if len(data) > limits.PIECE and len(entries) > 1:
        half = len(entries) // 2
        yield from pieces(kind, entries[:half])
        yield from pieces(kind, entries[half:])
    elif len(data) > limits.PIECE and not records.fits(kind, data, 1):
        yield 1, None
    else:
        yield len(entries), data


def _readable(encoded: list[tuple[int, bytes | None]]) -> int:
    """Return the number of entries before the first one that cannot be recorded."""
    return sum(count for count, _ in takewhile(lambda piece: piece[1] is not None, encoded))
