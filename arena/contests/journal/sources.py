"""Read as much as possible of a damaged journal and its backups.

Each file is a `Source` of its own. Together (`Sources`) they give one chain: the longest sound one, then what is left.
`problems` says what is wrong with the journal itself, for `arena contest verify`.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.contests.journal.chain import TEXT, DamagedJournalError, Entry, digest_of, erasures, link
from arena.contests.journal.database import Database
from arena.contests.journal.store import FILE, backups

_LARGEST_GAP = 1000
"""Chosen, not measured: a damaged page of the table holds fewer entries, and the search must end."""


@dataclass(slots=True)
class Source:
    """The readable entries of one file.

    Attributes:
        problem: Why not all entries could be read; empty if all could be read.
        erased: The entries whose documents were erased by an act, and the keys of the acts.
    """

    path: Path
    entries: dict[int, Entry] = field(default_factory=dict)
    problem: str = ""
    erased: dict[int, str] = field(default_factory=dict)

    def is_whole(self, entry: Entry) -> bool:
        """Return whether an entry has the document that was written, or an act has erased it."""
        if entry.text is None:
            return entry.kind == TEXT and entry.number in self.erased
        return entry.digest == digest_of(entry.text)

    def sound(self) -> list[Entry]:
        """Return the entries before the first one that is missing or changed."""
        entries: list[Entry] = []
        number, chain = 0, ""
        while (entry := self.entries.get(number + 1)) and entry.follows(number, chain) and self.is_whole(entry):
            entries.append(entry)
            number, chain = entry.number, entry.hash
        return entries


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
            source.erased = erasures(source.entries.values())
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
    # Entries after a damaged page are sometimes readable. Read them one by one, until so many in a row are missing.
    number = highest
    while number - highest < _LARGEST_GAP:
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
        path = folder / FILE
        sources = cls(read_database(path), [read_database(backup) for backup in backups(folder) if backup.exists()])
        files = (sources.journal, *sources.backups)
        erased = {number: act for source in files for number, act in source.erased.items()}
        for source in files:  # a backup can be older than an erasure, and the journal can have lost its end
            source.erased = erased
        first, first_of_backup = sources.journal.sound()[:1], sources.longest_backup()[:1]
        if first and first_of_backup and first != first_of_backup:
            sources.journal = Source(path, problem=f"{path} is the journal of another contest.")
        return sources

    def longest_backup(self) -> list[Entry]:
        return max((source.sound() for source in self.backups), key=len, default=[])

    def entries(self) -> list[Entry]:
        """Return the longest valid chain, then what is left of the entries after it.

        A journal that contradicts a backup was changed, because backups are older. Of the entries after the chain,
        these are left: those whose document is right, and those whose hash is right; their `text` is None.
        """
        files = (self.journal, *self.backups)
        backup, entries = self.longest_backup(), self.journal.sound()
        if [entry.hash for entry in entries[: len(backup)]] != [entry.hash for entry in backup]:
            entries = backup
        number, chain = (entries[-1].number, entries[-1].hash) if entries else (0, "")
        for later in sorted({later for source in files for later in source.entries if later > number}):
            choices = [source.entries[later] for source in files if later in source.entries]
            linked = [entry for entry in choices if entry.hash == link(chain, entry.kind, entry.key, entry.digest)]
            whole = [entry for entry in linked or choices if self.journal.is_whole(entry)]
            # After a gap, nothing shows that an entry is the one that was written, except its own document.
            if not whole and (not linked or later != number + 1):
                continue
            entry = whole[0] if whole else replace(linked[0], text=None)
            entries.append(entry)
            number, chain = entry.number, entry.hash
        erased = self.journal.erased
        return [replace(entry, text=None) if entry.number in erased else entry for entry in entries]

    def problems(self) -> list[str]:
        problems = [source.problem for source in (self.journal, *self.backups) if source.problem]
        path, restored, last = self.journal.path, {entry.number: entry for entry in self.entries()}, 0
        for number in sorted({*restored, *self.journal.entries}):
            written, entry = restored.get(number), self.journal.entries.get(number)
            if number > last + 1:
                problems.append(f"The journal {path} lacks the entries {last + 1} to {number - 1}.")
            if entry is None:
                problems.append(f"The journal {path} lacks {restored[number].name}.")
            elif written is None or not self.journal.is_whole(entry) or entry.hash != written.hash:
                problems.append(f"The journal {path} was changed: {entry.name} is not what was written.")
            last = number
        problems += self._broken_links()
        for backup in self.backups:
            sound = len(backup.sound())
            if not backup.problem and sound < len(backup.entries):
                problems.append(f"The backup {backup.path} was changed after its entry {sound}.")
        return problems

    def _broken_links(self) -> Iterator[str]:
        """Yield a message for each entry of the journal whose hash does not follow from the entry before."""
        for number, entry in self.journal.entries.items():
            before = self.journal.entries.get(number - 1)
            chain = before.hash if before else ""
            if not (before or number == 1) or not self.journal.is_whole(entry):
                continue  # it is named already
            if entry.hash != link(chain, entry.kind, entry.key, entry.digest):
                yield f"The journal {self.journal.path} was changed: {entry.name} does not follow the entry before."
