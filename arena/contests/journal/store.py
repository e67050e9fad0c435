"""The journal: the only record of a contest. All other data is derived from it.

The journal is one SQLite database with full synchronisation and one writer. It has a write-ahead log, except on network
file systems. Three copies of the journal lie beside it.

The first read checks everything, and also that the end is not cut off (`_check_end`); later ones continue from there. A
write is one transaction: either all of its entries are in the journal and in the history, or none is.
"""

import gc
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from arena.contests.journal.chain import DamagedJournalError, Entry, Fold, chained
from arena.contests.journal.database import Database
from arena.contests.journal.files import DiskError, disk_errors, file_system_of, is_network
from arena.errors import ArenaError, ExitCode

FILE = "journal.db"
BACKUPS = "backups"
_BACKUPS = 3
"""The number of backups that are kept. So two can be damaged, or be made of a journal that was damaged already."""
_GROWTH = 20
"""A backup is made when more than one entry in 20 is newer than the last backup.

So all backups of a contest write some 20 times the bytes of its journal, however long it gets, and a rebuild lacks no
more than a twentieth of it, most of which the replays have.
"""
LARGEST = 1024 * 1024
"""The limit of an entry, in bytes. Texts of bots and people are cut far below it, so it finds what was forgotten."""
_LARGEST_LIST = 32 * 1024 * 1024
_LISTS = ("config", "stage", "round", "rebuild")
"""The kinds whose entries list all bots or all pairings of a round, so that `_LARGEST_LIST` is their limit."""
_LOG_PAGES = 16
"""Pages of the write-ahead log after which SQLite moves them into the file: a few transactions.

A copy of the file without the log then lacks only the last ones. One at a time would double the time of `write`.
"""
_MANY = 1000
"""`permanent` calls `gc.freeze` after a read that passes a multiple of 1000 entries.

Chosen, not measured: fewer entries are no load for the garbage collector.
"""


Written = tuple[str, str, str]
"""Kind, key and document, as JSON, of an entry."""
FoldT = TypeVar("FoldT", bound=Fold)


class TooLargeEntryError(ArenaError):
    """An entry is larger than its limit. Texts of bots and people must be cut before, so this is a fault of Arena."""

    exit_code = ExitCode.FAULT

    def __init__(self, kind: str, key: str, size: int, limit: int) -> None:
        super().__init__(
            f"A fault of Arena: an entry for the journal ({kind} {key[:80]}) has {size} bytes. The limit is {limit}.",
            hint="Nothing was written. Please report this.",
        )


class EntryJournal(Generic[FoldT]):
    """A journal of a contest. It is not thread-safe: callers in several threads must use a lock.

    Args:
        history: An empty history for the content of the journal. With `read_only`, only `read` fills it.
        read_only: Whether to open the journal for reading only. Only the process that runs the contest writes.
    """

    def __init__(self, folder: Path, history: FoldT, *, read_only: bool = False) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.history = history
        self._saved = 0
        if not self.path.exists():
            if has_traces(folder):
                raise DamagedJournalError(f"The journal {self.path} is gone, but other files exist.")
            if read_only:
                text = f"There is no contest in {self.folder}."
                raise ArenaError(text, hint="`arena contest run` starts one.", exit_code=ExitCode.USAGE)
        if not read_only:
            with disk_errors(folder):
                (folder / "replays").mkdir(parents=True, exist_ok=True)
        with self.errors():
            self._connection = Database.open_to_read(self.path) if read_only else self._connect()
        if not read_only:
            try:
                self.read()
                self._saved = _end_of(backups(folder)[0])[0]
            except BaseException:
                self.close()
                raise

    def _connect(self) -> Database:
        database = Database.open(self.path)
        try:
            kind = file_system_of(self.folder)
            if is_network(kind):
                # A write-ahead log needs shared memory, which does not work between machines.
                database.execute("pragma journal_mode = delete")
                where = f"{self.folder} is on {kind}"
                text = f"Warning: {where}. The journal works without a write-ahead log, which is slower."
                logging.getLogger(__name__).warning(text)
            else:
                database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = full")
            database.execute(f"pragma wal_autocheckpoint = {_LOG_PAGES}")
            [(answer,)] = database.rows("pragma quick_check(1)")
            if answer != "ok":
                raise sqlite3.DatabaseError(answer)
            if database.is_new:
                database.create()
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            yield
        except DamagedJournalError:
            raise
        except sqlite3.Error as error:
            text = str(error).splitlines()[0]
            if type(error) is sqlite3.DatabaseError:  # damage; subclasses mean errors of the disk or of Arena
                text = f"The journal {self.path} is damaged: {text}."
                raise DamagedJournalError(text) from error
            raise DiskError(
                f"The journal {self.path} cannot be used: {text}.",
                hint="All recorded results are safe. Free some space or restore a copy, then run the command again.",
            ) from error
        except ValueError as error:
            raise DiskError(f"The journal {self.path} cannot be used: {error}.") from error

    def close(self) -> None:
        self._connection.close()

    def read(self, history: FoldT | None = None) -> FoldT:
        """Read and check all entries that a history does not contain yet.

        The first read also compares the journal with its newest backup and with the replays, which show whether its end
        was cut off.
        """
        history = history or self.history
        # The witnesses are read before the entries: a match that ends meanwhile has an entry without a witness then,
        # and not the other way round.
        witnesses = (self._backed_up(), self._replays()) if history.number == 0 else None
        with self.errors(), permanent(history):
            for entry in self._connection.entries("where number > ?", (history.number,)):
                history.add(entry)
        if witnesses:
            self._check_end(history.number, *witnesses)
        return history

    def _replays(self) -> set[str]:
        """Return the ids of the matches whose replays are in the folder. Each of them has a result: see `commit`."""
        return {path.stem for path in self.folder.glob("replays/*/*.arena")}

    def _check_end(self, last: int, backup: tuple[int, str], replays: set[str]) -> None:
        number, chain = backup
        if number > last or (number and not self.has(f"{number}:{chain}")):
            raise DamagedJournalError(
                f"The journal {self.path} does not continue its newest backup, which ends with entry {number}: it was "
                "changed or cut off.",
            )
        with self.errors():
            results = {key for (key,) in self._connection.rows("select key from entries where kind = 'result'")}
        if missing := sorted(replays - results):
            raise DamagedJournalError(
                f"The journal {self.path} was cut off: it lacks the results of {len(missing)} replays, such as "
                f"{missing[0]}.",
            )

    def _backed_up(self) -> tuple[int, str]:
        """Return number and hash of the last entry of the newest backup that is sound at its end; else 0 and ""."""
        ends = (_end_of(path) for path in backups(self.folder) if path.exists())
        return next((end for end in ends if end[0]), (0, ""))

    def write(self, written: Sequence[Written], values: Sequence[Any], erased: Sequence[int] = ()) -> None:
        """Write entries in one transaction.

        Args:
            values: The documents of the entries as values, for the history.
            erased: The numbers of the entries that lose their documents in the same transaction.
        """
        history = self.history
        for kind, key, text in written:
            _check_size(kind, key, text)
        entries = list(chained(written, history.number, history.hash, values))
        with self._transaction() as connection:
            connection.insert(entries)
            connection.erase(erased)
        for entry in entries:
            history.wrote(entry)

    def back_up(self, *, final: bool = False) -> bool:
        """Make a backup of the journal if enough entries are newer than the last backup. Return whether it was made.

        Args:
            final: Whether to make a backup even if only one entry was added.
        """
        if self.history.number - self._saved <= (0 if final else self.history.number // _GROWTH):
            return False
        with disk_errors(self.folder / BACKUPS):
            newest = backups(self.folder)
            for older, newer in zip(reversed(newest), reversed(newest[:-1]), strict=False):
                if newer.exists():
                    newer.replace(older)
            self.copy_to(newest[0])
        self._saved = self.history.number
        return True

    def scrub(self) -> None:
        """Remove what was erased from all free pages, and from all backups: they become copies of the journal."""
        with self.errors():
            self._connection.scrub()
        for path in backups(self.folder):
            self.copy_to(path)
        self._saved = self.history.number

    def copy_to(self, target: Path) -> None:
        temporary = target.with_suffix(".new")
        with disk_errors(target), self.errors():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            temporary.unlink(missing_ok=True)
            self._connection.execute("vacuum into ?", (str(temporary),))
            temporary.replace(target)

    def entries(self) -> Iterator[Entry]:
        """Yield all stored entries in order of their numbers. Do not decode or check them."""
        with self.errors():
            yield from self._connection.entries()

    def result(self, prefix: str) -> Entry | None:
        """Return the only result whose match id begins with this text; None if there is not exactly one."""
        with self.errors():
            return self._connection.result(prefix)

    def has(self, head: str) -> bool:
        """Return whether the journal has an entry with the number and the chain hash in `head`, as `NUMBER:HASH`."""
        number, _, chain = head.partition(":")
        with self.errors():
            return [entry.hash for entry in self._connection.entries("where number = ?", (number,))] == [chain]

    @contextmanager
    def _transaction(self) -> Iterator[Database]:
        with self.errors():
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise


def _check_size(kind: str, key: str, text: str) -> None:
    limit = _LARGEST_LIST if kind in _LISTS else LARGEST
    size = len(key.encode()) + len(text.encode())
    if size > limit:
        raise TooLargeEntryError(kind, key, size, limit)


def _end_of(path: Path) -> tuple[int, str]:
    """Return number and hash of the last entry of a backup; 0 and "" if it cannot be read or was changed."""
    with suppress(sqlite3.Error, ArenaError, ValueError), closing(Database.open(path, "ro")) as backup:
        last = list(backup.entries("where number > (select max(number) - 2 from entries)"))
        before = (0, "") if len(last) < 2 else (last[0].number, last[0].hash)
        if last and last[-1].follows(*before):
            return last[-1].number, last[-1].hash
    return 0, ""


@contextmanager
def permanent(history: Fold) -> Iterator[None]:
    """Disable garbage collection while entries are read. After each `_MANY` entries, call `gc.freeze`.

    Otherwise, a garbage collection of all results of a long contest would stop the pages for half a second.
    """
    before, enabled = history.number, gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if history.number // _MANY > before // _MANY:
            gc.freeze()
        if enabled:
            gc.enable()


def has_traces(folder: Path) -> bool:
    """Return whether a folder has files of a contest, even if some are missing."""
    names = (FILE, f"{BACKUPS}/*.db", "replays/*/*.arena")
    return any(next(folder.glob(name), None) is not None for name in names)


def backups(folder: Path, count: int = _BACKUPS) -> list[Path]:
    """Return the paths at which the backups of a journal are stored, the newest first. The files need not exist."""
    return [folder / BACKUPS / f"journal-{number}.db" for number in range(1, count + 1)]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
