"""Read as much as possible of a damaged journal, its backups and its log."""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import ArenaError
from arena.tournament.run.journal.chain import LOG, DamagedJournalError, Entry, Log, digest_of
from arena.tournament.run.journal.database import Database
from arena.tournament.run.journal.store import FILE, backups


@dataclass(slots=True)
class Source:
    """The readable entries of one file.

    Attributes:
        path: The file.
        entries: Maps numbers to entries. The entries of a database are not checked: somebody could have changed them.
        problem: Why not all entries could be read; empty if all could be read.
    """

    path: Path
    entries: dict[int, Entry] = field(default_factory=dict)
    problem: str = ""

    def sound(self, number: int = 0, chain: str = "") -> Iterator[Entry]:
        """Yield the entries after the one with this number and hash. Stop before a missing or changed entry."""
        while (entry := self.entries.get(number + 1)) and entry.follows(number, chain):
            yield entry
            number, chain = entry.number, entry.hash


def read_log(folder: Path) -> Source:
    """Read the log. Stop before the first line that cannot be read or does not follow the previous line."""
    source = Source(folder / LOG)
    if not source.path.exists():
        source.problem = f"{source.path} is gone."
        return source
    try:
        for entry in Log(source.path).entries():
            source.entries[entry.number] = entry
    except ArenaError as error:
        source.problem = error.message
    return source


def read_database(path: Path) -> Source:
    """Read the entries that SQLite can still read from a journal or a backup."""
    source = Source(path)
    if not path.exists():
        source.problem = f"{path} is gone."
        return source
    try:
        with contextlib.closing(Database.open(path, "ro")) as database:
            database.text_factory = lambda data: data.decode(errors="replace")
            source.entries = {entry.number: entry for entry in _all(database, source)}
    except DamagedJournalError as error:
        source.problem = error.message
    except (sqlite3.Error, ValueError, OverflowError) as error:
        source.problem = source.problem or f"{path} is damaged: {str(error).splitlines()[0]}."
    return source


def _all(database: Database, source: Source) -> Iterator[Entry]:
    highest = 0
    try:
        for entry in database.entries():
            highest = entry.number
            yield entry
        return
    except sqlite3.Error as error:
        source.problem = f"{source.path} is damaged: {str(error).splitlines()[0]}."
    # Entries after a damaged page are sometimes readable. Read them one by one, until 1000 in a row are missing.
    number = highest
    while number - highest < 1000:
        number += 1
        with contextlib.suppress(sqlite3.Error):
            for entry in database.entries("where number = ?", (number,)):
                highest = number
                yield entry


@dataclass(slots=True)
class Sources:
    """The files of a tournament that contain entries of its journal.

    Attributes:
        log: The log.
        journal: The journal.
        backups: The journal's backups, the newest first.
    """

    log: Source
    journal: Source
    backups: list[Source]

    @classmethod
    def of(cls, folder: Path) -> "Sources":
        """Read the log, the journal and the backups in a tournament's folder."""
        kept = [read_database(path) for path in backups(folder) if path.exists()]
        return cls(read_log(folder), read_database(folder / FILE), kept)

    def chain(self) -> list[Entry]:
        """Return the longest valid chain: the log's entries, then the entries after them in the journal or a backup."""
        found = list(self.log.sound())
        number, chain = (found[-1].number, found[-1].hash) if found else (0, "")
        rest = [list(source.sound(number, chain)) for source in (self.journal, *self.backups)]
        return found + max(rest, key=len)

    def texts(self) -> dict[str, str]:
        """Return the documents in the journal and its backups, by their digests."""
        entries = (entry for source in (self.journal, *self.backups) for entry in source.entries.values())
        return {digest_of(entry.text): entry.text for entry in entries if entry.text is not None}

    def problems(self) -> list[str]:
        """Return one message for each defect of the journal, its log and its backups."""
        found = [source.problem for source in (self.log, self.journal, *self.backups) if source.problem]
        chain = self.chain()
        texts = self.journal.entries.copy()
        for entry in chain:
            known = texts.pop(entry.number, None)
            if known is None:
                found.append(f"The journal {self.journal.path} lacks {entry.name}.")
            elif known.text is None or digest_of(known.text) != entry.digest or known.hash != entry.hash:
                found.append(f"The journal {self.journal.path} was changed: {entry.name} is not what was written.")
            elif (known.kind, known.key, known.digest) != (entry.kind, entry.key, entry.digest):
                found.append(f"The journal {self.journal.path} was changed: {entry.name} has become {known.name}.")
        found += [f"The journal {self.journal.path} was changed: {one.name} was not written." for one in texts.values()]
        for backup in self.backups:
            sound = len(list(backup.sound()))
            if not backup.problem and sound < len(backup.entries):
                found.append(f"The backup {backup.path} was changed after its entry {sound}.")
        missing = len(chain) - len(self.log.entries)
        if not self.log.problem and missing > 1:
            found.append(f"{self.log.path} was cut off: it lacks {missing} entries of the journal.")
        return found
