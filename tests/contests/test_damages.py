"""Damages by accident and falsifications on purpose: each is named, none is believed, and none is a traceback."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from contest_commands import contest

from arena.contests.journal import ContestJournal, void_entry
from arena.contests.opening import open_contest, read_contest
from arena.contests.rebuild import rebuild
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode
from arena.game import Outcome
from arena.journal.chain import chained
from arena.journal.sources import read_database
from arena.match.lookup import find_game
from arena.matches.evidence import accepted, resolved_options
from arena_player.version import __version__

pytestmark = pytest.mark.process

LEAGUE = """
[contest]
name = "Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 6
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[bots]]
path = "builtin:sheriff"
[[stages]]
format = "round_robin"
[[stages]]
format = "single_elimination"
advance = 2
"""


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """A contest that is over, with a write-ahead log, and an entry that is newer than the backups."""
    folder = tmp_path_factory.mktemp("damages")
    (folder / "contest.toml").write_text(LEAGUE)
    done = contest("run", "--no-check", cwd=folder)
    assert done.returncode == 0, done.stderr
    with contextlib.closing(ContestJournal(folder / "contest")) as journal:
        spec, result = matches(journal.folder)[0]
        journal.append(void_entry(journal.history, spec, result, ""))  # for a write-ahead log
        copied = folder.with_name(f"{folder.name}-with-log")
        shutil.copytree(folder, copied)
    return copied


@pytest.fixture
def copy(league, tmp_path):
    shutil.copytree(league, tmp_path / "copy")
    return tmp_path / "copy" / "contest"


def standings(folder):
    state = read_contest(folder)
    return repr([(name, run.rank(), state.is_over(run)) for name, run in state.stages.items()])


def matches(folder):
    """The matches of all stages with their results."""
    return [one for run in read_contest(folder).stages.values() for one in run.matches()]


def no_beginning(_id):
    raise AssertionError("enough is left of the journal")


def problems_of(folder, **wishes):
    try:
        return verify(folder, **wishes).problems
    except ArenaError as error:
        return [error.message]


def damage(folder, rng):
    """Damage one file at random; return it."""
    kinds = ("journal.db", "journal.db-wal", "backups/journal-1.db", "replays/*/*.arena", "bots/*/*.py")
    path = rng.choice(sorted(folder.glob(rng.choice(kinds))))
    data = bytearray(path.read_bytes())
    match rng.choice(("flip", "flip", "block", "cut", "gone")):
        case "flip":
            at = rng.randrange(len(data))
            data[at] ^= 1 << rng.randrange(8)
        case "block":
            at = rng.randrange(len(data))
            data[at : at + 512] = rng.randbytes(len(data[at : at + 512]))
        case "cut":
            del data[rng.randrange(len(data)) :]
        case "gone":
            path.unlink()
            return path
    path.write_bytes(data)
    return path


def check_damage(league, folder, seed):
    """Damage a copy, look who notices it, and rebuild; return whether anything was changed at all.

    Return None if a damaged write-ahead log has lost nothing but the last entry, which is no result.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(league / "contest", folder)
    before, entries = standings(league / "contest"), read_database(league / "contest" / "journal.db").entries
    path = damage(folder, random.Random(seed))
    problems = problems_of(folder)
    with contextlib.suppress(ArenaError):
        assert standings(folder) == before, f"{seed}: the damage of {path} was believed"
    if path.suffix in (".arena", ".py"):
        assert any(path.name in problem or path.parent.name in problem for problem in problems), (seed, path, problems)
    if not problems:
        left = read_database(folder / "journal.db").entries
        if path.suffix == ".db-wal" and len(left) == len(entries) - 1:
            assert entries.pop(max(entries)).kind == "void"
        assert left == entries, f"{seed}: the damage of {path} is not named"
        backup = read_database(folder / "backups" / "journal-1.db")
        assert len(list(backup.sound())) == len(backup.entries), f"{seed}: the damage of {path} is not named"
        return None if path.suffix == ".db-wal" else False
    if path.name.startswith("journal") and path.parent == folder:
        assert any(path.stem in problem for problem in problems), (seed, path, problems)
    rebuild(folder, no_beginning)
    assert standings(folder) == before, f"{seed}: {path} was not restored"
    left = problems_of(folder)
    assert not any("journal" in problem for problem in left), (seed, path, left)
    return True


def test_random_damages_are_named_and_repaired(league, tmp_path):
    changed = [check_damage(league, tmp_path / "copy", seed) for seed in range(32)]
    known = [one for one in changed if one is not None]
    assert sum(known) > len(known) * 2 / 3
    assert len(known) > 20


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_two_hundred_random_damages_are_named_and_repaired(league, tmp_path):
    changed = [check_damage(league, tmp_path / "copy", seed) for seed in range(1000, 1200)]
    named, idle = changed.count(True), changed.count(False)
    print(f"{named} named and repaired, {idle} in bytes that nothing reads, {changed.count(None)} in a spent log")
    assert named > 3 * idle
    assert named + idle > 150


def rewrite(folder, change, *, chain=False, copies=False):
    """Change entries by SQL; with `chain`, compute the hashes anew, and with `copies`, do the same in the backups."""
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as connection:
        rows = list(connection.execute("select number, kind, key, document, digest, hash from entries order by number"))
        rows = [row for row in (change(*row) for row in rows) if row is not None]
        if chain:
            entries = list(chained((row[1], row[2], row[3]) for row in rows))
            rows = [(one.number, one.kind, one.key, one.text, one.digest, one.hash) for one in entries]
        connection.execute("delete from entries")
        connection.executemany("insert into entries values (?, ?, ?, ?, ?, ?)", rows)
        for path in folder.glob("backups/*.db") if copies else ():
            path.unlink()
            connection.execute("vacuum into ?", (str(path),))


def turned(which):
    """The same winner for some matches, whoever has won."""

    def change(number, kind, key, document, digest, chain):
        if kind == "result" and key in which:
            parsed = json.loads(document)
            outcome = parsed["outcome"]
            outcome["outcome"]["winner"] = 1 - (outcome["outcome"]["winner"] or 0)
            outcome["players"].reverse()
            document = json.dumps(parsed)
        return number, kind, key, document, digest, chain

    return change


def without(which):
    return lambda number, kind, key, *rest: None if key in which else (number, kind, key, *rest)


def spoiled(which):
    """Results whose documents are lost."""

    def change(number, kind, key, document, *rest):
        return number, kind, key, "{}" if kind == "result" and key in which else document, *rest

    return change


def another_secret(number, kind, key, document, digest, chain):
    if kind == "start":
        document = json.dumps(json.loads(document) | {"secret": "mine"})
    return number, kind, key, document, digest, chain


def falsifications(folder):
    """What somebody may do who wants another table: name, what they do, and what the messages must name."""
    ids = [spec.match_id for spec, _ in matches(folder)]
    for match_id in ids:
        yield f"turned {match_id}", lambda one=match_id: rewrite(folder, turned({one})), match_id
        yield f"replay of {match_id} gone", lambda one=match_id: path_of(folder, one).unlink(), match_id
        yield f"replay of {match_id} edited", lambda one=match_id: edit(path_of(folder, one)), match_id
        yield f"row of {match_id} gone", lambda one=match_id: rewrite(folder, without({one})), match_id
    for one, other in pairwise(ids):
        yield f"{one} and {other} swapped", lambda one=one, other=other: swap(folder, one, other), one
        hidden = lambda one=one, other=other: rewrite(folder, turned({one, other}), chain=True)  # noqa: E731
        yield f"{one} and {other} turned, chained anew", hidden, one
        hidden = lambda one=one: rewrite(folder, turned({one}), chain=True, copies=True)  # noqa: E731
        yield f"{one} turned, copies and chain anew", hidden, "its result differs"
    yield "five turned", lambda: rewrite(folder, turned(set(ids[:5]))), ids[0]
    yield "last row gone, chain anew", lambda: rewrite(folder, without({ids[-1]}), chain=True), "entry"
    yield "last row gone, all anew", lambda: rewrite(folder, without({ids[-1]}), chain=True, copies=True), ids[-1]
    yield "another secret", lambda: rewrite(folder, another_secret), "entry 1 (start)"
    for bot in sorted(folder.glob("bots/*")):
        script = next(bot.glob("*.py"))
        yield f"{bot.name} edited", lambda script=script: script.write_text(script.read_text() + "\n#"), bot.name
        yield f"{bot.name} gone", lambda bot=bot: shutil.rmtree(bot), bot.name


def path_of(folder, match_id):
    return folder / "replays" / match_id[:2] / f"{match_id}.arena"


def swap(folder, one, other):
    first, second = path_of(folder, one).read_bytes(), path_of(folder, other).read_bytes()
    path_of(folder, one).write_bytes(second)
    path_of(folder, other).write_bytes(first)


def edit(path):
    """Write a replay with another winner, whose checksums and chain are right."""
    from arena_replays import Reader, compact

    reader = Reader(path)
    footer = json.loads(json.dumps(reader.footer))
    footer["outcome"]["winner"] = 1 - (footer["outcome"]["winner"] or 0)
    footer["players"].reverse()
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    path.write_bytes(compact.assemble(reader.header, reader.truth, views, reader.notes, footer))


def check_falsification(league, folder, number):
    """Falsify a copy, look who notices it, and rebuild; return the name of what was done."""
    before, head = standings(league / "contest"), verify(league / "contest").head
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(league / "contest", folder)
    name, falsify, named = list(falsifications(folder))[number]
    falsify()
    problems = problems_of(folder)
    assert any(named in problem for problem in problems), (name, problems)
    consistent = "copies and chain anew" in name or "all anew" in name
    if consistent:  # only replays, or a head that was noted, can show that
        assert any("does not continue from entry" in problem for problem in problems_of(folder, head=head)), name
    else:
        with contextlib.suppress(ArenaError):
            assert standings(folder) == before, name
    if "row" in name or "turned" in name or "secret" in name:
        rebuild(folder, no_beginning)
        assert consistent or standings(folder) == before, name
    return name


@pytest.mark.promise("cut-journals")
def test_falsifications_are_named_and_not_believed(league, tmp_path):
    count = len(list(falsifications(league / "contest")))
    assert count >= 50
    names = [check_falsification(league, tmp_path / "copy", number) for number in range(0, count, 5)]
    assert len(set(names)) == len(names)


@pytest.mark.kill
@pytest.mark.timeout(3600)
def test_all_falsifications_are_named_and_not_believed(league, tmp_path):
    count = len(list(falsifications(league / "contest")))
    print(len({check_falsification(league, tmp_path / "copy", number) for number in range(count)}), "falsifications")


def test_run_standings_and_export_notice_a_changed_row_at_once(copy):
    spec, _ = matches(copy)[0]
    rewrite(copy, turned({spec.match_id}))
    for words in (("run", "--no-check"), ("standings",), ("verify",)):
        done = contest(*words, cwd=copy.parent)
        assert done.returncode == ExitCode.DAMAGED_JOURNAL, (words, done.stdout, done.stderr)
        assert spec.match_id in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        assert "rebuild" in done.stdout + done.stderr
    assert contest("rebuild", cwd=copy.parent).returncode == 0
    assert contest("verify", "--rules", cwd=copy.parent).returncode == 0


def test_a_contest_whose_journal_is_gone_is_not_begun_again_and_comes_back_from_its_replays(copy):
    before = standings(copy)
    for path in (*copy.glob("journal.*"), *copy.glob("backups/*")):
        path.unlink()
    done = contest("run", cwd=copy.parent)
    assert done.returncode == ExitCode.DAMAGED_JOURNAL
    assert "is gone" in done.stderr
    done = contest("rebuild", cwd=copy.parent)
    assert done.returncode == 0, done.stderr
    assert standings(copy) == before
    assert contest("verify", cwd=copy.parent).returncode == 0
    assert contest("run", "--no-check", cwd=copy.parent).returncode == 0
    assert standings(copy) == before


STEPS = ("os.rename", "os.remove", "os.mkdir", "os.link", "shutil.copyfile")


def rebuild_and_die(folder, steps):
    """Rebuild in a child that is killed before a change of files; return how it ended."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            left = iter(range(steps))

            def count(event, args):
                if event in STEPS and str(folder) in str(args) and next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(count)
            rebuild(folder, no_beginning)
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def lose_a_row(folder):
    rewrite(folder, without({matches(folder)[2][0].match_id}))
    shutil.rmtree(folder / "backups")


def lose_the_database(folder):
    (folder / "journal.db").unlink()


def lose_the_backups(folder):
    shutil.rmtree(folder / "backups")


@pytest.mark.parametrize("damage", [lose_a_row, lose_the_database, lose_the_backups])
def test_a_rebuild_that_was_killed_at_any_moment_can_be_run_again(copy, tmp_path, damage):
    before = standings(copy)
    damage(copy)
    folder = tmp_path / "killed"
    for steps in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(copy, folder)
        code = rebuild_and_die(folder, steps)
        assert code in (0, -signal.SIGKILL)
        if code:
            assert rebuild(folder, no_beginning).lost == [], steps
        assert standings(folder) == before, steps
        assert verify(folder).problems == [], steps
        assert len(list((folder / "backups").iterdir())) == 1
        if not code:
            break
    assert 5 < steps < 99
    kept = {path.name for path in (folder / "damaged-1").iterdir()}
    assert kept >= {path.name for path in (*copy.glob("journal.*"), *copy.glob("backups"))}


@pytest.mark.parametrize("damage", [spoiled, without])
def test_a_result_that_nothing_proves_is_named_as_lost(copy, damage):
    spec, _ = matches(copy)[-1]
    number = next(entry.number for entry in read_database(copy / "journal.db").sound() if entry.key == spec.match_id)
    rewrite(copy, damage({spec.match_id}))
    shutil.rmtree(copy / "backups")
    path_of(copy, spec.match_id).unlink()
    done = contest("rebuild", cwd=copy.parent)
    assert done.returncode == ExitCode.DAMAGED_JOURNAL
    named = f"neither backups nor replays contain them: {spec.match_id}."
    assert (named if damage is spoiled else f"1 other entries are lost: entry {number}.") in done.stderr
    assert spec.match_id not in {one.match_id for one, _ in matches(copy)}


def test_what_a_worker_sends_counts_only_if_it_is_the_match_that_was_asked_for(copy):
    game = find_game("saloon")
    (spec, result), (other, _) = matches(copy)[:2]
    options = resolved_options(game, spec)
    result = replace(result, replay=str(copy / result.replay), host="far")
    assert accepted(spec, result, options, game, __version__).chain
    wrong = {
        "played with saloon 0.0": (spec, replace(result, version="0.0"), options, __version__),
        "its options differ": (spec, result, options | {"max_turns": 8}, __version__),
        "its seed is": (replace(spec, seed=1), result, options, __version__),
        "played with Arena": (spec, result, options, "0.0.0"),
        "its result differs": (
            spec,
            replace(result, outcome=Outcome(1 - result.outcome.winner, "x")),
            options,
            __version__,
        ),
        "is damaged": (spec, replace(result, replay=str(copy / "journal.db")), options, __version__),
        "it belongs to another match": (
            spec, replace(result, replay=str(path_of(copy, other.match_id))), options, __version__
        ),
    }  # fmt: skip
    wrong["cannot be read"] = wrong.pop("is damaged")
    for message, (one, changed, given, version) in wrong.items():
        with pytest.raises(ArenaError, match=message) as caught:
            accepted(one, changed, given, game, version)
        assert "from far is refused" in caught.value.message


def test_all_files_are_for_the_owner_only(copy):
    with open_contest(copy.with_suffix(".toml")):
        pass
    names = {path.name for path in copy.rglob("*")}
    assert {"journal.db", "journal-1.db"} <= names
    assert [path for path in (copy, *copy.rglob("*")) if path.stat().st_mode & 0o077] == []
