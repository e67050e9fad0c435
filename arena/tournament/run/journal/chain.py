"""The hash chain of the journal, and the log: a file beside the journal that repeats the chain."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.tournament.run.journal.files import disk_errors

LOG = "journal.log"
RESULT = "result"
"""The kind of the entries for results. The log has no documents of these entries: the replays prove the results."""
_BLOCK = 1 << 16


class DamagedJournalError(ArenaError):
    """The journal, or a file beside it, is missing or damaged, or was changed."""

    exit_code = ExitCode.DAMAGED_JOURNAL

    def __init__(self, message: str, hint: str = "") -> None:
        default = (
            "`arena tournament verify` lists all defects. `arena tournament rebuild` restores the journal from the "
            "backups and the replays."
        )
        super().__init__(message, hint=hint or default)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the journal.

    Attributes:
        number: The entry's number, from 1, without gaps.
        kind: "start", "config", "round", "result", "void", "conflict", "discard" or "rebuild". The journal of a season
            also has other kinds.
        key: Its subject, such as the id of a match or the name of a stage; empty if the entry has none.
        text: The document, as JSON; None for a result that was read from the log.
        digest: SHA-256 of the document, hexadecimal.
        hash: The hash of the chain up to and including this entry.
    """

    number: int
    kind: str
    key: str
    text: str | None
    digest: str
    hash: str

    @property
    def document(self) -> Any:
        """The document, as a value; None if the entry has no `text`."""
        return json.loads(self.text or "null")

    @property
    def name(self) -> str:
        """A description of the entry, for messages."""
        return f"entry {self.number} ({self.kind} {self.key})" if self.key else f"entry {self.number} ({self.kind})"

    def follows(self, number: int, chain: str) -> bool:
        """Return whether this entry is unchanged and directly follows the entry with this number and chain hash."""
        digest = self.digest if self.text is None else digest_of(self.text)
        return (
            self.number == number + 1
            and self.digest == digest
            and self.hash == link(chain, self.kind, self.key, digest)
        )


def text_of(document: Any) -> str:
    """Return a document as JSON text that is always the same for the same document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def digest_of(text: str) -> str:
    """Return the SHA-256 of a document, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def link(before: str, kind: str, key: str, digest: str) -> str:
    """Return the chain hash of an entry. `before` is the chain hash of the previous entry."""
    return hashlib.sha256(f"{before}\n{kind}\n{key}\n{digest}".encode()).hexdigest()


def chained(written: Iterable[tuple[str, str, str]], number: int = 0, chain: str = "") -> Iterator[Entry]:
    """Yield an entry for each (kind, key, text), chained to the entry with this number and hash.

    By default, the entries begin a new chain.
    """
    for kind, key, text in written:
        digest = digest_of(text)
        number, chain = number + 1, link(chain, kind, key, digest)
        yield Entry(number, kind, key, text, digest, chain)


class Log:
    """The file that repeats the chain: one line for each entry. Lines of results have no document.

    Args:
        path: The path of the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, entries: Iterable[Entry]) -> None:
        """Append entries and sync them to the disk: all of them, or after an error none."""
        with disk_errors(self.path), self.path.open("ab", buffering=0) as stream:
            before = stream.seek(0, os.SEEK_END)
            try:
                for line in map(_line, entries):
                    _write_all(stream, line)
                os.fdatasync(stream.fileno())
            except OSError:
                with suppress(OSError):  # the first error counts
                    stream.truncate(before)
                raise

    def replace(self, entries: Iterable[Entry]) -> None:
        """Write the whole file again, with these entries only."""
        temporary = self.path.with_name(f".{self.path.name}.new")
        with disk_errors(temporary):
            temporary.unlink(missing_ok=True)
        Log(temporary).append(entries)
        with disk_errors(self.path):
            temporary.replace(self.path)

    def end(self) -> tuple[int, str]:
        """Return number and hash of the last complete line; (0, "") if there is none.

        Raises:
            DamagedJournalError: The line cannot be read.
        """
        if not self.path.exists():
            return 0, ""
        with disk_errors(self.path), self.path.open("rb") as stream:
            at = stream.seek(0, os.SEEK_END)
            tail = b""
            while at > 0 and tail.count(b"\n") < 2:
                step = min(at, max(_BLOCK, len(tail)))
                at -= step
                stream.seek(at)
                tail = stream.read(step) + tail
        whole = tail[: tail.rfind(b"\n") + 1].splitlines()
        if not whole:
            return 0, ""
        last = self._read(whole[-1], "the last line")
        return last.number, last.hash

    def drop_torn_line(self) -> None:
        """Remove an unfinished last line, which a killed process has left."""
        if self.path.exists():
            with disk_errors(self.path), self.path.open("rb+") as stream:
                data = stream.read()
                stream.truncate(data.rfind(b"\n") + 1)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of all complete lines, and check that each entry follows the previous one.

        Raises:
            DamagedJournalError: A line cannot be read, or was changed.
        """
        number, chain = 0, ""
        with disk_errors(self.path):
            lines = self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else []
        for count, line in enumerate(lines, 1):
            entry = self._read(line, f"line {count}")
            if not entry.follows(number, chain):
                raise DamagedJournalError(f"{self.path} was changed: line {count} does not follow the line before.")
            number, chain = entry.number, entry.hash
            yield entry

    def _read(self, line: bytes, where: str) -> Entry:
        try:
            number, kind, key, digest, chain, text = json.loads(line)
            if [type(value) for value in (number, kind, key, digest, chain)] != [int, str, str, str, str]:
                raise ValueError
            if text is not None and type(text) is not str:
                raise ValueError
        except ValueError:
            raise DamagedJournalError(f"{self.path} is damaged: {where} cannot be read.") from None
        return Entry(number, kind, key, text, digest, chain)


def _write_all(stream: FileIO, data: bytes) -> None:
    """Write all of the data. On a disk that gets full, a raw write can end early without an error."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def _line(entry: Entry) -> bytes:
    text = None if entry.kind == RESULT else entry.text
    return json.dumps([entry.number, entry.kind, entry.key, entry.digest, entry.hash, text]).encode() + b"\n"
