"""Write a replay during the match: a journal that can be read at every moment, and a finished file that replaces it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from arena_replays import limits, records
from arena_replays.building import Builder
from arena_replays.documents import Delta, Footer, Frame, Header
from arena_replays.errors import CannotWrite
from arena_replays.files import beside, replace_file
from arena_replays.recorder import Recorder

Action = Any
Draws = Sequence[Any]
Event = dict[str, Any]
NoteKind = Literal["log", "draw", "stdout", "stderr"]
ENTRY: Final = 4  # values of a small action
MAX_PENDING: Final = 300_000  # values in memory; at this limit, they are written before the turn ends


class Writer:
    """Writes one match of any length to one file. Its memory does not grow with the match.

    The methods keep their arguments and encode them at the end of the turn. So an action costs about a microsecond.
    Until the end of the turn, the caller must not change the arguments, and never the values in views and deltas.

    At every moment the path contains the old file, the growing journal, or the finished file.

    A single action or change of more than 16 MiB or a million values cannot be recorded: then the truth or the views
    end early. Notes have a limit for the match. The footer is always recorded. A reader's `notice` reports the missing
    parts, and so does `left_out`.

    Args:
        path: The file to write; an older file is replaced.
        header: The header, see docs/replay-format.md. ``streams`` (default 1) is the number of views: stream 0 sees
            everything, stream 1 + p is the view of player p.

    Raises:
        CannotWrite: The path cannot be written, or the header is too long. Methods that write raise this error too.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header) -> None:
        self.path = Path(path)
        self.streams = int(header.get("streams", 1))
        self._truth: list[list[Any]] = []
        self._views: list[list[Frame]] = [[] for _ in range(self.streams)]
        self._notes: list[list[Any]] = []
        self._last_turns: dict[int, tuple[int, int, int]] = {}
        self._frames = self._turns = self._refused = self._pending = 0
        data = records.encode({**header, "streams": self.streams})
        budget = limits.Budget(limits.MAX_WRITTEN_HEADER, limits.MAX_WRITTEN_HEADER_VALUES, shared=True)
        try:
            budget.take_bytes(len(data))
            records.unpack_bytes(data, budget)
        except limits.TooMuchError:
            raise CannotWrite(
                f"The replay {self.path} cannot be written: its header (options, map, schema) is longer than "
                f"{limits.MAX_WRITTEN_HEADER // 2**20} MiB or {limits.MAX_WRITTEN_HEADER_VALUES:,} values.",
                hint="Play with a smaller map, or without a replay.",
            ) from None
        start = records.seal(records.HEADER, data, form=records.PACKED)
        self._file: BinaryIO | None = self._open(records.PREAMBLE + start)
        self._start = header.get("start", {})
        self._recorder = Recorder(Builder(start, self.streams, self.path.parent))

    @property
    def notice(self) -> str:
        """A message about the parts that end early because of a limit; "" if none does. See `Reader.notice`."""
        first, last = self._recorder.numbers or (1, 0)
        first = self._start.get("first", first)
        return limits.left_out_notice(self.left_out, last - first + 1, self._recorder.frames - 1)

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the parts (``truth``, ``views``, ``notes``) that end early because of a limit."""
        return frozenset(self._recorder.left_out)

    def setup(self, draws: Draws, view0: Sequence[Delta]) -> None:
        """Record the set-up: the draws of chance, and the first view of every stream."""
        self._truth.append(["setup", draws])
        self._frame(view0, [[]] * self.streams)
        self._flush()

    def position(self, state: dict[str, Any], view0: Sequence[Delta]) -> None:
        """Record the position in which the match starts, in place of a set-up, and the first view of every stream."""
        self._truth.append(["position", state])
        self._frame(view0, [[]] * self.streams)
        self._flush()

    def do(
        self, player: int, action: Action, draws: Draws, deltas: Sequence[Delta], events: Sequence[list[Event]]
    ) -> None:
        """Record an accepted action with the frame of each stream."""
        self._truth.append(["do", player, action, draws])
        self._frame(deltas, events)

    def leave(self, player: int, draws: Draws, deltas: Sequence[Delta], events: Sequence[list[Event]]) -> None:
        """Record that a player left the game, with the frame of each stream."""
        self._truth.append(["leave", player, draws])
        self._frame(deltas, events)

    def refuse(self, player: int, action: Action, code: str, message: str) -> None:
        """Record a refused action."""
        self._truth.append(["refuse", player, action, code, message])
        self._refused += 1

    def note(self, player: int, kind: NoteKind, payload: Any, late: bool = False) -> None:
        """Record a log (text), a drawing (list of shapes) or output (text or bytes) of a bot.

        Args:
            player: The bot's player.
            kind: The kind of the note.
            payload: The text or the shapes.
            late: Whether the note belongs to the player's last finished turn, not to the current turn. Without a
                finished turn, it belongs to the current one.
        """
        if isinstance(payload, bytes):
            payload = payload.decode("utf-8", "replace")
        place = self._last_turns.get(player) if late else None
        turn, frame, refused = place or (self._turns, self._frames, self._refused)
        self._notes.append([turn, frame, player, kind, payload, refused])
        self._wait(len(payload))

    def turn(
        self, number: int, player: int, wall_us: int, cpu_us: int | None, bank_us: int | None, digest8: bytes
    ) -> None:
        """Record the end of a player's turn, with times and the state's digest. Write all pending data to the file."""
        self._truth.append(["turn", number, player, wall_us, cpu_us, bank_us, digest8])
        self._last_turns[player] = self._turns, self._frames, self._refused
        self._turns += 1
        self._flush()

    def seat(self, player: int, ending: str, detail: str, skipped: bool = False) -> None:
        """Record that a player's program ended early, such as by a crash, or that it only lost a turn (`skipped`)."""
        self._truth.append(["seat", player, ending, detail, skipped])
        self._flush()

    def finish(self, footer: Footer, *, sync: bool = True) -> None:
        """End the file: replace the journal with the finished file.

        Args:
            footer: The outcome and the final digest, see docs/replay-format.md.
            sync: Whether to wait until the file is on the disk.
        """
        self._flush()
        self._close()
        try:
            with self._recorder.finish(footer) as finished:
                replace_file(self.path, finished, sync=sync)
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def abandon(self) -> None:
        """Close the file and keep the journal: a replay without an end."""
        if self._file is not None:
            self._flush()
            self._close()
            self._recorder.close()

    def _frame(self, deltas: Sequence[Delta], events: Sequence[list[Event]]) -> None:
        for view, delta, happened in zip(self._views, deltas, events, strict=True):
            view.append((delta, happened))
            self._pending += len(delta) + len(happened)
        self._frames += 1
        self._wait(ENTRY)

    def _wait(self, more: int) -> None:
        self._pending += more
        if self._pending > MAX_PENDING:
            self._flush()

    def _flush(self) -> None:
        self._pending = 0
        truth, self._truth = self._truth, []
        views, self._views = self._views, [[] for _ in range(self.streams)]
        notes, self._notes = self._notes, []
        try:
            journal = self._recorder.record(truth, views, notes)
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        self._write(b"".join(journal))

    def _open(self, start: bytes) -> BinaryIO:
        temporary = beside(self.path)
        try:
            try:
                temporary.write_bytes(start)
                temporary.replace(self.path)  # closed: Windows moves no open file
                return self.path.open("ab", buffering=0)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def _write(self, data: bytes) -> None:
        if self._file is None:
            raise CannotWrite(f"The replay {self.path} is closed already.")
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            self._close()
            self._recorder.close()
            raise _cannot_write(self.path, error) from None

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _cannot_write(path: Path, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(
        f"The replay {path} cannot be written: {reason}.", hint="Choose another place for it with --replay."
    )
