"""What everybody may see of a replay: the public copy. Every page with replays for visitors uses this module.

A public copy has no private data of bots: no notes (logs, drawings, output) and no file names. It has no seed before
the last match with this seed is over, since the seed gives all dice. Before that, there is no copy at all if the game
hides information, and a player is a person or a remote bot, who could look at the page.

Logs are hidden here and nowhere else: `_without_notes` writes a finished replay without them, and `_GrowingCopy` leaves
them out of one that is being played. The owners of a bot read its log on a page of their own
(`arena.web.match_pages.log_of`).

Replays keep the content hashes of the organizer's bots, so that their owners can compare them with their files.
Those of teams are replaced: with a hash, anybody could check a guess of a team's files.
"""

import os
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from arena.errors import ArenaError
from arena.match.job import OUTSIDE
from arena_replays import Reader, compact, header_of, records
from arena_replays.documents import FRAMED, Entry, Footer, Header
from arena_replays.recorder import pieces
from arena_replays.source import Source, copied_source, open_source

_MOST_COPIES: Final = 64
"""The number of copies that are kept, of running and of finished matches each. Chosen, not measured: a copy is a file
without a name or some hundred KiB, and visitors watch few matches at the same time."""
_MOST_GROWN: Final = 4
"""A show has one match at a time, and a director perhaps another one."""


def is_withheld(path: Path, *, over: bool = False) -> bool:
    """Return whether nobody may see a replay yet."""
    return not over and _is_secret(header_of(path))


def check_public(path: Path, *, over: bool = False) -> None:
    """Check that everybody may see a replay; see `is_withheld`."""
    if is_withheld(path, over=over):
        raise ArenaError(
            "This match can be watched when it is over, with all its legs.",
            hint="Its game hides information, and a person or a remote bot plays, who could look at this page.",
        )


def public_bytes(path: Path, programs: tuple[str, ...] = (), *, over: bool = False) -> bytes:
    """Return the bytes of `public_copy`."""
    copy = public_copy(path, programs, over=over)
    return copy.read(0, copy.size)


def public_copy(path: Path, programs: tuple[str, ...] = (), *, over: bool = False) -> Source:
    """Return a replay without notes and without the names of files on this machine.

    A finished file is written again without notes. Of a growing file, all complete records except notes are copied, so
    that the copy only grows at its end. Long copies are in temporary files.

    Args:
        programs: What to write instead of the content hash of each player's bot; empty to keep the hashes.
    """
    check_public(path, over=over)
    source, inode = open_source(path)
    copy = _growing(path, inode, programs)
    if copy.grow(source):
        return _without_notes(path, inode, path.stat().st_mtime_ns, programs, over)
    return copy


class _GrowingCopy:
    """The public copy of a file that grows, which is a temporary file. Every record is copied once."""

    def __init__(self, programs: tuple[str, ...]) -> None:
        self._programs = programs
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with its copy
        weakref.finalize(self, self._file.close)
        self._copied = 0
        self._ended = False
        self._lock = threading.Lock()
        self.size = 0

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._file.fileno(), min(length, max(0, self.size - offset)), offset)

    def grow(self, source: Source) -> bool:
        """Copy new records. Return whether the file has an end."""
        with self._lock:
            if not self._copied:
                self._copied = len(records.PREAMBLE)
                self._append(source.read(0, self._copied))
            for record in records.scan(source, self._copied):
                if isinstance(record, str):
                    break
                self._ended |= record.kind == records.FOOTER
                if record.kind == records.HEADER:
                    header = _public(Reader(source.read(0, record.offset + record.size)).header, self._programs)
                    self._append(records.frame(records.HEADER, header, form=records.PACKED))
                elif record.kind != records.NOTES:
                    self._append(source.read(record.offset, record.size))
                self._copied = record.offset + record.size
            if self._ended:  # the copy of a finished file is made anew, without this one
                os.ftruncate(self._file.fileno(), 0)
                self.size = 0
            return self._ended

    def _append(self, data: bytes) -> None:
        while data:
            written = os.pwrite(self._file.fileno(), data, self.size)
            data, self.size = data[written:], self.size + written


@lru_cache(maxsize=_MOST_COPIES)
def _growing(path: Path, inode: int, programs: tuple[str, ...]) -> _GrowingCopy:
    """Return the copy of a growing file; a file with another inode is another one."""
    del path, inode
    return _GrowingCopy(programs)


def _is_secret(header: Header) -> bool:
    outside = any(player.get("bot") in OUTSIDE for player in header.get("players", ()))
    return outside and header["streams"] > 1


def _public(header: Header, programs: tuple[str, ...]) -> Header:
    """Return a header without paths: the player's name replaces the path of a bot, and the parent has no `file`.

    `programs` replace the hashes.
    """
    players: list[dict[str, Any]] = [{**player} for player in header.get("players", [])]
    for player in players:
        if "/" in player.get("bot", ""):
            player["bot"] = player["name"]
    for player, program in zip(players, programs, strict=False):
        player["hash"] = program
    public: dict[str, Any] = {**header, "players": players}
    if "parent" in header:
        public["parent"] = {key: value for key, value in header["parent"].items() if key != "file"}
    return cast(Header, public)


@lru_cache(maxsize=_MOST_COPIES)
def _without_notes(path: Path, inode: int, changed: int, programs: tuple[str, ...], over: bool) -> Source:
    """Return the copy of a finished file. The cache knows its version by inode and time of change."""
    del inode, changed
    reader = Reader(path)
    views = [reader.frames(stream) for stream in range(reader.streams)]
    hidden = () if over else ("seed", "salt")
    footer = {key: value for key, value in (reader.footer or {}).items() if key not in hidden}
    header = _public(reader.header, programs)
    with compact.assembled(header, reader.truth, views, [], cast(Footer, footer)) as made:
        return copied_source(made)


@dataclass(frozen=True, slots=True)
class GrownReplay:
    """The public copy of a finished match as it grew while it was played, without its end.

    Attributes:
        source: Its bytes.
        ends: For the set-up, and for each turn: the game's number of the turn (-1 for the set-up), and the number of
            bytes up to its end.
    """

    source: Source
    ends: tuple[tuple[int, int], ...]


def grown(path: Path, programs: tuple[str, ...] = ()) -> GrownReplay:
    """Return the growth of a finished replay. Its seed and its outcome are not in it."""
    return _grown(path, path.stat().st_mtime_ns, programs)


@lru_cache(maxsize=_MOST_GROWN)
def _grown(path: Path, changed: int, programs: tuple[str, ...]) -> GrownReplay:
    del changed
    reader, ends = Reader(path), list[tuple[int, int]]()
    views = [reader.frames(stream) for stream in range(reader.streams)]
    with tempfile.TemporaryFile() as file:
        header = _public(reader.header, programs)
        file.write(records.PREAMBLE + records.frame(records.HEADER, header, form=records.PACKED))
        entries = frames = 0
        for number, group in _turns_of(reader.truth):
            shown = sum(entry[0] in FRAMED for entry in group)
            parts: list[tuple[int, int, int, Sequence[Any]]] = [(records.TRUTH, 0, entries, group)]
            parts += [(records.VIEW, stream, frames, [*islice(view, shown)]) for stream, view in enumerate(views)]
            for kind, stream, first, rows in parts:
                for count, data in pieces(kind, rows):
                    if data is not None:
                        file.write(records.seal(kind, data, stream=stream, first=first, count=count))
                        first += count
            entries, frames = entries + len(group), frames + shown
            if ends and ends[-1][0] == number:
                ends.pop()
            ends.append((number, file.tell()))
        file.seek(0)
        return GrownReplay(copied_source(file), tuple(ends))


def _turns_of(truth: Iterable[Entry]) -> Iterator[tuple[int, list[Entry]]]:
    """Yield the set-up with the number -1, and the entries of each turn of a player with the game's number of it."""
    number, group = -1, list[Entry]()
    for entry in truth:
        group.append(entry)
        number = entry[1] if entry[0] == "turn" else number
        if entry[0] in ("setup", "position", "turn"):
            yield number, group
            group = []
    if group:  # a program that ended after the last turn
        yield number, group
