"""The database of a journal: open the file, and read and write its table.

A journal can come from a stranger. SQLite runs what the schema of a file says: a view in the place of the table can
compute for ever. So a file is read only if its schema is exactly ours, and only for so long as each row is found soon.
"""

import sqlite3
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Self

from arena.contests.journal.chain import DamagedJournalError, Entry

VERSION = 2
LONGEST = 64 * 2**20
"""The limit for the bytes of a row: twice the largest entry that `store` writes."""
_SCHEMA = (
    """create table entries (
    number integer primary key, kind text not null, key text not null, document text not null,
    digest text not null, hash text not null
)""",
    "create index entries_by_key on entries (kind, key)",
    "create unique index one_result on entries (key) where kind = 'result'",
)
_STEP = 1_000_000
_STEPS = 200
"""SQLite may execute `_STEP * _STEPS` instructions to find the next row. A row of a journal needs fewer than 100.

That takes about a second: only a schema or a file that was made for it needs as many.
"""
_ENTRIES = "select number, kind, key, document, digest, hash from entries"


class Database(sqlite3.Connection):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._steps = 0
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 10_000)
        if sys.version_info >= (3, 12):
            self.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        self.set_progress_handler(self._step, _STEP)
        for setting in ("trusted_schema = off", "cell_size_check = on", "mmap_size = 0"):
            self.execute(f"pragma {setting}")

    def _step(self) -> bool:
        self._steps += 1
        return self._steps > _STEPS

    @classmethod
    def open(cls, path: Path | None, access: str = "rwc") -> Self:
        """Open a file, or a new database in memory if `path` is None.

        Args:
            access: The parameter `mode` of SQLite's URI, with further parameters.
        """
        if path is not None and path.exists() and not stat.S_ISREG(path.lstat().st_mode):
            raise DamagedJournalError(f"The journal {path} is not a regular file.")
        uri = f"{path.resolve().as_uri()}?mode={access}" if path else "file::memory:"
        database = sqlite3.connect(
            uri, uri=True, isolation_level=None, timeout=30.0, check_same_thread=False, factory=cls
        )
        try:
            database._check_schema(path)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        """Open a file without changing it. If nothing was written into it, open an empty journal."""
        try:
            database = cls.open(path, "ro")
        except sqlite3.OperationalError:
            # To read a write-ahead log, SQLite creates a file. In a read-only folder, `immutable` avoids this.
            database = cls.open(path, "ro&immutable=1")
        if database.is_new:
            database.close()
            database = cls.open(None)
            database.create()
        return database

    @property
    def is_new(self) -> bool:
        return self._schema() == []

    def _schema(self) -> list[tuple[str, str, str, str]]:
        query = "select type, name, tbl_name, sql from sqlite_master order by name limit 10"
        return self.execute(query).fetchall()

    def _check_schema(self, path: Path | None) -> None:
        version = int(self.execute("pragma user_version").fetchone()[0])
        if version > VERSION:
            raise ValueError(f"it has version {version}, and this program knows versions up to {VERSION}")
        schema = self._schema()
        if schema and (version, schema) != (VERSION, _our_schema()):
            ours = {(kind, name) for kind, name, *_ in _our_schema()}
            foreign = [f"the {kind} {name[:80]}" for kind, name, *_ in schema if (kind, name) not in ours]
            reason = f"it has {', '.join(foreign)}" if foreign else "its table is another one"
            raise DamagedJournalError(f"The journal {path} was not written by Arena: {reason}.")

    def create(self, entries: Iterable[Entry] = ()) -> None:
        self.execute("begin immediate")
        for statement in _SCHEMA:
            self.execute(statement)
        self.insert(entries)
        self.execute(f"pragma user_version = {VERSION}")
        self.execute("commit")

    def insert(self, entries: Iterable[Entry]) -> None:
        rows = ((entry.number, entry.kind, entry.key, entry.text or "", entry.digest, entry.hash) for entry in entries)
        self.executemany("insert into entries values (?, ?, ?, ?, ?, ?)", rows)

    def erase(self, numbers: Iterable[int]) -> None:
        """Empty the documents of some entries."""
        self.executemany("update entries set document = '' where number = ?", ((number,) for number in numbers))

    def scrub(self) -> None:
        """Remove what was erased from the free pages of the file, and from its write-ahead log."""
        self._steps = 0
        self.execute("vacuum")
        [(busy, *_)] = self.execute("pragma wal_checkpoint(truncate)")
        if busy:  # after the time-out of the connection
            raise sqlite3.OperationalError("another process reads it without an end")

    def entries(self, where: str = "", values: tuple[Any, ...] = ()) -> Iterator[Entry]:
        """Yield the entries that meet an SQL condition, in order of their numbers; all entries without a condition."""
        last = 0
        for row in self.rows(f"{_ENTRIES} {where} order by number", values):
            if row[0] <= last:
                raise sqlite3.DatabaseError(f"the row after number {last} has the number {row[0]}")
            last = row[0]
            yield _entry(row)

    def result(self, prefix: str) -> Entry | None:
        """Return the only result whose key begins with this text; None if there is not exactly one."""
        where = "where kind = 'result' and key >= ? and key < ? || 'g'"
        rows = list(self.rows(f"{_ENTRIES} {where} limit 2", (prefix, prefix)))
        return _entry(rows[0]) if len(rows) == 1 else None

    def rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            self._steps = 0
            for row in self.execute(query, values):
                yield row
                self._steps = 0
        except (sqlite3.OperationalError, sqlite3.DataError) as error:
            if isinstance(error, sqlite3.DataError) or str(error).startswith(("interrupted", "Could not decode")):
                raise sqlite3.DatabaseError(f"the rows cannot be read: {error}") from error
            raise


def _entry(row: tuple[Any, ...]) -> Entry:
    if not all(isinstance(text, str) for text in row[1:]):
        raise sqlite3.DatabaseError(f"the row {row[0]} is not an entry")
    number, kind, key, text, digest, chain = row
    return Entry(number, kind, key, text or None, digest, chain)


@cache
def _our_schema() -> list[tuple[str, str, str, str]]:
    database = Database.open(None)
    database.create()
    return database._schema()
