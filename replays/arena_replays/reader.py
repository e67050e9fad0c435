"""Read a replay, which may be complete, cut short, damaged, or still growing."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, Final

from arena_replays import records
from arena_replays.commitment import wrong_seed
from arena_replays.documents import Entry, Footer, FooterOutcome, Frame, Header, as_footer, as_header
from arena_replays.entries import Ending, History, Note, Refusal, Turn
from arena_replays.errors import DamagedReplay, ReplayError
from arena_replays.limits import (
    MAX_CHUNK_VALUES,
    MAX_NOTE_BYTES,
    MAX_NOTE_VALUES,
    Budget,
    TooMuchError,
    left_out_notice,
)
from arena_replays.records import Record
from arena_replays.rows import Rows, Track, as_delta, as_events, as_links, as_note, rows_of
from arena_replays.source import BytesSource, Source, open_source
from arena_replays.state import State, fold

KEPT: Final = 2 * MAX_CHUNK_VALUES
"""Limit of the values in unpacked records that are kept: callers often read all streams side by side."""
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, StopIteration, RecursionError)


@dataclass(slots=True)
class _Content:
    """What a reader knows of a file: where its records are, and the content of the short ones."""

    header: Header | None = None
    footer: Footer | None = None
    end: bytes = b""
    chain: bytes = b""
    links: bytes = b""
    truth: Track = field(default_factory=Track)
    before: list[History] = field(default_factory=list)
    history: History = field(default_factory=History)
    first: int | None = None
    views: dict[int, Track] = field(default_factory=dict)
    keyframes: dict[int, Track] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    noted: int = 0
    too_many_notes: bool = False
    note_budget: Budget = field(default_factory=lambda: Budget(MAX_NOTE_BYTES, MAX_NOTE_VALUES, shared=True))


@dataclass(slots=True)
class _Kept:
    """The record of a kind and stream that was unpacked last."""

    record: Record
    rows: list[Any]
    cost: int


class Reader:
    """A replay of a match of any length. Entries and views are decoded when they are needed, and not kept.

    `truth`, `turns`, `refusals` and `endings` are sequences that read the file. To go through one of them, iterate over
    it: access by index is slower. The reader keeps about two unpacked records, the notes (which have a limit), and the
    places of the records: about 1 MB for a million actions.

    Args:
        source: A path, or the bytes of a file.

    Attributes:
        header: Game, version, options, players, schema and so on; see docs/replay-format.md.
        problem: Why the rest of the file is unreadable; "" if all records were read. Damage inside a view is found only
            by `check`, or when the view is decoded.

    Raises:
        NotAReplay: The file is not a replay, or cannot be opened.
        UnknownVersion: The file has another version of the format.
        DamagedReplay: The header is missing, cut off or altered.
    """

    def __init__(self, source: str | Path | bytes) -> None:
        self._path = None if isinstance(source, bytes) else Path(source)
        self.where = "This" if self._path is None else str(self._path)
        self._kept: OrderedDict[tuple[int, int], _Kept] = OrderedDict()
        self._turned: dict[str, tuple[int, int, list[Any]]] = {}
        self._cursors: dict[int, tuple[int, State]] = {}
        self._source: Source = BytesSource(source) if isinstance(source, bytes) else BytesSource(b"")
        self._inode = 0
        self._size = 0
        self._content = _Content()
        self.problem = ""
        if self._path is not None:
            self._source, self._inode = open_source(self._path)
        self._load()

    # -- content ---------------------------------------------------------------------------------------

    @property
    def header(self) -> Header:
        """Game, version, options, players, schema and so on."""
        assert self._content.header is not None
        return self._content.header

    @property
    def footer(self) -> Footer | None:
        """The end of the match, or None if the file has none."""
        return self._content.footer

    @property
    def outcome(self) -> FooterOutcome | None:
        """The game's outcome; None if the file has no end, or if the footer has no outcome."""
        return None if self.footer is None else self.footer.get("outcome")

    @property
    def seed(self) -> int | str | None:
        """The seed of the match; None if the file has no end, or is a public copy without the seed."""
        return None if self.footer is None else self.footer.get("seed")

    def known_seed(self) -> int | str:
        """Return the seed of the match.

        Raises:
            DamagedReplay: The file does not have the seed.
        """
        if self.seed is not None:
            return self.seed
        problem = "has no end" if self.footer is None else "is a copy without the seed"
        raise DamagedReplay(
            f"{self.where} {problem}, so the seed of its match is unknown.",
            hint="Use the referee's replay of a match that has ended.",
        )

    @property
    def chain(self) -> str:
        """The last hash of the hash chain, hexadecimal; empty if the file has no end."""
        return self._content.chain.hex()

    @property
    def ended(self) -> bool:
        """Whether the file has a readable end."""
        return self.footer is not None and not self.problem

    @property
    def truncated(self) -> bool:
        """Whether a part of the match is missing: the file has no readable end, or actions or views were left out."""
        return not self.ended or bool(self.left_out - {"notes"})

    @property
    def truth(self) -> Rows[Entry]:
        """All truth entries: setup, position, do, leave, refuse, turn, seat; see docs/replay-format.md."""
        return Rows(self._entries_from, range(self._content.history.entries))

    @property
    def turns(self) -> Rows[Turn]:
        """All turns. An unfinished turn comes last."""
        history = self._content.history
        return Rows(self._turns_from, range(history.turns + (history.open_turn() is not None)))

    @property
    def refusals(self) -> Rows[Refusal]:
        """All refused actions."""
        return Rows(lambda at: self._derived(Refusal, "refusals", at), range(self._content.history.refusals))

    @property
    def endings(self) -> Rows[Ending]:
        """The programs that ended early."""
        return Rows(lambda at: self._derived(Ending, "endings", at), range(self._content.history.endings))

    @property
    def notes(self) -> list[Note]:
        """All logs, drawings and output of bots."""
        return self._content.notes

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the parts (``truth``, ``views``, ``notes``) that end early because of a limit."""
        named = self.footer.get("left_out", []) if self.footer else []
        found = {name for name in ("truth", "views", "notes") if name in named}
        return frozenset(found | ({"notes"} if self._content.too_many_notes else set()))

    @property
    def notice(self) -> str:
        """A message about the parts that end early because of a limit; "" if none does."""
        turns = self.number_of(self._content.history.turns - 1)
        return left_out_notice(self.left_out, turns, self.frame_count() - 1)

    @property
    def streams(self) -> int:
        """The number of views."""
        return self.header["streams"]

    def frame_count(self, stream: int = 0) -> int:
        """Return the number of frames of a stream; 0 if the file has no views."""
        track = self._content.views.get(stream)
        return 0 if track is None else track.count

    def number_of(self, turn: int) -> int:
        """Return the number of a turn in the match, from 1. The number of the rules can begin with another one.

        Args:
            turn: The index of the turn in the file. The turn after the last one is allowed.
        """
        first, last = self._content.first, self._content.history.number
        start = self.header.get("start", {})
        if first is None or last is None:
            return start.get("turn", 1)
        turns = self._content.history.turns
        number = last + 1 if turn >= turns else last if turn in (-1, turns - 1) else self.turns[turn].number
        return number - start.get("first", first) + 1

    def notes_of(self, turn: int) -> list[Note]:
        """Return the logs, drawings and output of bots during one turn."""
        return [note for note in self.notes if note.turn == turn]

    # -- frames and states -----------------------------------------------------------------------------

    def frame(self, index: int, stream: int = 0) -> Frame:
        """Return the delta and the events of one frame. Frame 0 is the start. Others are accepted actions and leavings.

        Raises:
            IndexError: There is no such frame.
            DamagedReplay: The record of the frame cannot be read.
        """
        if not 0 <= index < self.frame_count(stream):
            raise IndexError(f"there is no frame {index} in stream {stream}")
        return next(self.frames(stream, index))

    def frames(self, stream: int = 0, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        """Yield the frames from ``start`` up to but not including ``stop``; by default all.

        Raises:
            DamagedReplay: A record cannot be read.
        """
        stop = self.frame_count(stream) if stop is None else stop
        track = self._content.views.get(stream)
        for first, rows, _ in self._records(records.VIEW, stream, track, start, stop) if track else ():
            yield from rows[max(start - first, 0) : max(stop - first, 0)]

    def state_at(self, turn: int, stream: int = 0) -> State:
        """Return the state at the end of a turn. A turn is named by its index; -1 is the start of the game.

        Returns:
            A map of id to a map of fields, with the class under ``"class"``.

        Raises:
            IndexError: There is no such turn, or no view of it.
            DamagedReplay: A record cannot be read.
        """
        return self.state_after(0 if turn < 0 else self.turns[turn].last - 1, stream)

    def state_after(self, frame: int, stream: int = 0) -> State:
        """Return the state after a frame (0 is the start of the game); see ``state_at``."""
        if not 0 <= frame < self.frame_count(stream):
            raise IndexError(f"there is no frame {frame} in stream {stream}")
        at, state = self._cursors.pop(stream, (-1, {}))
        known = self._keyframe_before(frame, stream) if not 0 <= frame - at < 64 else None
        if at > frame or (known is not None and known[0] > at):
            at, state = known or (-1, {})
        self._fold(state, stream, at + 1, frame + 1)
        # Keep the state for the next call, so that seeking forward does not start from the beginning.
        self._cursors[stream] = (frame, state)
        return {name: dict(fields) for name, fields in state.items()}

    # -- growing files ---------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Read new data of a file that is still being written.

        Returns:
            Whether there was new data; False for bytes, and for a file with an end.

        Raises:
            ReplayError: The file cannot be opened, or was replaced by a file that is not a replay.
        """
        if self._path is None or self.ended:
            return False
        known = self._size
        source, inode = open_source(self._path)
        if inode == self._inode and source.size >= self._source.size and self._is_prefix(source):
            if source.size > known:
                self._source = source
                self._read_on()
        else:
            self._source, self._inode = source, inode
            self._load()
        return self._size != known

    def _is_prefix(self, source: Source) -> bool:
        """Return whether another version of the file begins with the known bytes. Compare bytes in memory only."""
        known = self._source
        return not isinstance(known, BytesSource) or source.read(0, self._size) == known.data[: self._size]

    def follow(self, interval: float = 0.05, stop: Callable[[], bool] | None = None) -> Iterator[Reader]:
        """Yield this reader now and whenever the file has grown, until the match ends or ``stop()`` returns True."""
        yield self
        while not self.ended and not (stop and stop()):
            time.sleep(interval)
            if self.refresh():
                yield self

    # -- checks ----------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        """Check the whole file: every record, the hash chain, and that all data can be decoded.

        Returns:
            One message for each problem; none for a valid file that has an end.
        """
        found = [self.problem[0].upper() + self.problem[1:] + "."] if self.problem else []
        if self.footer is None:
            return [*found, f"The file has no end: it ends with {self._reach()}."]
        return found + (self._check_chain() or self._check_index()) + self._check_seed() + self._check_views()

    def _check_chain(self) -> list[str]:
        hashes = records.Chain()
        links = self._content.links
        for at, record in enumerate(self._scan(len(records.PREAMBLE))):
            if record.kind == records.FOOTER:
                break
            head = hashes.add(self._source.read(record.offset, record.size))
            if record.kind != records.INDEX and links[8 * at : 8 * at + 8] != head[:8]:
                return [
                    f"The record at byte {record.offset} ({self._describe(record)}) was changed after the match: "
                    "it does not match the hash chain."
                ]
        if self._content.chain != hashes.add(self._content.end):
            return ["The index or the footer was changed after the match: it does not match the hash chain."]
        return []

    def _check_index(self) -> list[str]:
        start, turns = len(records.PREAMBLE), self._content.history.turns
        index = (records.unpack(record, Budget()) for record in self._scan(start, only=(records.INDEX, 0)))
        others = (record for record in self._scan(start) if record.kind not in (records.INDEX, records.FOOTER))
        for row, record in zip_longest(chain.from_iterable(index), others):
            fits = row is not None and record is not None and row[:2] == [record.kind, record.offset]
            if not fits or not 0 <= row[2] <= row[3] <= turns:
                return ["The index does not fit the records of the file."]
        return []

    def _check_seed(self) -> list[str]:
        if self.footer is None or not wrong_seed(self.header, self.footer):
            return []
        return ["The seed in the footer is not the one to which the header commits."]

    def _check_views(self) -> list[str]:
        found = []
        for stream in sorted(self._content.views):
            try:
                self._check_view(stream)
            except DamagedReplay as error:
                found.append(error.message)
        return found

    def _check_view(self, stream: int) -> None:
        state: State = {}
        at = 0
        track = self._content.keyframes.get(stream)
        for first, rows, record in self._records(records.KEYFRAME, stream, track, 0) if track else ():
            self._fold(state, stream, at, first)
            at = first
            if state != _state_of(rows, record):
                raise records.damaged(record, "it differs from the frames before it")
        self._fold(state, stream, at, self.frame_count(stream))

    def _describe(self, record: Record) -> str:
        if record.kind == records.VIEW:
            covered = (t for t in self.turns if t.first < record.first + record.count and t.last > record.first)
            numbers = [self.number_of(turn.index) for turn in covered]
            if numbers:
                return f"view of turns {numbers[0]} to {numbers[-1]}"
        return record.name

    def _reach(self) -> str:
        turns = len(self.turns)
        return f"turn {self.number_of(turns - 1)}" if turns else "the start"

    # -- reading ---------------------------------------------------------------------------------------

    def _load(self) -> None:
        records.check_preamble(self._source.read(0, len(records.PREAMBLE)), self.where)
        self._size = len(records.PREAMBLE)
        self._content = _Content()
        self._kept.clear()
        self._turned.clear()
        self._cursors.clear()
        self._read_on()
        if self._content.header is None:
            raise DamagedReplay(f"{self.where} is a damaged replay: {self.problem or 'it is empty'}.")

    def _read_on(self) -> None:
        self.problem = ""
        for found in records.scan(self._source, self._size):
            if isinstance(found, str):
                self.problem = found
                return
            try:
                self._take(found)
            except DamagedReplay as error:
                self.problem = error.message[0].lower() + error.message[1:].rstrip(".")
                return
            self._size = found.offset + found.size

    def _take(self, record: Record) -> None:
        content = self._content
        if (record.kind == records.HEADER) != (content.header is None) or content.footer is not None:
            raise records.damaged(record, "it is in the wrong place")
        try:
            if record.kind in records.ROW_KINDS and not record.count:
                raise ValueError("it has no entries")
            self._take_kind(record, content)
        except UNREADABLE as error:
            raise records.damaged(record, str(error) or type(error).__name__) from None

    def _take_kind(self, record: Record, content: _Content) -> None:
        match record.kind:
            case records.HEADER:
                content.header = as_header(records.unpack(record, Budget()))
            case records.TRUTH:
                self._take_truth(record, content)
            case records.NOTES:
                self._take_notes(record, content)
            case records.VIEW | records.KEYFRAME:
                self._take_view(record, content)
            case records.INDEX:
                content.links += as_links(records.unpack(record, Budget()))
            case records.FOOTER:
                sealed = records.unpack(record, Budget())
                content.end, content.chain = bytes(sealed["end"]), bytes(sealed["chain"])
                content.footer = as_footer(records.unpack_bytes(content.end, Budget()))

    def _take_truth(self, record: Record, content: _Content) -> None:
        _check_order(record, content.truth.count)
        before, after = content.history, replace(content.history)
        for entry in _unpacked(record, Budget()):
            after.take(entry)
            if content.first is None:
                content.first = after.number
        if content.truth.add(record):
            content.before.append(before)
        content.history = after

    def _take_view(self, record: Record, content: _Content) -> None:
        if record.stream >= self.streams:
            raise ValueError("there is no such stream")
        frames_before = self.frame_count(record.stream)
        _check_order(record, frames_before)
        if record.kind == records.VIEW:
            content.views.setdefault(record.stream, Track()).add(record)
        elif record.count != 1 or not frames_before:
            raise ValueError("it has the wrong number of entries")
        else:
            content.keyframes.setdefault(record.stream, Track()).add(record)

    def _take_notes(self, record: Record, content: _Content) -> None:
        """Add notes up to their limit, and ignore the rest, since the viewer can show a match without notes."""
        _check_order(record, content.noted)
        content.noted += record.count
        try:
            rows = [] if content.too_many_notes else rows_of(record, content.note_budget)
        except TooMuchError:
            content.too_many_notes = True
        else:
            content.notes += [as_note(row) for row in rows]

    # -- entries and frames ----------------------------------------------------------------------------

    def _entries_from(self, start: int) -> Iterator[Entry]:
        for first, rows, _ in self._records(records.TRUTH, 0, self._content.truth, start):
            yield from rows[start - first :] if start > first else rows

    def _turns_from(self, start: int) -> Iterator[Turn]:
        yield from self._derived(Turn, "turns", start)
        if open_turn := self._content.history.open_turn():
            yield open_turn

    def _derived(self, kind: type[Any], counter: str, start: int) -> Iterator[Any]:
        """Yield the turns, refusals or endings from a position on."""
        before = self._content.before
        at = bisect_right(before, start, key=lambda history: int(getattr(history, counter))) - 1
        for group in range(max(at, 0), len(before)):
            yield from self._derived_in(group, kind, counter)[max(start - getattr(before[group], counter), 0) :]

    def _derived_in(self, group: int, kind: type[Any], counter: str) -> list[Any]:
        """Return the turns, refusals or endings in a group of records, and keep them for the next call."""
        before = self._content.before
        end = before[group + 1].entries if group + 1 < len(before) else self._content.history.entries
        known = self._turned.get(counter)
        if known is not None and known[:2] == (group, end):
            return known[2]
        history = replace(before[group])
        entries = islice(self._entries_from(history.entries), end - history.entries)
        rows = [found for found in map(history.take, entries) if type(found) is kind]
        self._turned[counter] = (group, end, rows)
        return rows

    def _records(
        self, kind: int, stream: int, track: Track, start: int, stop: int | None = None
    ) -> Iterator[tuple[int, list[Any], Record]]:
        """Yield for each record with entries of ``range(start, stop)``: its first entry, its rows, and the record."""
        stop = track.count if stop is None else stop
        known = self._kept.get((kind, stream))
        if known is not None and known.record.first <= start < known.record.first + known.record.count:
            self._kept.move_to_end((kind, stream))
            yield known.record.first, known.rows, known.record
            start = known.record.first + known.record.count
        for first, offset, end in track.groups(track.group_of(start)):
            if first >= stop or start >= stop:
                return
            for record in self._scan(offset, end, (kind, stream)):
                if record.first >= stop:
                    return
                if record.first + record.count > start:
                    yield record.first, self._rows(record), record

    def _scan(self, offset: int, end: int | None = None, only: tuple[int, int] | None = None) -> Iterator[Record]:
        for record in records.scan(self._source, offset, stop=self._size if end is None else end, only=only):
            if isinstance(record, str):  # it was readable before
                raise DamagedReplay(f"{self.where} was changed while it was read: {record}.")
            yield record

    def _rows(self, record: Record) -> list[Any]:
        """Return the rows of a record, and keep them for the next call. Those of a view are frames."""
        budget = Budget()
        size, values = budget.size, budget.values
        try:
            rows = _unpacked(record, budget)
        except UNREADABLE as error:
            raise records.damaged(record, str(error) or type(error).__name__) from None
        key = (record.kind, record.stream)
        self._kept[key] = _Kept(record, rows, max(size - budget.size, values - budget.values))
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(one.cost for one in self._kept.values()) > KEPT:
            self._kept.popitem(last=False)
        return rows

    def _keyframe_before(self, frame: int, stream: int) -> tuple[int, State] | None:
        """Return the last keyframe up to a frame, as the number of its frame and the state after it."""
        track = self._content.keyframes.get(stream)
        found = None
        for _, offset, end in track.groups(track.group_of(frame + 1)) if track else ():
            for record in self._scan(offset, end, (records.KEYFRAME, stream)):
                if record.first > frame + 1:
                    break
                found = record
            break
        if found is None or found.first > frame + 1:
            return None
        return found.first - 1, _state_of(self._rows(found), found)

    def _fold(self, state: State, stream: int, start: int, stop: int) -> None:
        """Apply to a state the deltas of the frames in ``range(start, stop)``."""
        track = self._content.views.get(stream)
        for first, rows, record in self._records(records.VIEW, stream, track, start, stop) if track else ():
            try:
                for delta, _ in rows[max(start - first, 0) : stop - first]:
                    fold(state, delta)
            except UNREADABLE as error:
                raise records.damaged(record, str(error) or type(error).__name__) from None


def header_of(path: str | Path) -> Header:
    """Return the header of a file, without reading the rest, which can be long.

    Raises:
        ReplayError: As for `Reader`.
    """
    source, _ = open_source(Path(path))
    records.check_preamble(source.read(0, len(records.PREAMBLE)), str(path))
    found = next(records.scan(source, len(records.PREAMBLE)), "it is empty")
    try:
        if isinstance(found, Record) and found.kind == records.HEADER:
            return as_header(records.unpack(found, Budget()))
        problem = found if isinstance(found, str) else "it does not begin with a header"
    except (ReplayError, ValueError) as error:
        problem = str(error).rstrip(".")
    raise DamagedReplay(f"{path} is a damaged replay: {problem}.")


def _unpacked(record: Record, budget: Budget) -> list[Any]:
    """Return the rows of a record. Those of a view or keyframe are frames."""
    if record.kind == records.TRUTH:
        return rows_of(record, budget)
    if record.kind == records.KEYFRAME:
        return [(as_delta(delta), []) for delta in rows_of(record, budget)]
    return [(as_delta(delta), as_events(events)) for delta, events in rows_of(record, budget)]


def _state_of(rows: list[Any], record: Record) -> State:
    """Return the state in a keyframe."""
    state: State = {}
    try:
        fold(state, rows[0][0])
    except UNREADABLE as error:
        raise records.damaged(record, str(error) or type(error).__name__) from None
    return state


def _check_order(record: Record, expected: int) -> None:
    if record.first != expected:
        raise ValueError("it does not continue the previous record")
