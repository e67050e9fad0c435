"""A damaged contest comes back from journal, backups and replays, or is refused by name; nothing is lost unnamed."""

import contextlib
import random
import re
import shutil
import sqlite3
import time
from types import SimpleNamespace

import pytest
from contest_commands import contest as command
from contests_toys import add_team, add_version, do, ladder_bytes, opened, write_config

from arena.bots.bot import load_bot
from arena.contests.ladder import challenge
from arena.contests.running import Loop
from arena.contests.session import make_engine
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode
from arena.journal.chain import LOST, RESULT
from arena.journal.sources import read_database
from arena.matches.copies import copy_bot

pytestmark = pytest.mark.process
PLAYED = 14


def enter(contest, team):
    """Let a team hand in a bot, with its files, that passes its check."""
    add_team(contest, team)
    bot = load_bot("builtin:pianist" if team == "Red" else "builtin:sheriff", contest.game)
    add_version(contest, team, content=bot.content_hash, path=copy_bot(bot, contest.folder))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a contest that was killed: matches, an act and a challenge, and entries that no backup has."""
    folder = tmp_path_factory.mktemp("played")
    path = write_config(folder, ('isolation = "bwrap" ', 'isolation = "none" '))
    path.write_text(path.read_text() + "\n[options]\nmax_turns = 4\n")
    copied = tmp_path_factory.mktemp("killed") / "place"
    with opened(path) as contest:
        for team in ("Red", "Blue"):
            enter(contest, team)
        loop = Loop(contest, make_engine(contest), stays=True)
        loop.start()
        end = time.monotonic() + 120
        while len(contest.state.played) < PLAYED:
            assert time.monotonic() < end, loop.problem
            time.sleep(0.05)
            if len(contest.state.played) == PLAYED // 2 and not contest.state.acts:
                do(contest, "void", next(one.id for one in contest.state.played.values() if one.is_public))
                challenge(contest, "Red", "Blue")
        loop.close()
        do(contest, "announce")
        shutil.copytree(folder, copied)
    return copied


@pytest.fixture
def place(played, tmp_path):
    shutil.copytree(played, tmp_path / "place")
    return tmp_path / "place"


def arena(name, *words):
    done = command(name, *words, cwd="/")
    assert "Traceback" not in done.stderr
    return SimpleNamespace(exit_code=done.returncode, output=" ".join((done.stdout + done.stderr).split()))


def content(place):
    """Return all that the pages of a contest show."""
    with opened(place / "contest.toml") as contest:
        state = contest.state
        return (ladder_bytes(contest), sorted(state.played), list(state.acts), list(state.encounters),
                {key: str(one) for key, one in state.members.items()}, sorted(state.tokens))  # fmt: skip


def problems_of(folder):
    try:
        return verify(folder).problems
    except ArenaError as error:
        return [error.message]


KINDS = ("journal.db", "journal.db-wal", "backups/journal-1.db", "replays/*/*.arena", "bots/*/*.py")


def damage(folder, rng):
    """Damage one file, or the journal and a backup, at random; return the files."""
    chosen = [rng.choice(KINDS)] if rng.random() < 0.8 else rng.sample(KINDS[:4], 2)
    paths = [rng.choice(found) for kind in chosen if (found := sorted(folder.glob(kind)))]
    for path in paths:
        data = bytearray(path.read_bytes())
        match rng.choice(("flip", "flip", "block", "cut", "gone", "row")):
            case "row" if path.suffix == ".db":
                change_a_row(path, rng)
                continue
            case "block":
                at = rng.randrange(len(data))
                data[at : at + 512] = rng.randbytes(len(data[at : at + 512]))
            case "cut":
                del data[rng.randrange(len(data)) :]
            case "gone":
                path.unlink()
                continue
            case _:
                at = rng.randrange(len(data))
                data[at] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
    return paths


def change_a_row(path, rng):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        [(last,)] = connection.execute("select max(number) from entries")
        number = rng.randint(2, last)
        if rng.random() < 0.5:
            connection.execute("delete from entries where number = ?", (number,))
        else:
            connection.execute("update entries set document = '{}' where number = ?", (number,))


def entries_of(path):
    return {number: one for number, one in read_database(path).entries.items() if one.text is not None}


def is_named(path, problems):
    return any(path.name in one or path.parent.name in one for one in problems)


def check_damage(played, place, seed):
    """Damage a copy of a contest. Return "repaired", "named" (and refused), or "unused bytes"."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(played, place)
    folder, true = place / "contest", entries_of(played / "contest" / "journal.db")
    paths = damage(folder, random.Random(seed))
    where = (seed, [path.relative_to(folder).as_posix() for path in paths])
    problems = problems_of(folder)
    for path in paths:
        if path.suffix in (".arena", ".py"):
            assert is_named(path, problems) or any("were not compared" in one for one in problems), (where, problems)
    if not problems:
        left = entries_of(folder / "journal.db")
        lacking = true.keys() - left.keys()
        assert all(left[number] == true[number] for number in left), where
        assert not lacking or {path.name for path in paths} == {"journal.db-wal"}, where
        return "unused bytes"
    # What a backup or replay holds: each entry of the backups, and each result whose replay is whole.
    held = set()
    for backup in folder.glob("backups/*.db"):
        held |= {number for number, one in entries_of(backup).items() if true.get(number) == one}
    done = arena("rebuild", str(place))
    if done.exit_code == ExitCode.DAMAGED_JOURNAL and "are lost" not in done.output:
        assert not held or 1 not in held, where
        assert "restore a backup" in done.output, where
        return "named"
    assert done.exit_code in (0, ExitCode.DAMAGED_JOURNAL), (where, done.output)
    left = problems_of(folder)
    assert not [one for one in left if "journal" in one or "backup" in one], (where, left)
    for path in paths:
        assert path.suffix not in (".arena", ".py") or is_named(path, [*left, done.output]), (where, left)
    after = entries_of(folder / "journal.db")
    lost = {number for number, one in after.items() if one.kind == LOST}
    for number in held:
        assert (after[number].kind, after[number].text) == (true[number].kind, true[number].text), (where, number)
    whole = {
        path.stem
        for path in folder.glob("replays/*/*.arena")
        if path.read_bytes() == (played / path.relative_to(place)).read_bytes()
    }
    assert whole <= {one.key for one in after.values() if one.kind == RESULT}, where
    for number in lost:
        assert f"entry {number}" in done.output or after[number].key.rpartition(" ")[2].rstrip(")") in done.output, (
            where
        )
    if any("The stored copy of the bot" in one for one in left):  # neither the journal nor a replay holds it
        return "named"
    with opened(place / "contest.toml"):
        pass
    return "repaired"


def test_random_damages_are_repaired_or_refused_by_name(played, tmp_path):
    found = [check_damage(played, tmp_path / "copy", seed) for seed in range(12)]
    assert found.count("repaired") > 4


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_a_hundred_random_damages_are_repaired_or_refused_by_name(played, tmp_path):
    found = [check_damage(played, tmp_path / "copy", seed) for seed in range(1000, 1100)]
    print({one: found.count(one) for one in set(found)})
    assert found.count("repaired") > 50


def test_an_intact_contest_has_no_problems(place):
    done = arena("verify", str(place), "--rules")
    assert done.exit_code == 0, done.output
    assert "results are unchanged" in done.output
    assert re.search("[1-9] versions of bots are unchanged", done.output)


def test_one_changed_entry_is_named_and_restored(place):
    before = content(place)
    with contextlib.closing(sqlite3.connect(place / "contest/journal.db", isolation_level=None)) as connection:
        connection.execute("update entries set document = replace(document, 'Red person', 'Eve') where kind = 'text'")
    done = arena("run", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert "`arena contest rebuild`" in done.output
    assert "is not what was written" in arena("verify", str(place)).output
    done = arena("rebuild", str(place))
    assert done.exit_code == 0, done.output
    assert content(place) == before
    assert arena("verify", str(place)).exit_code == 0


def test_a_backup_that_was_copied_over_the_journal_gets_its_later_results_from_the_replays(place):
    folder = place / "contest"
    true = read_database(folder / "journal.db").entries
    results = {one.key for one in true.values() if one.kind == RESULT}
    old = sorted(folder.glob("backups/*.db"))[-1]
    kept = len(read_database(old).sound())
    assert kept < len(true) - 1
    for path in folder.glob("journal.*"):
        path.unlink()
    shutil.copy(old, folder / "journal.db")
    shutil.rmtree(folder / "backups")
    assert any("was cut off" in one for one in problems_of(folder))
    done = arena("rebuild", str(place))
    assert f"The last entry that could be read is number {kept}." in done.output
    assert {one.key for one in read_database(folder / "journal.db").entries.values() if one.kind == RESULT} == results
    with opened(place / "contest.toml") as contest:
        assert set(contest.state.played) == results
        for one in contest.state.played.values():
            assert sorted(one.players) == sorted(contest.state.encounters[one.encounter].players)


def test_lost_entries_are_named_and_the_others_keep_their_numbers(place):
    folder = place / "contest"
    before = read_database(folder / "journal.db").entries
    shutil.rmtree(folder / "backups")
    number, key = next((one.number, one.key) for one in before.values() if one.kind == "report")
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as connection:
        connection.execute("update entries set document = '{}' where number = ?", (number,))
    done = arena("rebuild", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert f"1 other entries are lost: entry {number} (report {key})." in done.output
    after = read_database(folder / "journal.db").entries
    assert [one.number for one in after.values() if one.kind == LOST] == [number]
    assert all(after[one].text == before[one].text for one in before if one != number)
    assert verify(folder).problems == []


def test_without_any_journal_a_contest_is_not_invented(place):
    folder = place / "contest"
    for path in (*folder.glob("journal.*"), *folder.glob("backups/*")):
        path.unlink()
    files = files_of(place)
    done = arena("rebuild", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert "restore a backup" in done.output
    assert files_of(place) == files, "also no folder is left"


def files_of(place):
    return sorted(path for path in place.rglob("*") if path.name != "lock")
