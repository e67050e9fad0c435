"""The tables of the journal, and how an older journal is brought up to date."""

import sqlite3
from collections.abc import Mapping

TABLES = """
create table meta (key text primary key, value text not null) without rowid;
create table configs (
    version integer primary key, fingerprint text not null, document text not null, at text not null
);
create table results (
    match_id text primary key,
    config integer not null references configs (version),
    spec text not null,
    outcome text not null,
    replay_hash text not null,
    at text not null
);
create table conflicts (
    number integer primary key, match_id text not null, outcome text not null, at text not null
);
create table voids (
    match_id text not null, attempt integer not null, reason text not null, at text not null,
    primary key (match_id, attempt)
) without rowid;
"""
VERSION = 1
MIGRATIONS: Mapping[int, str] = {}
"""For each older version the statements that lead to the next one."""


def check_version(connection: sqlite3.Connection, version: int = VERSION) -> int:
    """Return the version of the database.

    Raises:
        ValueError: Where a newer program has written it.
    """
    found = int(connection.execute("pragma user_version").fetchone()[0])
    if found > version:
        raise ValueError(f"it has version {found}, and this program knows versions up to {version}")
    return found


def migrate(
    connection: sqlite3.Connection,
    *,
    tables: str = TABLES,
    version: int = VERSION,
    migrations: Mapping[int, str] = MIGRATIONS,
) -> None:
    """Bring the database to the newest version, each step in a transaction of its own.

    Raises:
        ValueError: Where a newer program has written the database.
    """
    found = check_version(connection, version)
    while found < version:
        steps, following = (tables, version) if found == 0 else (migrations[found], found + 1)
        connection.executescript(f"begin immediate; {steps}; pragma user_version = {following}; commit;")
        found = following
