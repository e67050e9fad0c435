"""A journal that a stranger has made hangs no command, fills no memory or disk, and runs nothing of its schema."""

import contextlib
import json
import os
import resource
import shutil
import sqlite3
import struct
from pathlib import Path

import pytest
from contest_commands import contest
from contests_toys import begin, result_of, toys, write_toys

from arena.contests.config import StageConfig
from arena.contests.contest_journal import ContestJournal
from arena.contests.journal.chain import chained
from arena.contests.journal.database import Database
from arena.contests.journal.store import backups
from arena.contests.open_contest import read_contest
from arena.contests.rebuild import rebuild
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode

pytestmark = pytest.mark.slow

STAGE = StageConfig("league", "round_robin")
RESULTS = 12
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n)"
AS_ENTRIES = "i as number, 'start' as kind, '' as key, '{}' as document, '' as digest, '' as hash"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder above a contest with some results, whose journal has no write-ahead log."""
    above = tmp_path_factory.mktemp("played")
    with toys(write_toys(above, STAGE), 4) as opened:
        for spec in begin(opened):
            opened.commit(spec, result_of(0))
    with contextlib.closing(sqlite3.connect(above / "league" / "journal.db")) as connection:
        connection.execute("pragma journal_mode = delete")
    return above


@pytest.fixture
def folder(played, tmp_path):
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path / "league"


def script(*statements):
    """A damage: SQL that is run on the journal."""

    def change(path):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return change


def beside_the_table(sql):
    """A damage: SQL that is added to the schema without being checked."""
    kind, name = sql.split()[1:3]
    return script(
        "pragma writable_schema = on",
        f"insert into sqlite_master values ('{kind}', '{name}', '{name}', 0, '{sql.replace(chr(39), chr(39) * 2)}')",
    )


def endless_table(path):
    """A damage: a B-tree whose pages contain each other's children again and again, so that it has endless rows."""
    data = bytearray(path.read_bytes())
    size, depth = 4096, 8
    root = int(sqlite3.connect(path).execute("select rootpage from sqlite_master where name = 'entries'").fetchone()[0])
    first = len(data) // size + 1
    data += data[(root - 1) * size : root * size]  # the old root, a leaf or an interior page of one level
    for level in range(1, depth):
        data += interior_page(first + level - 1)
    data[(root - 1) * size : root * size] = interior_page(first + depth - 1)
    data[28:32] = struct.pack(">I", len(data) // size)
    path.write_bytes(data)


def interior_page(child, cells=400):
    body = b"".join(struct.pack(">I", child) + bytes([1 + number % 100]) for number in range(cells))
    start = 4096 - len(body)
    pointers = b"".join(struct.pack(">H", start + 5 * number) for number in range(cells))
    head = struct.pack(">BHHHBI", 5, 0, cells, start, 0, child) + pointers
    return head + bytes(start - len(head)) + body


def appended(*written):
    """A damage: a valid chain with more entries."""

    def change(path):
        with contextlib.closing(Database.open(path)) as database:
            *_, last = database.entries()
            database.insert(chained(written, last.number, last.hash))

    return change


def forged(kind, field, value, key):
    """A damage: a valid chain, in which the last entry of a kind has another value."""

    def change(path):
        with contextlib.closing(Database.open(path)) as database:
            document = json.loads([one.text for one in database.entries() if one.kind == kind][-1])
        (document["outcome"] if kind == "result" else document)[field] = value
        appended((kind, key, json.dumps(document)))(path)

    return change


def fifo(path):
    path.unlink()
    os.mkfifo(path)


def kernel_log(path):
    path.unlink()
    path.symlink_to("/proc/kmsg")


def overwritten(path):
    data = path.read_bytes()
    path.write_bytes(data[:4096] + os.urandom(8192) + data[12288:])


DAMAGES = {
    "no database": lambda path: path.write_bytes(b"this is no database" * 100),
    "random pages": overwritten,
    "a view without end": script(
        "alter table entries rename to kept", f"create view entries as {ENDLESS} select {AS_ENTRIES} from n"
    ),
    "a virtual table": script("drop table entries", "create virtual table entries using fts5(number, kind)"),
    "a view beside the table": script("create view more as select * from entries"),
    "a trigger": script(
        f"create trigger t before insert on entries begin select count(*) from ({ENDLESS} select i from n); end"
    ),
    "an index of an expression": script("create index i on entries (length(hex(document)))"),
    "a generated column": script("alter table entries add column more text as (hex(zeroblob(100000000)))"),
    "a check": script(
        "alter table entries rename to kept",
        "create table entries (number integer primary key, kind text not null, key text not null, "
        "document text not null, digest text not null, hash text check (length(hex(zeroblob(9999999))) > 0))",
        "insert into entries select * from kept",
        "drop table kept",
    ),
    "an invalid view": beside_the_table("create view v as nonsense"),
    "a long schema": beside_the_table(f"create view v as select {'-' * 900_000}1"),
    "a table without end": endless_table,
    "bytes in the place of texts": script("update entries set document = cast(document as blob) where number = 2"),
    "texts that are no Unicode": script("update entries set key = cast(x'ff' as text) where number = 2"),
    "a huge text": script("update entries set document = cast(zeroblob(80000000) as text) where number = 2"),
    "a nested document": appended(("config", "", "[" * 100_000)),
    "documents of other types": appended(
        *(("config", "", json.dumps(one)) for one in ([1], {"stages": 7}, None, {"outcome": "x"}))
    ),
    "a replay elsewhere": forged("result", "replay", "/proc/kmsg", "0123456789abcdef"),
    "a replay above": forged("result", "replay", "../league/journal.db", "0123456789abcdef"),
    "a bot elsewhere": forged("version", "path", "/proc", "e1/2"),
    "a bot above": forged("version", "path", "bots/../../x", "e1/2"),
    "a pipe": fifo,
    "a link to the kernel's log": kernel_log,
}

FORGED = {name for name in DAMAGES if name.startswith(("a nested", "documents", "a replay", "a bot"))}
"""Damages with a valid chain."""


def run(folder):
    with toys(folder.with_suffix(".toml"), 4):
        pass


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.promise("journal-schema", "journal-paths")
def test_every_reader_refuses_it_soon_and_it_is_rebuilt_from_what_is_sound(folder, name):
    DAMAGES[name](folder / "journal.db")
    for reader in (read_contest, run):
        with pytest.raises(ArenaError) as refused:
            reader(folder)
        assert refused.value.exit_code == ExitCode.DAMAGED_JOURNAL
        assert refused.value.message.isprintable()
    assert any("journal" in problem for problem in verify(folder).problems)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1_500_000, "in KiB"
    assert rebuild(folder, lambda _: []).results == RESULTS
    assert len(read_contest(folder).played) == RESULTS
    assert not verify(folder).problems


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", DAMAGES)
def test_a_strange_backup_is_left_alone(folder, name):
    DAMAGES[name](backups(folder)[0])
    if name in FORGED:  # a valid chain, which the journal does not continue
        with pytest.raises(ArenaError, match="does not continue its newest backup"):
            run(folder)
        return
    run(folder)
    assert len(read_contest(folder).played) == RESULTS


@pytest.mark.parametrize("name", ["backups", "replays", "bots", "work", "damaged-1", "replays/00", "bots/0", "lock"])
@pytest.mark.parametrize("writer", [run, lambda folder: rebuild(folder, lambda _: [])])
@pytest.mark.promise("folder-links")
def test_a_link_leads_no_command_out_of_the_folder(folder, tmp_path, name, writer):
    """Somebody sends a folder. Before, `rebuild` moved all files of what backups/ led to, and lock was overwritten."""
    own = tmp_path / "own"
    own.mkdir()
    names = ("thesis.txt", "0123456789abcdef.arena", "journal-1.db", "x.tmp.1")
    for file in names:
        (own / file).write_text("mine")
    place = folder / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(own / "thesis.txt" if name == "lock" else own)
    with pytest.raises(ArenaError, match="is a link") as refused:
        writer(folder)
    assert place.name in refused.value.message
    assert {file.name: file.read_text() for file in own.iterdir()} == dict.fromkeys(names, "mine")


def test_the_folder_itself_may_be_a_link(folder, tmp_path):
    """An organizer moves it to a larger disk."""
    folder.rename(tmp_path / "large")
    folder.symlink_to(tmp_path / "large")
    run(folder)


@pytest.mark.parametrize("command", ["standings", "matches", "verify"])
def test_a_command_ends_with_one_message(folder, command):
    DAMAGES["a view beside the table"](folder / "journal.db")
    done = contest(command, str(folder.with_suffix(".toml")), cwd="/")
    assert done.returncode == ExitCode.DAMAGED_JOURNAL, done.stderr
    assert "journal.db was not written by Arena: it has the view more." in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_true_rows_are_found_far_below_the_limit(tmp_path):
    """The limit of SQLite's instructions is for each row, however many rows there are."""
    written = [("void", str(number), json.dumps({"n": number})) for number in range(20_000)]
    with contextlib.closing(Database.open(tmp_path / "journal.db")) as database:
        database.create(chained(written))
        assert sum(1 for _ in database.entries()) == 20_000
        assert list(database.rows("pragma quick_check(1)")) == [("ok",)]
        assert list(database.rows("select count(*) from entries where kind = 'result'")) == [(0,)]
    with contextlib.closing(ContestJournal(Path(tmp_path / "new"))):
        pass
