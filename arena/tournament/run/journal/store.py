"""The journal: the only truth about what was played. All else is derived from it.

One SQLite database with a write-ahead log and full synchronisation, one writer, one transaction for each match; the
replay is in its place before the row is written, and no result is reported before its row is committed.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.match.result import MatchResult
from arena.tournament.plan.config import Tournament, changes
from arena.tournament.plan.schedule import Slot
from arena.tournament.plan.values import MatchSpec
from arena.tournament.run.journal.files import (
    TournamentDiskError,
    disk_errors,
    file_system_of,
    is_network,
    keep_replay,
    replay_path,
)
from arena.tournament.run.journal.results import read_result
from arena.tournament.run.journal.schema import check_version, migrate

FILE = "journal.db"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A match that was played twice with different outcomes: the game is not deterministic, or the host lies."""

    match_id: str
    result: MatchResult
    at: str


class Journal:
    """The journal of one tournament.

    Args:
        folder: The tournament's folder.
        read_only: For everybody but the one organizing process.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        self.warning = ""
        self._path = folder / FILE
        self._config = 0
        if read_only and not self._path.exists():
            raise ArenaError(
                f"There is no tournament in {folder}.", hint="`arena tournament run` starts one.", exit_code=2
            )
        if not read_only:
            with disk_errors(folder):
                (folder / "replays").mkdir(parents=True, exist_ok=True)
        with self._errors():
            self._connection = self._connect(read_only)

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        if read_only:
            return self._connect_to_read()
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=30.0)
        try:
            kind = file_system_of(self.folder)
            if is_network(kind):
                # The log's shared memory does not work between machines.
                connection.execute("pragma journal_mode = delete")
                self.warning = f"{self.folder} lies on {kind}: the journal works without write-ahead log, slower."
            else:
                connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            self._check(connection)
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        # A folder that may not be written cannot hold the log's shared memory; as nobody writes, it is not needed.
        for options in ("mode=ro", "mode=ro&immutable=1"):
            connection = sqlite3.connect(
                f"{self._path.resolve().as_uri()}?{options}", uri=True, isolation_level=None, timeout=30.0
            )
            try:
                connection.execute("select count(*) from meta")
                check_version(connection)
            except sqlite3.OperationalError:
                connection.close()
                if "immutable" in options:
                    raise
                continue
            except BaseException:
                connection.close()
                raise
            return connection
        raise AssertionError("unreachable")

    def _check(self, connection: sqlite3.Connection) -> None:
        answer = connection.execute("pragma quick_check(1)").fetchone()[0]
        if answer != "ok":
            raise sqlite3.DatabaseError(answer)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text = str(error).splitlines()[0]
            raise TournamentDiskError(
                f"The journal {self._path} cannot be used: {text}.",
                hint="Nothing was recorded that is not true. Make room or put back a copy, then run it again.",
            ) from error
        except ValueError as error:
            raise TournamentDiskError(f"The journal {self._path} cannot be used: {error}.") from error

    def close(self) -> None:
        """Close the journal."""
        self._connection.close()

    def meta(self, key: str) -> str | None:
        """Return a fact about the tournament, such as its id."""
        with self._errors():
            row = self._connection.execute("select value from meta where key = ?", (key,)).fetchone()
        return row[0] if row else None

    def begin(self, tournament: Tournament, *, amend: bool = False) -> None:
        """Write the configuration down, or checks that it is the one the tournament was started with.

        Raises:
            ArenaError: Where the configuration has changed and `amend` is not set.
        """
        fingerprint = tournament.config.fingerprint(tournament.entrants)
        with self._errors():
            last = self._connection.execute(
                "select version, fingerprint from configs order by version desc limit 1"
            ).fetchone()
        if last and last[1] == fingerprint:
            self._config = last[0]
            return
        if last and self.meta("game") != tournament.config.game:
            raise ArenaError(
                f"The tournament in {self.folder} plays {self.meta('game')}, not {tournament.config.game}."
            )
        if last and not amend:
            changed = ", ".join(changes(self.configuration()[1], tournament.to_document())) or "the configuration"
            raise ArenaError(
                f"Since the tournament was started, this has changed: {changed}.",
                hint="Put it back, or take the change for what is still to be played with --amend.",
                exit_code=ExitCode.CHANGED,
            )
        self._config = last[0] + 1 if last else 1
        document = json.dumps(tournament.to_document(), sort_keys=True)
        with self._transaction() as connection:
            facts = {"id": tournament.id, "secret": tournament.secret, "game": tournament.config.game}
            connection.executemany("insert or ignore into meta values (?, ?)", facts.items())
            connection.execute("insert into configs values (?, ?, ?, ?)", (self._config, fingerprint, document, _now()))

    def configuration(self) -> tuple[int, dict[str, Any]]:
        """Return version and document of the configuration that holds now."""
        with self._errors():
            row = self._connection.execute(
                "select version, document from configs order by version desc limit 1"
            ).fetchone()
        if row is None:
            raise ArenaError(f"The tournament in {self.folder} has not been started.")
        return row[0], json.loads(row[1])

    def results(self) -> dict[Slot, MatchResult]:
        """Return all outcomes, by their place in the schedule."""
        found = {}
        with self._errors():
            for text, outcome in self._connection.execute("select spec, outcome from results order by rowid"):
                spec = json.loads(text)
                names = tuple(seat["name"] for seat in spec["seats"])
                slot = (spec["stage"], spec["round"], spec["pairing"], spec["number"], names)
                found[slot] = read_result(outcome)
        return found

    def matches(self) -> Iterator[tuple[MatchSpec, MatchResult]]:
        """Return all matches with their outcomes, in the order in which they were committed."""
        with self._errors():
            for spec, outcome in self._connection.execute("select spec, outcome from results order by rowid"):
                yield MatchSpec.from_document(json.loads(spec)), read_result(outcome)

    def matches_after(self, row: int) -> Iterator[tuple[int, MatchSpec, MatchResult]]:
        """Return the matches that were committed after a row, with their rows; 0 for all."""
        query = "select rowid, spec, outcome from results where rowid > ? order by rowid"
        with self._errors():
            for number, spec, outcome in self._connection.execute(query, (row,)):
                yield number, MatchSpec.from_document(json.loads(spec)), read_result(outcome)

    def count(self) -> int:
        """Return how many results there are."""
        with self._errors():
            return int(self._connection.execute("select count(*) from results").fetchone()[0])

    def match(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        """Return one match by its id, or by a beginning of it that is like no other's."""
        with self._errors():
            rows = self._connection.execute(
                "select spec, outcome from results where match_id >= ? and match_id < ? || 'g' limit 2",
                (match_id, match_id),
            ).fetchall()
        if len(rows) != 1:
            return None
        spec, outcome = rows[0]
        return MatchSpec.from_document(json.loads(spec)), read_result(outcome)

    def commit(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Record a result for good: replay first, then the row. The first result of a match stands.

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
        row = (
            spec.match_id, self._config, json.dumps(spec.to_document(), separators=(",", ":")),
            json.dumps(result.brief().to_document(), separators=(",", ":")), result.replay_hash, _now(),
        )  # fmt: skip
        with self._transaction() as connection:
            connection.execute("insert into results values (?, ?, ?, ?, ?, ?) on conflict do nothing", row)
        return True

    def _second_result(self, spec: MatchSpec, first: MatchResult, second: MatchResult) -> None:
        if second.replay:
            Path(second.replay).unlink(missing_ok=True)
        if first.agrees_with(second):
            return
        with self._transaction() as connection:
            connection.execute(
                "insert into conflicts (match_id, outcome, at) values (?, ?, ?)",
                (spec.match_id, json.dumps(second.brief().to_document()), _now()),
            )

    def conflicts(self) -> list[Conflict]:
        """Matches that were played twice with different outcomes."""
        with self._errors():
            rows = self._connection.execute("select match_id, outcome, at from conflicts order by number").fetchall()
        return [Conflict(row[0], read_result(row[1]), row[2]) for row in rows]

    def add_void(self, spec: MatchSpec, reason: str) -> int:
        """Note that a match must be replayed; returns how often that has happened now."""
        with self._transaction() as connection:
            attempt = 1 + int(
                connection.execute("select count(*) from voids where match_id = ?", (spec.match_id,)).fetchone()[0]
            )
            connection.execute("insert into voids values (?, ?, ?, ?)", (spec.match_id, attempt, reason, _now()))
        return attempt

    def voids(self) -> dict[str, int]:
        """Return how often each match was void."""
        with self._errors():
            return dict(self._connection.execute("select match_id, count(*) from voids group by match_id"))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
