"""Write a replay during the match: a journal that can be read at every moment, and is compacted at the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from arena_replays import limits, records
from arena_replays.allowance import Allowance
from arena_replays.documents import Footer, Header
from arena_replays.errors import CannotWrite
from arena_replays.files import beside, replace_file

Action = Any
Draws = Sequence[Any]
Delta = list[Any]
Event = dict[str, Any]
NoteKind = Literal["log", "draw", "stdout", "stderr"]
MAX_PENDING: Final = 300_000  # values in memory; at this limit, they are written before the turn ends


class Writer:
    """Writes one match to one file.

    The methods keep their arguments and encode them at the end of the turn. So an action costs about a microsecond.
    Until the end of the turn, the caller must not change the arguments.

    At every moment the path contains the old file, the growing journal, or the finished file.

    If a match is over the size limit, parts of its file end early: first the views, later the truth. Notes have a limit
    of their own. The footer is always recorded. A reader's `notice` reports the missing parts.

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
        self._views: list[list[list[Any]]] = [[] for _ in range(self.streams)]
        self._notes: list[list[Any]] = []
        self._last_turns: dict[int, tuple[int, int, int]] = {}
        self._entries = self._frames = self._noted = self._turns = self._refused = self._pending = 0
        self._play = Allowance(limits.MAX_WRITTEN_TRUTH, limits.MAX_VALUES // limits.WRITTEN_SHARE, limits.MAX_VALUES)
        self._seen = Allowance(limits.MAX_WRITTEN_VIEWS, limits.MAX_VIEW_VALUES, limits.MAX_CHUNK_VALUES)
        self._said = Allowance(limits.MAX_WRITTEN_NOTES, limits.MAX_NOTE_VALUES, limits.MAX_NOTE_VALUES)
        start = records.frame(records.HEADER, {**header, "streams": self.streams}, form=records.PACKED)
        if not records.fits(start, limits.Budget(limits.MAX_WRITTEN_HEADER, limits.MAX_VALUES // 6)):
            raise CannotWrite(
                f"The replay {self.path} cannot be written: its header (options, map, schema) is longer than "
                f"{limits.MAX_WRITTEN_HEADER // 2**20} MiB or {limits.MAX_VALUES // 6:,} values.",
                hint="Play with a smaller map, or without a replay.",
            )
        self._file: BinaryIO | None = self._open(records.PREAMBLE + start)

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

    def seat(self, player: int, ending: str, detail: str) -> None:
        """Record that a player's program ended early, such as by a crash or a time-out."""
        self._truth.append(["seat", player, ending, detail])
        self._flush()

    def finish(self, footer: Footer, *, sync: bool = True) -> None:
        """End the file: compact it, add index, footer and hash chain, and replace the journal with it.

        Args:
            footer: The outcome and the final digest, see docs/replay-format.md.
            sync: Whether to wait until the file is on the disk.
        """
        from arena_replays import compact  # imported late: it takes 20 ms

        self._flush()
        self._close()
        try:
            allowances = {"truth": self._play, "views": self._seen, "notes": self._said}
            left_out = frozenset(name for name, allowance in allowances.items() if allowance.spent)
            finished = compact.compact(self.path.read_bytes(), footer, left_out)
            replace_file(self.path, finished, sync=sync)
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def abandon(self) -> None:
        """Close the file and keep the journal: a replay without an end."""
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
        truth, self._truth = self._truth, []
        views, self._views = self._views, [[] for _ in range(self.streams)]
        notes, self._notes = self._notes, []
        parts = self._play.pieces(records.TRUTH, truth, first=self._entries)
        self._entries += len(truth)
        if not self._play.spent:
            for stream, view in enumerate(views):
                parts += self._seen.pieces(records.VIEW, view, stream=stream, first=self._frames - len(view))
            parts += self._said.pieces(records.NOTES, notes, first=self._noted)
            self._noted += len(notes)
        self._write(b"".join(parts))

    def _open(self, start: bytes) -> BinaryIO:
        temporary = beside(self.path)
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


def _cannot_write(path: Path, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(
        f"The replay {path} cannot be written: {reason}.", hint="Choose another place for it with --replay."
    )
