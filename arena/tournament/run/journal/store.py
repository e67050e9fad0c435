"""The journal: the only record of a tournament or season. All other data is derived from it.

The journal is one SQLite database with full synchronisation and one writer. It has a write-ahead log, except on network
file systems. A result is recorded in three steps: the replay is moved to its final path, the entry of the result is
committed as one transaction, and the result is reported.
"""

import gc
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from arena.errors import ArenaError, ExitCode
from arena.match.result import MatchResult
from arena.tournament.plan.encounters import PairedRound
from arena.tournament.plan.values import MatchSpec
from arena.tournament.run.journal.chain import LOG, RESULT, DamagedJournalError, Entry, Log, chained, text_of
from arena.tournament.run.journal.database import Database
from arena.tournament.run.journal.files import (
    TournamentDiskError,
    disk_errors,
    file_system_of,
    is_network,
    keep_replay,
    replay_path,
)
from arena.tournament.run.journal.history import Fold, History, Killed
from arena.tournament.run.journal.results import read_played

FILE = "journal.db"
BACKUPS = "backups"
_KEPT = 3
_GROWTH = 20
"""A backup is made when more than one entry in 20 is newer than the last backup."""
LARGEST = 1024 * 1024
"""The limit of an entry, in bytes."""
_LARGEST_LIST = 32 * 1024 * 1024
_LISTS = ("start", "config", "round", "rebuild")
"""The kinds whose entries list all bots or all pairings of a round, so that `_LARGEST_LIST` is their limit."""
_MANY = 1000
"""`permanent` calls `gc.freeze` after a read that passes a multiple of 1000 entries."""


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
    """A journal of a tournament or season. It is not thread-safe: callers in several threads must use a lock.

    Args:
        folder: The folder of the tournament or season.
        history: An empty history for the content of the journal. With `read_only`, only `read` fills it.
        read_only: Whether to open the journal for reading only. Only the process that runs the tournament writes.

    Raises:
        ArenaError: The journal cannot be used, or was changed; or `read_only` is true and the journal does not exist.
    """

    def __init__(self, folder: Path, history: FoldT, *, read_only: bool = False) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.log = Log(folder / LOG)
        self.history = history
        self._saved = 0
        self._unlogged: list[Entry] = []
        if not self.path.exists():
            if has_traces(folder):
                raise DamagedJournalError(f"The journal {self.path} is gone, but other files of the tournament exist.")
            if read_only:
                hint = "`arena tournament run` starts one."
                raise ArenaError(f"There is no tournament in {self.folder}.", hint=hint, exit_code=ExitCode.USAGE)
        if not read_only:
            with disk_errors(folder):
                (folder / "replays").mkdir(parents=True, exist_ok=True)
        self._logged = self.log.end()
        with self.errors():
            self._connection = Database.open_to_read(self.path) if read_only else self._connect()
        if not read_only:
            try:
                self.read()
                self._repair_log()
                self._saved = self._backed_up()
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
        """Turn an error of SQLite, or a `ValueError`, into an `ArenaError`."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error).splitlines()[0]
            if type(error) is sqlite3.DatabaseError:  # damage; subclasses mean errors of the disk or of Arena
                raise DamagedJournalError(f"The journal {self.path} is damaged: {text}.") from error
            raise TournamentDiskError(
                f"The journal {self.path} cannot be used: {text}.",
                hint="All recorded results are safe. Free some space or restore a copy, then run the command again.",
            ) from error
        except ValueError as error:
            raise TournamentDiskError(f"The journal {self.path} cannot be used: {error}.") from error

    def close(self) -> None:
        """Close the journal."""
        with suppress(TournamentDiskError):  # the next start repairs the log
            self._log()
        self._connection.close()

    def read(self, history: FoldT | None = None) -> FoldT:
        """Read and check all entries that a history does not contain yet. Compare the journal with the end of the log.

        Args:
            history: The history that gets the entries; the journal's own history by default.

        Raises:
            DamagedJournalError: An entry was changed or cannot be read, or the journal does not agree with its log.
        """
        history = history or self.history
        number, chain = self._logged
        with self.errors(), permanent(history):
            for entry in self._connection.entries("where number > ?", (history.number,)):
                history.add(entry)
                if entry.number == number and entry.hash != chain:
                    raise DamagedJournalError(
                        f"The journal {self.path} and {self.log.path.name} do not agree on {entry.name}."
                    )
        if history.number < number:
            raise DamagedJournalError(
                f"The journal {self.path} ends with entry {history.number}, and {self.log.path.name} with {number}: "
                "the journal or its write-ahead log was cut off."
            )
        return history

    def _repair_log(self) -> None:
        """Append the entries that an earlier, killed process wrote to the journal and not to the log.

        Raises:
            DamagedJournalError: The log lacks more than one result, so it was cut off.
        """
        self.log.drop_torn_line()
        missing = list(self._connection.entries("where number > ?", (self._logged[0],)))
        if sum(entry.kind == RESULT for entry in missing) > 1:
            raise DamagedJournalError(f"{self.log.path} was cut off: it lacks {len(missing)} entries of the journal.")
        self.log.append(missing)

    def _backed_up(self) -> int:
        """Return the number of the newest backup's last entry; 0 without a backup of this journal."""
        newest = backups(self.folder)[0]
        try:
            with closing(Database.open(newest, "ro")) as backup:
                last = list(backup.entries("where number = (select max(number) from entries)"))
        except (sqlite3.Error, ArenaError, ValueError):
            return 0
        return last[0].number if last and self.has(f"{last[0].number}:{last[0].hash}") else 0

    def append(self, *written: tuple[str, str, Any]) -> None:
        """Write entries in one transaction.

        Args:
            written: Kind, key and document of each entry.

        Raises:
            TooLargeEntryError: An entry is larger than its limit. Nothing is written.
            TournamentDiskError: The disk cannot be written. Nothing is written.
        """
        history = self.history
        texts = [_checked(kind, key, text_of(document)) for kind, key, document in written]
        entries = list(chained(texts, history.number, history.hash))
        self._log()
        with self._transaction() as connection:
            connection.insert(entries)
        for entry in entries:
            history.add(entry)
        self._unlogged = entries
        with suppress(TournamentDiskError):  # the entries are safe in the database, and the next call tries again
            self._log()

    def _log(self) -> None:
        """Write the entries that the log lacks. It never lacks more than those of one transaction."""
        if self._unlogged:
            self.log.append(self._unlogged)
            self._unlogged = []

    def back_up(self, *, final: bool = False) -> bool:
        """Make a backup of the journal if enough entries are newer than the last backup. Return whether it was made.

        Args:
            final: Whether to make a backup even if only one entry was added.
        """
        if self.history.number - self._saved <= (0 if final else self.history.number // _GROWTH):
            return False
        with disk_errors(self.folder / BACKUPS):
            newest = backups(self.folder, _KEPT)
            for older, newer in zip(reversed(newest), reversed(newest[:-1]), strict=False):
                if newer.exists():
                    newer.replace(older)
            self._copy(self._connection, newest[0].stem)
        self._saved = self.history.number
        return True

    def copy_to(self, target: Path) -> None:
        """Write a copy of the journal to a file."""
        self._write_copy(self._connection, target)

    def _copy(self, connection: Database, name: str) -> None:
        self._write_copy(connection, self.folder / BACKUPS / f"{name}.db")

    def _write_copy(self, connection: Database, target: Path) -> None:
        temporary = target.with_suffix(".new")
        with disk_errors(target), self.errors():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            temporary.unlink(missing_ok=True)
            connection.execute("vacuum into ?", (str(temporary),))
            temporary.replace(target)

    def entries(self) -> Iterator[Entry]:
        """Yield all stored entries in order of their numbers. Do not decode or check them."""
        with self.errors():
            yield from self._connection.entries()

    def match(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        """Return the only match whose id begins with this text, and its result; None if there is not exactly one."""
        with self.errors():
            found = self._connection.result(match_id)
        return self._played(found) if found else None

    def _played(self, entry: Entry) -> tuple[MatchSpec, MatchResult]:
        try:
            return read_played(entry.text or "")
        except Exception as error:  # the document can be anything
            raise DamagedJournalError(f"The journal {self.path} cannot be read at {entry.name}: {error!r}.") from error

    def has(self, head: str) -> bool:
        """Return whether the journal has an entry with the number and the chain hash in `head`, as `NUMBER:HASH`."""
        number, _, chain = head.partition(":")
        with self.errors():
            found = list(self._connection.entries("where number = ?", (number,)))
        return [entry.hash for entry in found] == [chain]

    def count(self) -> int:
        """Return the number of results, including discarded results."""
        with self.errors():
            [(count,)] = self._connection.rows("select count(*) from entries where kind = 'result'")
            return int(count)

    def commit(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Record a result: move its replay, then write the entry. Only the first result of a match counts.

        If a second result has another outcome, record a conflict.

        Returns:
            Whether this was the first result.
        """
        known = self.match(spec.match_id)
        if known is not None:
            self._second_result(spec, known[1], result)
            return False
        if result.replay:
            digest = keep_replay(self.folder, spec.match_id, Path(result.replay))
            place = replay_path(self.folder, spec.match_id).relative_to(self.folder)
            result = replace(result, replay=str(place), replay_hash=digest)
        document = {"spec": spec.to_document(), "outcome": result.brief().to_document(), "at": now()}
        self.append((RESULT, spec.match_id, document))
        return True

    def _second_result(self, spec: MatchSpec, first: MatchResult, second: MatchResult) -> None:
        if second.replay:
            Path(second.replay).unlink(missing_ok=True)
        if not first.agrees_with(second):
            self.append(("conflict", spec.match_id, {"outcome": second.brief().to_document(), "at": now()}))

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


class Journal(EntryJournal[History]):
    """The journal of one tournament.

    Args:
        folder: The tournament's folder.
        read_only: Whether to open the journal for reading only. Only the process that runs the tournament writes.

    Raises:
        ArenaError: The journal cannot be used, or was changed; or `read_only` is true and the journal does not exist.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, History(folder / FILE), read_only=read_only)

    def read_kinds(self, *kinds: str) -> History:
        """Return a history with the entries of these kinds only. Do not check the chain."""
        history = History(self.path)
        with self.errors():
            where = f"where +kind in ({', '.join('?' * len(kinds))})"  # without an index, nothing must be sorted
            for entry in self._connection.entries(where, kinds):
                history.take(entry)
        return history

    def pair(self, rounds: Iterable[PairedRound]) -> None:
        """Write paired rounds, and make a backup if one is due. Call this before a match of these rounds is played."""
        written = [("round", paired.stage, paired.to_document()) for paired in rounds]
        if written:
            self.append(*written)
            self.back_up()

    def add_void(self, spec: MatchSpec, reason: str, killed: Killed | None = None) -> int:
        """Record that a match was void and is played again. Return how often this has happened to the match."""
        document = {"reason": reason, "at": now()} | ({"killed": killed} if killed else {})
        self.append(("void", spec.match_id, document))
        return self.history.voids[spec.match_id]


def _checked(kind: str, key: str, text: str) -> tuple[str, str, str]:
    """Return the parts of an entry, if the entry is within its limit."""
    limit = _LARGEST_LIST if kind in _LISTS else LARGEST
    if (size := len(key.encode()) + len(text)) > limit:  # the text is ASCII
        raise TooLargeEntryError(kind, key, size, limit)
    return kind, key, text


@contextmanager
def permanent(history: Fold) -> Iterator[None]:
    """Disable garbage collection while entries are read. After each `_MANY` entries, call `gc.freeze`.

    Otherwise, a garbage collection of all results of a long tournament would stop the pages for half a second.
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
    """Return whether a folder has files of a tournament, even if some are missing."""
    names = (FILE, LOG, f"{BACKUPS}/*.db", "replays/*/*.arena")
    return any(next(folder.glob(name), None) is not None for name in names)


def backups(folder: Path, count: int = _KEPT) -> list[Path]:
    """Return the paths at which the backups of a journal are stored, the newest first. The files need not exist."""
    return [folder / BACKUPS / f"journal-{number}.db" for number in range(1, count + 1)]


def now() -> str:
    """Return the current time in the form of the journal."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
