"""Read as much as possible of a damaged journal and its backups."""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.contests.journal.chain import DamagedJournalError, Entry, digest_of, link
from arena.contests.journal.database import Database
from arena.contests.journal.store import FILE, backups


@dataclass(slots=True)
class Source:
    """The readable entries of one file.

    Attributes:
        problem: Why not all entries could be read; empty if all could be read.
    """

    path: Path
    entries: dict[int, Entry] = field(default_factory=dict)
    problem: str = ""

    def sound(self) -> list[Entry]:
        """Return the entries before the first one that is missing or changed."""
        found: list[Entry] = []
        number, chain = 0, ""
        while (entry := self.entries.get(number + 1)) and entry.follows(number, chain):
            found.append(entry)
            number, chain = entry.number, entry.hash
        return found


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
            if not source.problem:
                source.problem = _structure(path, database)
    except DamagedJournalError as error:
        source.problem = error.message
    except (sqlite3.Error, ValueError, OverflowError) as error:
        source.problem = source.problem or f"{path} is damaged: {str(error).splitlines()[0]}."
    return source


def _structure(path: Path, database: Database) -> str:
    [(answer, *_), *_] = database.rows("pragma integrity_check(1)")
    return "" if answer == "ok" else f"{path} is damaged: {answer.splitlines()[0]}."


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
    """The files of a contest that contain entries of its journal."""

    journal: Source
    backups: list[Source]

    @classmethod
    def of(cls, folder: Path) -> "Sources":
        kept = [read_database(path) for path in backups(folder) if path.exists()]
        found = cls(read_database(folder / FILE), kept)
        begun, copied = found.journal.sound()[:1], found.copied()[:1]
        if begun and copied and begun != copied:
            found.journal = Source(folder / FILE, problem=f"{folder / FILE} is the journal of another contest.")
        return found

    def copied(self) -> list[Entry]:
        return max((source.sound() for source in self.backups), key=len, default=[])

    def entries(self) -> list[Entry]:
        """Return the longest valid chain, then what is left of the entries after it.

        A journal that contradicts a backup was changed, because backups are older. Of the entries after the chain,
        these are left: those whose document is right, and those whose hash is right; their `text` is None.
        """
        copied, own = self.copied(), self.journal.sound()
        found = own if own[: len(copied)] == copied else copied
        number, chain = (found[-1].number, found[-1].hash) if found else (0, "")
        later = sorted({one for source in (self.journal, *self.backups) for one in source.entries if one > number})
        for count in later:
            choices = [source.entries[count] for source in (self.journal, *self.backups) if count in source.entries]
            linked = [one for one in choices if one.hash == link(chain, one.kind, one.key, one.digest)]
            whole = [one for one in linked or choices if digest_of(one.text or "") == one.digest]
            # After a gap, nothing shows that an entry is the one that was written, except its own document.
            if not whole and (not linked or count != number + 1):
                continue
            entry = whole[0] if whole else replace(linked[0], text=None)
            found.append(entry)
            number, chain = entry.number, entry.hash
        return found

    def problems(self) -> list[str]:
        found = [source.problem for source in (self.journal, *self.backups) if source.problem]
        path, known, last = self.journal.path, {entry.number: entry for entry in self.entries()}, 0
        for number in sorted({*known, *self.journal.entries}):
            entry, own = known.get(number), self.journal.entries.get(number)
            if number > last + 1:
                found.append(f"The journal {path} lacks the entries {last + 1} to {number - 1}.")
            if own is None:
                found.append(f"The journal {path} lacks {known[number].name}.")
            elif entry is None or own.digest != digest_of(own.text or "") or own.hash != entry.hash:
                found.append(f"The journal {path} was changed: {own.name} is not what was written.")
            last = number
        found += self._broken_links()
        for backup in self.backups:
            sound = len(backup.sound())
            if not backup.problem and sound < len(backup.entries):
                found.append(f"The backup {backup.path} was changed after its entry {sound}.")
        return found

    def _broken_links(self) -> Iterator[str]:
        """Yield a message for each entry of the journal whose hash does not follow from the entry before."""
        for number, entry in self.journal.entries.items():
            before = self.journal.entries.get(number - 1)
            chain = before.hash if before else ""
            whole = entry.digest == digest_of(entry.text or "")  # otherwise it is named already
            if (before or number == 1) and whole and entry.hash != link(chain, entry.kind, entry.key, entry.digest):
                yield f"The journal {self.journal.path} was changed: {entry.name} does not follow the entry before."
