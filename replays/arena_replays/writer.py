"""Writes a replay while the match runs: a journal that is readable at every instant, compacted at the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from arena_replays import compact, records
from arena_replays.errors import CannotWrite
from arena_replays.limits import MAX_FILE

Action = Any
Draws = Sequence[Any]
Delta = list[Any]
Event = dict[str, Any]
NoteKind = Literal["log", "draw", "stdout", "stderr"]
MAX_PENDING: Final = 300_000  # values kept before they go to the disk although the turn goes on


class Writer:
    """Writes one match to one file.

    Whatever is passed in is kept by reference until the end of the turn and must not be changed by the caller. Nothing
    is encoded before that, so that an action costs about a microsecond.

    At every instant the path holds either the file that was there before, or the growing journal, or the finished file.

    Args:
        path: Where the replay goes; an older file there is replaced.
        header: The header as docs/replay-format.md describes it. ``streams`` (1 by default) says how many views the
            file carries: stream 0 sees everything, stream 1 + p is what player p saw.

    A match that is longer than a file may be is recorded as far as it goes; the footer is recorded in any case.

    Raises:
        CannotWrite: The path cannot be written (also from every method that writes).
    """

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.streams = int(header.get("streams", 1))
        self._truth: list[list[Any]] = []
        self._views: list[list[list[Any]]] = [[] for _ in range(self.streams)]
        self._notes: list[list[Any]] = []
        self._entries = self._frames = self._noted = self._turns = self._pending = 0
        self._size = 0
        start = records.PREAMBLE + records.frame(
            records.HEADER, {**header, "streams": self.streams}, form=records.PACKED
        )
        self._file: BinaryIO | None = self._open(start)

    def setup(self, draws: Draws, view0: Sequence[Delta]) -> None:
        """Records the set-up: what chance drew, and the first view of every stream."""
        self._truth.append(["setup", draws])
        self._frame(view0, [[]] * self.streams)
        self._flush()

    def do(
        self, player: int, action: Action, draws: Draws, deltas: Sequence[Delta], events: Sequence[list[Event]]
    ) -> None:
        """Records an accepted action with what each stream saw of it."""
        self._truth.append(["do", player, action, draws])
        self._frame(deltas, events)

    def refuse(self, player: int, action: Action, code: str, message: str) -> None:
        """Records a refused action."""
        self._truth.append(["refuse", player, action, code, message])

    def note(self, player: int, kind: NoteKind, payload: Any) -> None:
        """Records what a bot logged (text), drew (list of shapes) or printed (text or bytes) at this moment."""
        if isinstance(payload, bytes):
            payload = payload.decode("utf-8", "replace")
        self._notes.append([self._turns, self._frames, player, kind, payload])
        self._wait(len(payload))

    def turn(
        self, number: int, player: int, wall_us: int, cpu_us: int | None, bank_us: int | None, digest8: bytes
    ) -> None:
        """Ends a turn: its clocks, the state's digest; everything so far goes to the disk."""
        self._truth.append(["turn", number, player, wall_us, cpu_us, bank_us, digest8])
        self._turns += 1
        self._flush()

    def seat(self, player: int, ending: str, detail: str) -> None:
        """Records that a player's program came to an end of its own (a crash, a time-out)."""
        self._truth.append(["seat", player, ending, detail])
        self._flush()

    def finish(self, footer: dict[str, Any], *, sync: bool = True) -> None:
        """Ends the file: compacts it, adds index, footer and hash chain, and puts it in place of the journal.

        Args:
            footer: The outcome and the final digest, see docs/replay-format.md.
            sync: Wait until the file is on the disk.
        """
        self._flush()
        self._close()
        try:
            finished = compact.compact(self.path.read_bytes(), footer)
            replace(self.path, finished, sync=sync)
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def abandon(self) -> None:
        """Closes the file and leaves the journal as far as it went: a replay without an end."""
        if self._file is not None:
            self._flush()
            self._close()

    def _frame(self, deltas: Sequence[Delta], events: Sequence[list[Event]]) -> None:
        for view, delta, happened in zip(self._views, deltas, events, strict=True):
            view.append([delta, happened])
            self._pending += len(delta) + len(happened)
        self._frames += 1
        self._wait(0)

    def _wait(self, more: int) -> None:
        self._pending += more
        if self._pending > MAX_PENDING:
            self._flush()

    def _flush(self) -> None:
        self._pending = 0
        parts: list[bytes] = []
        if self._truth:
            parts.append(records.frame(records.TRUTH, self._truth, first=self._entries, count=len(self._truth)))
            self._entries += len(self._truth)
            self._truth = []
        for stream, view in enumerate(self._views):
            if view:
                first = self._frames - len(view)
                parts.append(records.frame(records.VIEW, view, stream=stream, first=first, count=len(view)))
                self._views[stream] = []
        if self._notes:
            parts.append(records.frame(records.NOTES, self._notes, first=self._noted, count=len(self._notes)))
            self._noted += len(self._notes)
            self._notes = []
        data = b"".join(parts)
        self._size += len(data)
        if self._size <= MAX_FILE:
            self._write(data)

    def _open(self, start: bytes) -> BinaryIO:
        temporary = _beside(self.path)
        try:
            file = temporary.open("wb", buffering=0)
            try:
                file.write(start)
                temporary.replace(self.path)
            except OSError:
                file.close()
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        return file

    def _write(self, data: bytes) -> None:
        if self._file is None:
            raise CannotWrite(f"The replay {self.path} is closed already.")
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def replace(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Puts ``data`` at ``path`` in one step: who looks sees the old file or the new one."""
    temporary = _beside(path)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _cannot_write(path: Path, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(
        f"The replay {path} cannot be written: {reason}.", hint="Choose another place for it with --replay."
    )
