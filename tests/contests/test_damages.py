"""Damages by accident and falsifications on purpose: each is named, none is believed, and what is sound comes back."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import time
from dataclasses import replace

import pytest
from contest_commands import SHORT, contest
from contests_toys import add_team, add_version, do, opened, write_config
from shortened import shortened

from arena.bots.bot import load_bot
from arena.contests.contest_journal import ContestJournal, void_entry
from arena.contests.journal.chain import LOST, RESULT, chained
from arena.contests.journal.sources import read_database
from arena.contests.loop import Loop
from arena.contests.open_contest import open_contest, read_contest
from arena.contests.people.team_actions import challenge
from arena.contests.queue.copies import copy_bot
from arena.contests.queue.evidence import accepted, resolved_options
from arena.contests.rebuild import rebuild
from arena.contests.run import make_engine
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode
from arena.game import Outcome
from arena.match.lookup import find_game
from arena_player.version import __version__

pytestmark = pytest.mark.process

LEAGUE = SHORT.replace("rounds = 3\n", '[[stages]]\nformat = "single_elimination"\nadvance = 2\n')


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


PLAYED = 14


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a contest with people that was killed: matches, an act, a challenge, and entries without backup."""
    folder = tmp_path_factory.mktemp("killed")
    path = write_config(folder, ('isolation = "bwrap" ', 'isolation = "none" '))
    path.write_text(path.read_text() + "\n[options]\nmax_turns = 4\n")
    copied = folder.with_name(f"{folder.name}-with-log")
    with opened(path) as contest:
        for team, name in (("Red", "pianist"), ("Blue", "sheriff")):
            add_team(contest, team)
            bot = load_bot(f"builtin:{name}", contest.game)
            add_version(contest, team, content=bot.content_hash, path=copy_bot(bot, contest.folder))
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
def place(killed, tmp_path):
    shutil.copytree(killed, tmp_path / "place")
    return tmp_path / "place"


def standings(folder):
    state = read_contest(folder)
    return repr([(name, run.rank(), state.is_over(run)) for name, run in state.stages.items()])


def results(folder):
    """The results that a contest knows."""
    return {one.id: one.result for one in read_contest(folder).played.values()}


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


def arena(*words, cwd):
    """Run a command of a contest. Return its exit code, and what it printed as one line."""
    done = contest(*words, cwd=cwd)
    assert "Traceback" not in done.stderr
    return done.returncode, " ".join((done.stdout + done.stderr).split())


# -- random damages ------------------------------------------------------------------------------------


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


def check_damage(original, place, seed):
    """Damage a copy of a contest. Return "repaired", "named" (and refused), or "unused bytes"."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(original, place)
    folder, true = place / "contest", entries_of(original / "contest" / "journal.db")
    paths = damage(folder, random.Random(seed))
    where = (seed, [path.relative_to(folder).as_posix() for path in paths])
    with contextlib.suppress(ArenaError):
        assert results(folder).items() <= results(original / "contest").items(), (where, "it was believed")
    problems = problems_of(folder)
    for path in paths:
        if path.suffix in (".arena", ".py"):
            assert is_named(path, problems) or any("were not compared" in one for one in problems), (where, problems)
    # What a backup or replay holds: each entry of the backups, and each result whose replay is whole.
    held = set()
    for backup in folder.glob("backups/*.db"):
        held |= {number for number, one in entries_of(backup).items() if true.get(number) == one}
    if not problems:
        left = entries_of(folder / "journal.db")
        lacking = true.keys() - left.keys()
        assert all(left[number] == true[number] for number in left), where
        # Nothing says that the end of a journal is lost if no backup has it yet.
        assert lacking == {number for number in true if number > max(left)}, (where, lacking)
        assert lacking.isdisjoint(held), (where, lacking)
        return "unused bytes"
    code, output = arena("rebuild", str(place), cwd="/")
    if code == ExitCode.DAMAGED_JOURNAL and "are lost" not in output:
        assert not held or 1 not in held, where
        assert "restore a backup" in output, where
        return "named"
    assert code in (0, ExitCode.DAMAGED_JOURNAL), (where, output)
    left = problems_of(folder)
    assert not [one for one in left if "journal" in one or "backup" in one], (where, left)
    for path in paths:
        assert path.suffix not in (".arena", ".py") or is_named(path, [*left, output]), (where, left)
    after = entries_of(folder / "journal.db")
    for number in held:
        assert (after[number].kind, after[number].text) == (true[number].kind, true[number].text), (where, number)
    whole = {
        path.stem
        for path in folder.glob("replays/*/*.arena")
        if path.read_bytes() == (original / path.relative_to(place)).read_bytes()
    }
    assert whole <= {one.key for one in after.values() if one.kind == RESULT}, where
    for number, one in after.items():
        if one.kind == LOST:
            assert f"entry {number}" in output or one.key.rpartition(" ")[2].rstrip(")") in output, where
    if any("The stored copy of the bot" in one for one in left):  # neither the journal nor a replay holds it
        return "named"
    with opened(place / "contest.toml"):
        pass
    return "repaired"


@pytest.mark.parametrize("seeds", shortened([range(9), range(1000, 1100)]), ids=len)
@pytest.mark.parametrize("original", ["league", "killed"])
@pytest.mark.timeout(3600)
def test_random_damages_are_repaired_or_refused_by_name(tmp_path, request, original, seeds):
    found = [check_damage(request.getfixturevalue(original), tmp_path / "copy", seed) for seed in seeds]
    assert found.count("repaired") > len(found) / 3, found


# -- falsifications ------------------------------------------------------------------------------------


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


def spoiled(numbers):
    """Entries whose documents are lost."""
    return lambda number, kind, key, document, *rest: (
        number, kind, key, "{}" if number in numbers else document, *rest
    )  # fmt: skip


def another_secret(number, kind, key, document, digest, chain):
    if kind == "start":
        document = json.dumps(json.loads(document) | {"secret": "mine"})
    return number, kind, key, document, digest, chain


def falsifications(folder):
    """What somebody may do who wants another table: name, what they do, and what the messages must name."""
    ids = [spec.match_id for spec, _ in matches(folder)]
    one, other, last = *ids[1:3], ids[-1]
    bot = min(folder.glob("bots/*"))
    script = next(bot.glob("*.py"))

    def changed(change, **forms):
        return lambda: rewrite(folder, change, **forms)

    return {
        "result turned": (changed(turned({one})), one),
        "five results turned": (changed(turned({*ids[:5]})), ids[0]),
        "results turned, chained anew": (changed(turned({one, other}), chain=True), one),
        "result turned, copies and chain anew": (changed(turned({one}), chain=True, copies=True), "its result differs"),
        "row gone": (changed(without({one})), one),
        "last row gone, chain anew": (changed(without({last}), chain=True), "entry"),
        "last row gone, copies and chain anew": (changed(without({last}), chain=True, copies=True), last),
        "another secret": (changed(another_secret), "entry 1 (start)"),
        "replay gone": (path_of(folder, one).unlink, one),
        "replay edited": (lambda: edit(path_of(folder, one)), one),
        "replays swapped": (lambda: swap(path_of(folder, one), path_of(folder, other)), one),
        "bot edited": (lambda: script.write_text(script.read_text() + "\n#"), bot.name),
        "bot gone": (lambda: shutil.rmtree(bot), bot.name),
    }


def path_of(folder, match_id):
    return folder / "replays" / match_id[:2] / f"{match_id}.arena"


def swap(one, other):
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def edit(path):
    """Write a replay with another winner, whose checksums and chain are right."""
    from arena_replays import Reader, compact

    reader = Reader(path)
    footer = json.loads(json.dumps(reader.footer))
    footer["outcome"]["winner"] = 1 - (footer["outcome"]["winner"] or 0)
    footer["players"].reverse()
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    path.write_bytes(compact.assemble(reader.header, reader.truth, views, reader.notes, footer))


def check_falsification(original, folder, name):
    """Falsify a copy, look who notices it, and rebuild."""
    before, head = standings(original), verify(original).head
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original, folder)
    falsify, named = falsifications(folder)[name]
    falsify()
    problems = problems_of(folder)
    assert any(named in problem for problem in problems), (name, problems)
    consistent = "copies and chain anew" in name
    if consistent:  # only replays, or a head that was noted, can show that
        assert any("does not continue from entry" in problem for problem in problems_of(folder, head=head)), name
    else:
        with contextlib.suppress(ArenaError):
            assert standings(folder) == before, name
    if not name.startswith(("replay", "bot")):
        rebuild(folder, no_beginning)
        assert consistent or standings(folder) == before, name


@pytest.mark.promise("cut-journals")
def test_falsifications_are_named_and_not_believed(league, tmp_path):
    for name in falsifications(league / "contest"):
        check_falsification(league / "contest", tmp_path / "copy", name)


def test_run_standings_and_verify_notice_a_changed_row_at_once(copy):
    spec, _ = matches(copy)[0]
    rewrite(copy, turned({spec.match_id}))
    for words in (("run", "--no-check"), ("standings",), ("verify",)):
        code, output = arena(*words, cwd=copy.parent)
        assert code == ExitCode.DAMAGED_JOURNAL, (words, output)
        assert spec.match_id in output
        assert "`arena contest rebuild`" in output
    assert arena("rebuild", cwd=copy.parent)[0] == 0
    assert arena("verify", "--rules", cwd=copy.parent)[0] == 0


# -- rebuild -------------------------------------------------------------------------------------------


def test_an_intact_contest_has_no_problems(place):
    code, output = arena("verify", str(place), "--rules", cwd="/")
    assert code == 0, output
    assert "results are unchanged" in output
    assert re.search("[1-9] versions of bots are unchanged", output)


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


def test_without_any_journal_a_contest_with_people_is_not_invented(place):
    folder = place / "contest"
    for path in (*folder.glob("journal.*"), *folder.glob("backups/*")):
        path.unlink()
    files = files_of(place)
    code, output = arena("rebuild", str(place), cwd="/")
    assert code == ExitCode.DAMAGED_JOURNAL
    assert "restore a backup" in output
    assert files_of(place) == files, "also no folder is left"


def test_a_journal_of_another_contest_gives_no_entries(copy, place):
    before = standings(copy)
    for path in copy.glob("journal.*"):
        path.unlink()
    shutil.copy(place / "contest" / "journal.db", copy)
    code, output = arena("verify", cwd=copy.parent)
    assert code == ExitCode.DAMAGED_JOURNAL
    assert "is the journal of another contest." in output
    assert arena("rebuild", cwd=copy.parent)[0] == 0
    assert standings(copy) == before


def test_a_match_that_ends_while_the_contest_is_verified_is_no_damage(copy, monkeypatch):
    whole, known = ContestJournal.read, next(copy.glob("replays/*/*.arena"))
    new = known.with_name(f"{'0' * len(known.stem)}.arena")

    def read(journal):
        history = whole(journal)
        new.write_bytes(known.read_bytes())
        return history

    monkeypatch.setattr(ContestJournal, "read", read)
    assert verify(copy).problems == []
    assert "it lacks the results of 1 replays" in " ".join(verify(copy).problems)


@pytest.mark.parametrize("head", ["nonsense", "3:xyz", "3"])
def test_a_head_that_none_can_be_is_a_mistake_and_no_damage(copy, head):
    code, output = arena("verify", "--head", head, cwd=copy.parent)
    assert (code, "write NUMBER:HASH" in output) == (2, True)


def files_of(place):
    return sorted(path for path in place.rglob("*") if path.name != "lock")


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
    _, output = arena("rebuild", str(place), cwd="/")
    assert f"The last entry that could be read is number {kept}." in output
    assert {one.key for one in read_database(folder / "journal.db").entries.values() if one.kind == RESULT} == results
    with opened(place / "contest.toml") as contest:
        assert set(contest.state.played) == results
        for one in contest.state.played.values():
            assert sorted(one.players) == sorted(contest.state.encounters[one.encounter].players)


@pytest.mark.parametrize("lost", ["the document of a result", "the row of a result", "the document of a report"])
def test_what_nothing_proves_is_named_as_lost_and_the_others_keep_their_numbers(place, lost):
    folder = place / "contest"
    before = read_database(folder / "journal.db").entries
    entry = next(one for one in before.values() if one.kind == lost.rpartition(" ")[2])
    rewrite(folder, without({entry.key}) if "row" in lost else spoiled({entry.number}))
    shutil.rmtree(folder / "backups")
    path_of(folder, entry.key).unlink(missing_ok=True)
    code, output = arena("rebuild", str(place), cwd="/")
    assert code == ExitCode.DAMAGED_JOURNAL
    assert {
        "the document of a result": f"neither backups nor replays contain them: {entry.key}.",
        "the row of a result": f"1 other entries are lost: entry {entry.number}.",
        "the document of a report": f"1 other entries are lost: entry {entry.number} (report {entry.key}).",
    }[lost] in output
    after = read_database(folder / "journal.db").entries
    assert [one.number for one in after.values() if one.kind == LOST] == [entry.number]
    assert all(after[number].text == one.text for number, one in before.items() if one != entry)
    assert verify(folder).problems == []


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


@pytest.mark.parametrize("damage", [lose_a_row, lose_the_database])
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


def test_what_a_worker_sends_counts_only_if_it_is_the_match_that_was_asked_for(copy):
    game = find_game("saloon")
    (spec, result), (other, _) = matches(copy)[:2]
    options = resolved_options(game, spec)
    result = replace(result, replay=str(copy / result.replay), host="far")
    assert accepted(spec, result, options, game, __version__).chain
    moved = replace(result, replay=str(path_of(copy, other.match_id)))
    lost = replace(result, outcome=Outcome(1 - result.outcome.winner, "x"))
    wrong = {
        "played with saloon 0.0": (spec, replace(result, version="0.0"), options, __version__),
        "its options differ": (spec, result, options | {"max_turns": 8}, __version__),
        "its seed is": (replace(spec, seed=1), result, options, __version__),
        "played with Arena": (spec, result, options, "0.0.0"),
        "its result differs": (spec, lost, options, __version__),
        "cannot be read": (spec, replace(result, replay=str(copy / "journal.db")), options, __version__),
        "it belongs to another match": (spec, moved, options, __version__),
    }
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
