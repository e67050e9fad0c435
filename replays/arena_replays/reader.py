"""Read a replay, which may be complete, cut short, damaged, or still growing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena_replays import frames, records, truth
from arena_replays.commitment import wrong_seed
from arena_replays.documents import Entry, Footer, FooterOutcome, Header, as_footer, as_header
from arena_replays.entries import Ending, Note, Refusal, ReplayHistory, Turn
from arena_replays.errors import DamagedReplay, NotAReplay
from arena_replays.frames import Frame
from arena_replays.limits import MAX_CHUNK_VALUES, MAX_FILE, MAX_UNPACKED, RECORD, Budget, Budgets, TooMuchError
from arena_replays.records import Record
from arena_replays.rows import as_delta, as_events, as_link, as_note, rows_of, unpack_notes
from arena_replays.state import State, fold

KEPT_CHUNKS = 2
"""The number of unpacked chunks to keep, for each stream: callers often read all streams side by side."""
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, StopIteration, RecursionError)


@dataclass(slots=True)
class _Content:
    """The content of a file's records."""

    header: Header | None = None
    footer: Footer | None = None
    end: bytes = b""
    chain: bytes = b""
    links: list[tuple[int, bytes]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    views: dict[int, list[Record]] = field(default_factory=dict)
    history: ReplayHistory = field(default_factory=ReplayHistory)
    noted: int = 0
    too_many_notes: bool = False
    seen: set[int] = field(default_factory=set)
    budgets: Budgets = field(default_factory=Budgets)


class Reader:
    """A replay. Views are decoded when they are needed, everything else at once.

    Args:
        source: A path, or the bytes of a file.
        share: Divide the limits, except those of notes, by this number; see limits.py.

    Attributes:
        header: Game, version, options, players, schema and so on; see docs/replay-format.md.
        problem: Why the rest of the file is unreadable; "" if all records were read. Damage inside a view is found only
            by `check`, or when the view is decoded.

    Raises:
        NotAReplay: The file is not a replay, is too large, or cannot be opened.
        UnknownVersion: The file has another version of the format.
        DamagedReplay: The header is missing, cut off or altered.
    """

    def __init__(self, source: str | Path | bytes, *, share: int = 1) -> None:
        self._share = share
        self._path = None if isinstance(source, bytes) else Path(source)
        self.where = "This" if self._path is None else str(self._path)
        self._chunks: dict[int, list[Frame]] = {}
        self._cursors: dict[int, tuple[int, State]] = {}
        self._data = b""
        self._size = 0
        self._content = _Content()
        self.problem = ""
        self._load(source if isinstance(source, bytes) else _read(Path(source)))

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
    def truncated(self) -> bool:
        """Whether the file has no readable end."""
        return self.footer is None or bool(self.problem)

    @property
    def truth(self) -> list[Entry]:
        """All truth entries: setup, position, do, leave, refuse, turn, seat; see docs/replay-format.md."""
        return self._content.history.truth

    @property
    def turns(self) -> list[Turn]:
        """All turns. An unfinished turn comes last."""
        open_turn = self._content.history.open_turn()
        return self._content.history.turns + ([open_turn] if open_turn else [])

    @property
    def notes(self) -> list[Note]:
        """All logs, drawings and output of bots."""
        return self._content.history.notes

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the parts (``truth``, ``views``, ``notes``) that end early because of the size limit."""
        named = self.footer.get("left_out", []) if self.footer else []
        found = {name for name in ("truth", "views", "notes") if name in named}
        return frozenset(found | ({"notes"} if self._content.too_many_notes else set()))

    @property
    def notice(self) -> str:
        """A message about the parts that end early because of the size limit; "" if none does."""
        turns = self.number_of(len(self._content.history.turns) - 1)
        messages = {
            "truth": f"This match is longer than a file may be: it is recorded up to turn {turns}.",
            "views": f"The views of this match are longer than a file may be: they end with action "
            f"{self.frame_count() - 1}.",
            "notes": "The bots wrote too much: some logs and drawings are left out.",
        }
        return " ".join(message for name, message in messages.items() if name in self.left_out)

    @property
    def refusals(self) -> list[Refusal]:
        """All refused actions."""
        return self._content.history.refusals

    @property
    def endings(self) -> list[Ending]:
        """The programs that ended early."""
        return self._content.history.endings

    @property
    def streams(self) -> int:
        """The number of views."""
        return self.header["streams"]

    def frame_count(self, stream: int = 0) -> int:
        """Return the number of frames of a stream; 0 if the file has no views."""
        chunks = self._content.views.get(stream, [])
        return chunks[-1].first + chunks[-1].count if chunks else 0

    def number_of(self, turn: int) -> int:
        """Return the number of a turn in the match, from 1. The number of the rules can begin with another one.

        Args:
            turn: The index of the turn in the file. The turn after the last one is allowed.
        """
        turns = self._content.history.turns
        start = self.header.get("start", {})
        if not turns:
            return start.get("turn", 1)
        last = turns[turn].number if turn < len(turns) else turns[-1].number + 1
        return last - start.get("first", turns[0].number) + 1

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
        chunk = self._chunk_of(index, stream)
        return self._frames_of(chunk)[index - chunk.first]

    def frames(self, stream: int = 0, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        """Yield the frames from ``start`` up to but not including ``stop``; by default all.

        Raises:
            DamagedReplay: A record cannot be read.
        """
        for chunk, first, last in self._parts(stream, start, self.frame_count(stream) if stop is None else stop):
            yield from self._frames_of(chunk)[first:last]

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
        self._chunk_of(frame, stream)
        at, state = self._cursors.pop(stream, (-1, {}))
        if at > frame:
            at, state = -1, {}
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
        if self._path is None or not self.truncated:
            return False
        data = _read(self._path)
        known = self._size
        if data[:known] == self._data[:known]:
            if len(data) > known:
                self._data = data
                self._read_on()
        else:
            self._chunks.clear()
            self._cursors.clear()
            self._load(data)
        return self._size != known

    def follow(self, interval: float = 0.05, stop: Callable[[], bool] | None = None) -> Iterator[Reader]:
        """Yield this reader now and whenever the file has grown, until the match ends or ``stop()`` returns True."""
        yield self
        while self.truncated and not (stop and stop()):
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
        return found + self._check_chain() + self._check_seed() + self._check_views()

    def _check_chain(self) -> list[str]:
        chain = records.Chain()
        links = dict(self._content.links)
        for record in self._content.records:
            if record.kind == records.FOOTER:
                break
            head = chain.add(self._data[record.offset : record.offset + record.size])
            if record.kind != records.INDEX and links.get(record.offset) != head[:8]:
                return [
                    f"The record at byte {record.offset} ({self._describe(record)}) was changed after the match: "
                    "it does not match the hash chain."
                ]
        if self._content.chain != chain.add(self._content.end):
            return ["The index or the footer was changed after the match: it does not match the hash chain."]
        return []

    def _check_seed(self) -> list[str]:
        if self.footer is None or not wrong_seed(self.header, self.footer):
            return []
        return ["The seed in the footer is not the one to which the header commits."]

    def _check_views(self) -> list[str]:
        found = []
        for stream in self._content.views:
            try:
                self._fold({}, stream, 0, self.frame_count(stream))
            except DamagedReplay as error:
                found.append(error.message)
        return found

    def _describe(self, record: Record) -> str:
        if record.kind == records.VIEW:
            covered = [t for t in self.turns if t.first < record.first + record.count and t.last > record.first]
            if covered:
                first, last = (self.number_of(turn.index) for turn in (covered[0], covered[-1]))
                return f"view of turns {first} to {last}"
        return record.name

    def _reach(self) -> str:
        turns = len(self.turns)
        return f"turn {self.number_of(turns - 1)}" if turns else "the start"

    # -- reading ---------------------------------------------------------------------------------------

    def _load(self, data: bytes) -> None:
        records.check_preamble(data, self.where)
        self._data = data
        self._size = len(records.PREAMBLE)
        self._content = _Content(budgets=Budgets(self._share))
        self.problem = ""
        self._read_on()
        if self._content.header is None:
            raise DamagedReplay(f"{self.where} is a damaged replay: {self.problem or 'it is empty'}.")

    def _read_on(self) -> None:
        self.problem = ""
        for found in records.scan(self._data, self._size):
            if isinstance(found, str):
                self.problem = found
                return
            try:
                self._take(found)
            except DamagedReplay as error:
                self.problem = error.message[0].lower() + error.message[1:].rstrip(".")
                return
            self._content.records.append(found)
            self._size = found.offset + found.size

    def _take(self, record: Record) -> None:
        content = self._content
        if (record.kind == records.HEADER) != (not content.records) or content.footer is not None:
            raise records.damaged(record, "it is in the wrong place")
        try:
            content.budgets.play.take(RECORD)
            self._take_kind(record, content)
        except UNREADABLE as error:
            raise records.damaged(record, str(error) or type(error).__name__) from None

    def _take_kind(self, record: Record, content: _Content) -> None:
        match record.kind:
            case records.HEADER:
                content.header = as_header(records.unpack(record, content.budgets.play))
            case records.TRUTH:
                for entry in rows_of(record, truth.unpack, len(content.history.truth), content.budgets.play):
                    content.history.take(entry)
            case records.NOTES:
                self._take_notes(record, content)
            case records.VIEW:
                chunks = content.views.setdefault(record.stream, [])
                if record.stream >= self.streams or record.first != self.frame_count(record.stream):
                    raise ValueError("it does not continue the previous record")
                chunks.append(record)
            case records.INDEX:
                content.links = [as_link(row) for row in records.unpack(record, content.budgets.play)]
            case records.FOOTER:
                sealed = records.unpack(record, content.budgets.play)
                content.end, content.chain = bytes(sealed["end"]), bytes(sealed["chain"])
                content.footer = as_footer(records.unpack_bytes(content.end, content.budgets.play))

    def _take_notes(self, record: Record, content: _Content) -> None:
        """Add notes up to their limit, and ignore the rest, since the viewer can show a match without notes."""
        expected, content.noted = content.noted, content.noted + record.count
        try:
            rows = [] if content.too_many_notes else rows_of(record, unpack_notes, expected, content.budgets.notes)
        except TooMuchError:
            content.too_many_notes = True
        else:
            content.history.notes += [as_note(row) for row in rows]

    def _chunk_of(self, frame: int, stream: int) -> Record:
        for chunk in self._content.views.get(stream, []):
            if chunk.first <= frame < chunk.first + chunk.count:
                return chunk
        raise IndexError(f"there is no frame {frame} in stream {stream}")

    def _frames_of(self, chunk: Record) -> list[Frame]:
        known = self._chunks.get(chunk.offset)
        if known is None:
            try:
                known = self._unpack_frames(chunk)
            except UNREADABLE as error:
                raise records.damaged(chunk, str(error) or type(error).__name__) from None
            self._chunks[chunk.offset] = known
            if len(self._chunks) > KEPT_CHUNKS * max(2, len(self._content.views)):
                del self._chunks[next(iter(self._chunks))]
        return known

    def _unpack_frames(self, chunk: Record) -> list[Frame]:
        budget = Budget(MAX_UNPACKED, MAX_CHUNK_VALUES)
        found = rows_of(chunk, frames.unpack, chunk.first, budget)
        found = [(as_delta(delta), as_events(events)) for delta, events in found]
        if chunk.offset not in self._content.seen:
            self._content.budgets.views.take_bytes(MAX_UNPACKED - budget.size)
            self._content.budgets.views.take(MAX_CHUNK_VALUES - budget.values)
            self._content.seen.add(chunk.offset)
        return found

    def _fold(self, state: State, stream: int, start: int, stop: int) -> None:
        """Apply to a state the deltas of the frames in ``range(start, stop)``."""
        for chunk, first, last in self._parts(stream, start, stop):
            try:
                for delta, _ in self._frames_of(chunk)[first:last]:
                    fold(state, delta)
            except UNREADABLE as error:
                raise records.damaged(chunk, str(error) or type(error).__name__) from None

    def _parts(self, stream: int, start: int, stop: int) -> Iterator[tuple[Record, int, int]]:
        """Yield the chunks that contain frames of ``range(start, stop)``, and the positions of these frames in each."""
        for chunk in self._content.views.get(stream, []):
            first, last = max(start - chunk.first, 0), min(stop - chunk.first, chunk.count)
            if first < last:
                yield chunk, first, last


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE:
            raise NotAReplay(f"{path} is larger than a replay can be: {MAX_FILE // 2**20} MiB.")
        return path.read_bytes()
    except OSError as error:
        raise NotAReplay(f"{path} cannot be opened: {(error.strerror or str(error)).lower()}.") from None
