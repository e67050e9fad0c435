"""A damaged season comes back from its journal, backups and replays, or is refused by name; nothing is lost unnamed."""

import contextlib
import random
import re
import shutil
import sqlite3
import time

import pytest
from click.testing import CliRunner
from seasons import ORGANIZER, add_team, opened, table_bytes, write_config

from arena.bots.bot import load_bot
from arena.cli import cli
from arena.errors import ArenaError, ExitCode
from arena.journal.chain import LOST, RESULT
from arena.journal.sources import read_database
from arena.journal.store import now
from arena.matches.copies import copy_bot
from arena.season.acts import act
from arena.season.matches import Matches, challenge
from arena.season.recovery import verify

pytestmark = pytest.mark.process
PLAYED = 14


def enter(season, team):
    """Let a team hand in a bot, with its files, that passes its check."""
    _, token = add_team(season, team)
    bot = load_bot("builtin:pianist" if team == "Red" else "builtin:sheriff", season.game)
    content, path = bot.content_hash, copy_bot(bot, season.folder)
    document = {"team": team, "number": 1, "hash": content, "path": path, "by": "test", "at": now(), "size": 1,
                "file": "bot.zip", "late": False}  # fmt: skip
    report = {"passed": True, "problem": "", "lines": [], "match": "", "at": now(), "seconds": 0.0}
    key = f"{team}/1"
    season.write(("version", key, document), ("report", key, report), ("activate", key, {"at": now()}))
    return token


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a season that was killed: matches, an act and a challenge, and entries that no backup has."""
    folder = tmp_path_factory.mktemp("played")
    path = write_config(folder, ('isolation = "bwrap" ', 'isolation = "none" '))
    path.write_text(path.read_text() + "\n[options]\nmax_turns = 4\n")
    copied = tmp_path_factory.mktemp("killed") / "place"
    with opened(path) as season:
        for team in ("Red", "Blue"):
            enter(season, team)
        matches = Matches(season)
        matches.start()
        end = time.monotonic() + 120
        while len(season.state.played) < PLAYED:
            assert time.monotonic() < end, matches.problem
            time.sleep(0.05)
            if len(season.state.played) == PLAYED // 2 and not season.state.acts:
                act(season, ORGANIZER, "void", {"subject": next(iter(season.state.played)), "reason": "a test"})
                challenge(season, "Red", "Blue")
        matches.stop()
        act(season, ORGANIZER, "announce", {"reason": "newer than all backups"})
        shutil.copytree(folder, copied)
    return copied


@pytest.fixture
def place(played, tmp_path):
    shutil.copytree(played, tmp_path / "place")
    return tmp_path / "place"


def arena(*words):
    done = CliRunner().invoke(cli, words, prog_name="arena")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def content(place):
    """Return all that the pages of a season show."""
    with opened(place / "season.toml") as season:
        state = season.state
        return (table_bytes(season), sorted(state.played), list(state.acts), list(state.encounters),
                {key: str(one) for key, one in state.members.items()}, sorted(state.tokens))  # fmt: skip


def problems_of(folder):
    try:
        return verify(folder).problems
    except ArenaError as error:
        return [error.message]


KINDS = ("journal.db", "journal.db-wal", "backups/journal-1.db", "replays/*/*.arena", "bots/*/*.py", "checkpoint")


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
    """Damage a copy of a season. Return "repaired", "named" (and refused), or "unused bytes"."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(played, place)
    folder, true = place / "season", entries_of(played / "season" / "journal.db")
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
    done = arena("season", "rebuild", str(place))
    if done.exit_code == ExitCode.DAMAGED_JOURNAL and "are lost" not in done.output:
        assert not held or 1 not in held, where
        assert "arena season restore" in done.output, where
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
    with opened(place / "season.toml"):
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


def test_an_intact_season_has_no_problems(place):
    done = arena("season", "verify", str(place), "--rules")
    assert done.exit_code == 0, done.output
    assert "results are unchanged" in done.output
    assert re.search("[1-9] versions of bots are unchanged", done.output)


def test_one_changed_entry_is_named_and_restored(place):
    before = content(place)
    with contextlib.closing(sqlite3.connect(place / "season/journal.db", isolation_level=None)) as connection:
        connection.execute("update entries set document = replace(document, 'Red person', 'Eve') where kind = 'member'")
    done = arena("season", "serve", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert "`arena season rebuild`" in done.output
    assert "tournament" not in done.output
    assert "is not what was written" in arena("season", "verify", str(place)).output
    done = arena("season", "rebuild", str(place))
    assert done.exit_code == 0, done.output
    assert content(place) == before
    assert arena("season", "verify", str(place)).exit_code == 0


def test_a_backup_that_was_copied_over_the_journal_gets_its_later_results_from_the_replays(place):
    folder = place / "season"
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
    done = arena("season", "rebuild", str(place))
    assert f"The last entry that could be read is number {kept}." in done.output
    assert {one.key for one in read_database(folder / "journal.db").entries.values() if one.kind == RESULT} == results
    with opened(place / "season.toml") as season:
        assert set(season.state.played) == results
        for one in season.state.played.values():
            assert sorted(one.players) == sorted(season.state.encounters[one.encounter].players)


def test_lost_entries_are_named_and_the_others_keep_their_numbers(place):
    folder = place / "season"
    before = read_database(folder / "journal.db").entries
    shutil.rmtree(folder / "backups")
    number = next(one.number for one in before.values() if one.kind == "report")
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as connection:
        connection.execute("update entries set document = '{}' where number = ?", (number,))
    done = arena("season", "rebuild", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert f"1 other entries are lost: entry {number} (report Red/1)." in done.output
    after = read_database(folder / "journal.db").entries
    assert [one.number for one in after.values() if one.kind == LOST] == [number]
    assert all(after[one].text == before[one].text for one in before if one != number)
    assert verify(folder).problems == []


def test_without_any_journal_a_season_is_not_invented(place):
    folder = place / "season"
    for path in (*folder.glob("journal.*"), *folder.glob("backups/*")):
        path.unlink()
    files = sorted(place.rglob("*"))
    done = arena("season", "rebuild", str(place))
    assert done.exit_code == ExitCode.DAMAGED_JOURNAL
    assert "arena season restore" in done.output
    assert sorted(path for path in place.rglob("*") if path.name != "lock") == [
        one for one in files if one.name != "lock"
    ]


@pytest.mark.parametrize("name", ["season.toml", "season", ""])
@pytest.mark.parametrize("command", ["run", "verify", "rebuild", "standings", "matches", "export", "serve", "tokens"])
def test_commands_for_tournaments_refuse_a_season_with_one_message(place, command, name):
    done = arena("tournament", command, str(place / name))
    assert done.exit_code == ExitCode.USAGE, done.output
    assert "season.toml belongs to a season." in done.output.replace("\n", " ")
    assert "Use the commands of `arena season`." in done.output.replace("\n", " ")


@pytest.mark.parametrize("command", ["serve", "verify", "rebuild", "backup"])
def test_commands_for_seasons_refuse_a_tournament_with_one_message(tmp_path, command):
    (tmp_path / "league.toml").write_text("[tournament]\nname = 'x'\ngame = 'saloon'\n")
    words = [str(tmp_path / "new.tar")] if command == "backup" else []
    done = arena("season", command, *words, str(tmp_path / "league.toml"))
    assert done.exit_code == ExitCode.USAGE
    assert "belongs to a tournament." in done.output.replace("\n", " ")


def test_the_journal_says_what_it_belongs_to_if_the_file_is_another(place):
    (place / "season.toml").rename(place / "x.toml")
    (place / "season").rename(place / "x")
    (place / "x.toml").write_text("[tournament]\n")
    done = arena("tournament", "standings", str(place / "x.toml"))
    assert done.exit_code == ExitCode.USAGE
    assert "belongs to a season" in done.output
