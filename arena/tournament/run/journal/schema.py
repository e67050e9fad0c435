"""The table of the journal, and the migration of older journals."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from arena.tournament.run.journal.chain import DamagedJournalError, Entry
from arena.tournament.run.journal.files import disk_errors

VERSION = 2
_TABLE = """
create table entries (
    number integer primary key, kind text not null, key text not null, document text not null,
    digest text not null, hash text not null
)"""
_INDEXES = (
    "create index entries_by_key on entries (kind, key)",
    "create unique index one_result on entries (key) where kind = 'result'",
)
_OLD_TABLES = ("results", "configs", "conflicts", "voids", "meta")
"""The tables of version 1, in an order in which they can be dropped."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the database; 0 for a new one.

    Raises:
        ValueError: A newer program has written it.
    """
    found = int(connection.execute("pragma user_version").fetchone()[0])
    if found > VERSION:
        raise ValueError(f"it has version {found}, and this program knows versions up to {VERSION}")
    return found


def create(connection: sqlite3.Connection, entries: Iterable[Entry] = ()) -> None:
    """Create the table with these entries and drop the tables of an older version, in one transaction."""
    connection.execute("begin immediate")
    connection.execute(_TABLE)
    for statement in _INDEXES:
        connection.execute(statement)
    insert(connection, entries)
    for table in _OLD_TABLES:
        connection.execute(f"drop table if exists {table}")
    connection.execute(f"pragma user_version = {VERSION}")
    connection.execute("commit")


def insert(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Write entries."""
    rows = ((one.number, one.kind, one.key, one.text, one.digest, one.hash) for one in entries)
    connection.executemany("insert into entries values (?, ?, ?, ?, ?, ?)", rows)


def select(connection: sqlite3.Connection, where: str = "", values: tuple[Any, ...] = ()) -> Iterator[Entry]:
    """Yield the entries that meet an SQL condition, in order of their numbers; all entries without a condition.

    Args:
        connection: The database.
        where: The condition, with the keyword `where`.
        values: The values for the placeholders in the condition.
    """
    columns = "number, kind, key, document, digest, hash"
    for row in connection.execute(f"select {columns} from entries {where} order by number", values):
        yield Entry(*row)


def written_by_version_1(connection: sqlite3.Connection, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Convert a journal of version 1 and the file of excluded bots to entries, as (kind, key, text)."""
    facts = dict(connection.execute("select key, value from meta"))
    if not facts:
        return
    facts["rules"] = int(facts.get("rules", 1))
    yield "start", "", text_of(facts)
    results = list(connection.execute("select match_id, config, spec, outcome, at from results order by rowid"))
    excluded = _excluded(folder / "excluded.json")
    begun = 0
    for version, document, at in connection.execute("select version, document, at from configs order by version"):
        yield "config", "", text_of({**json.loads(document), "excluded": excluded, "at": at})
        while begun < len(results) and results[begun][1] <= version:
            match_id, _, spec, outcome, committed = results[begun]
            document = {"spec": json.loads(spec), "outcome": json.loads(outcome), "at": committed}
            yield "result", match_id, text_of(document)
            begun += 1
    for match_id, reason, at in connection.execute("select match_id, reason, at from voids order by at"):
        yield "void", match_id, text_of({"reason": reason, "at": at})
    for match_id, outcome, at in connection.execute("select match_id, outcome, at from conflicts order by number"):
        yield "conflict", match_id, text_of({"outcome": json.loads(outcome), "at": at})


def text_of(document: Any) -> str:
    """Return a document as JSON text that is always the same for the same document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _excluded(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        with disk_errors(path):
            found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise DamagedJournalError(f"{path} is damaged.", "Restore it, or remove it to let all bots take part.")
    return {str(key): str(value) for key, value in found.items()}
