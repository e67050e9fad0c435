"""Reads a replay: whole, cut short, altered, or while it is still being written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena_replays import frames, records, truth
from arena_replays.errors import DamagedReplay, NotAReplay
from arena_replays.frames import Delta, Frame
from arena_replays.records import Record
from arena_replays.state import State, fold

UNREADABLE = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, StopIteration, RecursionError)


@dataclass(frozen=True, slots=True)
class Note:
    """Something a bot said: a log line, a drawing, or a piece of its output.

    Attributes:
        turn: Index of the turn during which it came.
        frame: How many frames there were at that moment.
        player: Whose bot.
        kind: ``log``, ``draw``, ``stdout`` or ``stderr``.
        payload: Text, or a list of shapes.
    """

    turn: int
    frame: int
    player: int
    kind: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused action.

    Attributes:
        turn: Index of the turn.
        frame: How many frames there were at that moment.
        player: Who tried.
        action: What he tried.
        code: Why not, as a word.
        message: Why not, as a sentence.
    """

    turn: int
    frame: int
    player: int
    action: Any
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one player.

    Attributes:
        index: Ordinal in the file, from 0.
        number: The game's own number of it.
        player: Whose turn it was (-1 where a turn was cut short before anything was done).
        first: The first frame of the turn (its first accepted action).
        last: One past its last frame.
        wall_us: Time used, or None where the turn did not end.
        cpu_us: Processor time used, where it was measured.
        bank_us: What was left in the bank afterwards.
        digest: The first 8 bytes of the state's digest afterwards, or None where the turn did not end.
    """

    index: int
    number: int
    player: int
    first: int
    last: int
    wall_us: int | None
    cpu_us: int | None
    bank_us: int | None
    digest: bytes | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a player's program came to an end of its own (a crash, a time-out), and when.

    Attributes:
        turn: Index of the turn.
        frame: How many frames there were at that moment.
        player: Whose program.
        ending: What happened, as a word.
        detail: What happened, for people.
    """

    turn: int
    frame: int
    player: int
    ending: str
    detail: str


@dataclass(slots=True)
class _Content:
    """What the records of a file hold."""

    header: dict[str, Any] = field(default_factory=dict)
    footer: dict[str, Any] | None = None
    end: bytes = b""
    chain: bytes = b""
    links: list[tuple[int, bytes]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    truth: list[list[Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    views: dict[int, list[Record]] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    done: int = 0
    turn_start: int = 1


class Reader:
    """A replay, decoded as far as it is asked for.

    Args:
        source: A path, or the bytes of a file.

    Attributes:
        header: Game, version, options, players, schema and so on; see docs/replay-format.md.
        problem: Where the file stops making sense before its end, one sentence that says so; otherwise "".

    Raises:
        NotAReplay: It is something else, or cannot be opened.
        UnknownVersion: It was written by a newer version.
        DamagedReplay: It is cut off or altered before the first turn could be read.
    """

    def __init__(self, source: str | Path | bytes) -> None:
        self._path = None if isinstance(source, bytes) else Path(source)
        self.where = "This" if self._path is None else str(self._path)
        self._chunks: dict[int, list[Frame]] = {}
        self._snapshots: dict[int, dict[int, State]] = {}
        self._data = b""
        self._size = 0
        self._content = _Content()
        self.problem = ""
        self._load(source if isinstance(source, bytes) else _read(Path(source)))

    # -- what is in it ---------------------------------------------------------------------------------

    @property
    def header(self) -> dict[str, Any]:
        """Game, version, options, players, schema and so on."""
        return self._content.header

    @property
    def footer(self) -> dict[str, Any] | None:
        """The end of the match, or None where the file does not have one."""
        return self._content.footer

    @property
    def outcome(self) -> Any:
        """The game's outcome, or None where there is none."""
        return None if self.footer is None else self.footer.get("outcome")

    @property
    def truncated(self) -> bool:
        """Whether the file has no (readable) end."""
        return self.footer is None or bool(self.problem)

    @property
    def truth(self) -> list[list[Any]]:
        """All truth entries: setup, do, refuse, turn, seat, as docs/replay-format.md lists them."""
        return self._content.truth

    @property
    def turns(self) -> list[Turn]:
        """All turns; last, where there is one, the turn that was cut short."""
        open_turn = self._open_turn()
        return self._content.turns + ([open_turn] if open_turn else [])

    @property
    def notes(self) -> list[Note]:
        """All that bots logged, drew and printed."""
        return self._content.notes

    @property
    def refusals(self) -> list[Refusal]:
        """All refused actions."""
        return self._content.refusals

    @property
    def endings(self) -> list[Ending]:
        """Programs that came to an end of their own."""
        return self._content.endings

    @property
    def streams(self) -> int:
        """How many views there are."""
        return int(self.header["streams"])

    def frame_count(self, stream: int = 0) -> int:
        """How many frames a stream has; 0 in a file that was stripped to the truth."""
        chunks = self._content.views.get(stream, [])
        return chunks[-1].first + chunks[-1].count if chunks else 0

    def notes_of(self, turn: int) -> list[Note]:
        """What bots said during one turn."""
        return [note for note in self.notes if note.turn == turn]

    # -- frames and states -----------------------------------------------------------------------------

    def frame(self, index: int, stream: int = 0) -> Frame:
        """One frame: the delta and the events of the start (0) or of the index-th accepted action.

        Raises:
            IndexError: There is no such frame.
            DamagedReplay: Its record cannot be read.
        """
        chunk = self._chunk_of(index, stream)
        return self._frames_of(chunk)[index - chunk.first]

    def frames(self, stream: int = 0, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        """Frames from ``start`` up to ``stop``.

        Raises:
            DamagedReplay: A record cannot be read.
        """
        for chunk in self._content.views.get(stream, []):
            low = max(start - chunk.first, 0)
            high = chunk.count if stop is None else min(stop - chunk.first, chunk.count)
            if low < high:
                yield from self._frames_of(chunk)[low:high]

    def state_at(self, turn: int, stream: int = 0) -> State:
        """The state at the end of a turn (by its index; -1 is the start of the game).

        Returns:
            A map of id to a map of fields, with the class under ``"class"``.

        Raises:
            IndexError: There is no such turn, or no view of it.
            DamagedReplay: A record cannot be read.
        """
        return self.state_after(0 if turn < 0 else self.turns[turn].last - 1, stream)

    def state_after(self, frame: int, stream: int = 0) -> State:
        """The state after a frame (0 is the start of the game); see ``state_at``."""
        chunk = self._chunk_of(frame, stream)
        state = {name: dict(fields) for name, fields in self._state_before(chunk, stream).items()}
        for delta, _ in self._frames_of(chunk)[: frame - chunk.first + 1]:
            self._fold(state, delta, chunk)
        return state

    # -- growing files ---------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Reads on in a file that is still being written.

        Returns:
            Whether there was more.
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
            self._snapshots.clear()
            self._load(data)
        return self._size != known

    def follow(self, interval: float = 0.05, stop: Callable[[], bool] | None = None) -> Iterator[Reader]:
        """Yields this reader whenever the file has grown, until the match ends or ``stop()`` says so."""
        yield self
        while self.truncated and not (stop and stop()):
            time.sleep(interval)
            if self.refresh():
                yield self

    # -- checks ----------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        """Tests the whole file: every record, its place in the hash chain, and that everything unfolds.

        Returns:
            One sentence for each finding; nothing for a sound file that has an end.
        """
        found = [self.problem[0].upper() + self.problem[1:] + "."] if self.problem else []
        if self.footer is None:
            return [*found, f"The file has no end: it goes as far as {self._reach()}."]
        return found + self._check_chain() + self._check_views()

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
                    "it does not fit into the hash chain."
                ]
        if self._content.chain != chain.add(self._content.end):
            return ["The index or the footer was changed after the match: they do not fit into the hash chain."]
        return []

    def _check_views(self) -> list[str]:
        found = []
        for stream in self._content.views:
            try:
                for chunk in self._content.views[stream]:
                    self._state_before(chunk, stream)
                    self._frames_of(chunk)
            except DamagedReplay as error:
                found.append(error.sentence)
        return found

    def _describe(self, record: Record) -> str:
        if record.kind == records.VIEW:
            covered = [t for t in self.turns if t.first < record.first + record.count and t.last > record.first]
            if covered:
                return f"view of turns {covered[0].number} to {covered[-1].number}"
        return record.name

    def _reach(self) -> str:
        turns = self.turns
        return f"turn {turns[-1].number}" if turns else "the start"

    # -- reading ---------------------------------------------------------------------------------------

    def _load(self, data: bytes) -> None:
        records.check_preamble(data, self.where)
        self._data = data
        self._size = len(records.PREAMBLE)
        self._content = _Content()
        self.problem = ""
        self._read_on()
        if not self._content.header:
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
                self.problem = error.sentence[0].lower() + error.sentence[1:].rstrip(".")
                return
            self._content.records.append(found)
            self._size = found.offset + found.size

    def _take(self, record: Record) -> None:
        content = self._content
        if (record.kind == records.HEADER) != (not content.records) or content.footer is not None:
            raise records.damaged(record, "it is not in its place")
        try:
            self._take_kind(record, content)
        except UNREADABLE as error:
            raise records.damaged(record, str(error) or type(error).__name__) from None

    def _take_kind(self, record: Record, content: _Content) -> None:
        match record.kind:
            case records.HEADER:
                content.header = _header(records.unpack(record))
            case records.TRUTH:
                for entry in _rows(record, truth.unpack, len(content.truth)):
                    self._take_entry(entry)
            case records.NOTES:
                rows = _rows(record, unpack_notes, len(content.notes))
                content.notes += [_note(row) for row in rows]
            case records.VIEW:
                chunks = content.views.setdefault(record.stream, [])
                if record.stream >= self.streams or record.first != self.frame_count(record.stream):
                    raise ValueError("it does not follow on what is there")
                chunks.append(record)
            case records.INDEX:
                content.links = [_link(row) for row in records.unpack(record)]
            case records.FOOTER:
                sealed = records.unpack(record)
                content.end, content.chain = bytes(sealed["end"]), bytes(sealed["chain"])
                content.footer = _map(records.unpack_bytes(content.end))

    def _take_entry(self, entry: list[Any]) -> None:
        content = self._content
        here = (len(content.turns), content.done + 1)
        match entry:
            case ["setup", list()]:
                pass
            case ["do", int(), _, list()]:
                content.done += 1
            case ["refuse", int(player), action, str(code), str(message)]:
                content.refusals.append(Refusal(*here, player, action, code, message))
            case [
                "turn",
                int(number),
                int(player),
                int(wall),
                int() | None as cpu,
                int() | None as bank,
                bytes(digest),
            ]:
                turn = Turn(
                    len(content.turns), number, player, content.turn_start, content.done + 1, wall, cpu, bank, digest
                )
                content.turns.append(turn)
                content.turn_start = content.done + 1
            case ["seat", int(player), str(ending), str(detail)]:
                content.endings.append(Ending(*here, player, ending, detail))
            case _:
                raise ValueError("an entry of the truth is of no known kind")
        content.truth.append(entry)

    def _open_turn(self) -> Turn | None:
        content = self._content
        tail = []
        for entry in reversed(content.truth):
            if entry[0] == "turn":
                break
            if entry[0] in ("do", "refuse"):
                tail.append(entry)
        if not tail:
            return None
        number = content.turns[-1].number + 1 if content.turns else 0
        index = len(content.turns)
        return Turn(index, number, tail[-1][1], content.turn_start, content.done + 1, None, None, None, None)

    def _chunk_of(self, frame: int, stream: int) -> Record:
        for chunk in self._content.views.get(stream, []):
            if chunk.first <= frame < chunk.first + chunk.count:
                return chunk
        raise IndexError(f"there is no frame {frame} in stream {stream}")

    def _frames_of(self, chunk: Record) -> list[Frame]:
        known = self._chunks.get(chunk.offset)
        if known is None:
            try:
                known = _rows(chunk, frames.unpack, chunk.first)
                known = [(_delta(delta), _events(events)) for delta, events in known]
            except UNREADABLE as error:
                raise records.damaged(chunk, str(error) or type(error).__name__) from None
            self._chunks[chunk.offset] = known
        return known

    def _state_before(self, chunk: Record, stream: int) -> State:
        """The state before a chunk; kept, so that seeking does not fold from the start again."""
        snapshots = self._snapshots.setdefault(stream, {0: {}})
        chunks = self._content.views[stream]
        known = max(first for first in snapshots if first <= chunk.first)
        state = snapshots[known]
        for other in chunks:
            if known <= other.first < chunk.first:
                state = {name: dict(fields) for name, fields in state.items()}
                for delta, _ in self._frames_of(other):
                    self._fold(state, delta, other)
                snapshots[other.first + other.count] = state
        return state

    def _fold(self, state: State, delta: Delta, chunk: Record) -> None:
        try:
            fold(state, delta)
        except UNREADABLE as error:
            raise records.damaged(chunk, str(error) or type(error).__name__) from None


def unpack_notes(packed: Any, count: int) -> list[list[Any]]:
    """Notes from columns."""
    from arena_replays.columns import unpack_column

    columns = [unpack_column(packed[name], count) for name in ("turn", "frame", "player", "kind", "payload")]
    return [list(row) for row in zip(*columns, strict=True)]


def _rows(record: Record, unpack: Callable[[Any, int], Any], expected: int) -> list[Any]:
    if record.first != expected or record.count > frames.MAX_TRIPLES:
        raise ValueError("it does not follow on what is there")
    value = records.unpack(record)
    if record.form & records.COLUMNS:
        value = unpack(value, record.count)
    if type(value) is not list or len(value) != record.count:
        raise ValueError("it has not the number of entries which it claims")
    return value


def _header(header: Any) -> dict[str, Any]:
    if type(header) is not dict or type(header.get("streams")) is not int or not 1 <= header["streams"] <= 65:
        raise ValueError("the header is not one")
    return header


def _link(row: Any) -> tuple[int, bytes]:
    match row:
        case [int(), int(offset), int(), int(), bytes(link)]:
            return offset, link
    raise ValueError("the index is not one")


def _map(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise ValueError("a map was expected")
    return value


def _note(row: Any) -> Note:
    match row:
        case [int(turn), int(frame), int(player), str(kind), payload]:
            return Note(turn, frame, player, kind, payload)
    raise ValueError("a note is not one")


def _delta(delta: Any) -> Delta:
    if type(delta) is not list or len(delta) % 3:
        raise ValueError("a delta is not one")
    return delta


def _events(events: Any) -> list[dict[str, Any]]:
    if type(events) is not list or not all(type(event) is dict for event in events):
        raise ValueError("an event is not one")
    return events


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotAReplay(f"{path} cannot be opened: {(error.strerror or str(error)).lower()}.") from None
