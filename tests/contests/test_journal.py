"""The journal: what is committed stays, what is not was never there, and every fault is one sentence."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from contests_toys import ExecutorEngine, begin, contents, do, repair, result_of, toys, write_toys

from arena.contests import entries, journal
from arena.contests.config import StageConfig
from arena.contests.entrants import Roster, refuse_changes, survey
from arena.contests.journal import ContestJournal, void_entry
from arena.contests.opening import read_contest
from arena.contests.running import Loop
from arena.contests.state import Contest
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode
from arena.journal import chain
from arena.journal.chain import DamagedJournalError
from arena.journal.files import (
    DiskError,
    file_system_of,
    is_network,
    replay_path,
    stage_replay,
    temporary_replay_path,
    wrong_with_replay,
)
from arena.journal.store import LARGEST, TooLargeEntryError, now

STAGE = StageConfig("all", "round_robin", rounds=2)


@pytest.fixture
def path(tmp_path):
    return write_toys(tmp_path, STAGE, id="toys")


@pytest.fixture
def opened(path):
    with toys(path, 4) as opened:
        yield opened


@pytest.fixture
def specs(opened):
    return begin(opened)


def with_replay(opened, spec, outcome, text=b"replay"):
    path = temporary_replay_path(opened.folder, spec.match_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return replace(outcome, replay=str(path))


def test_settings_are_those_that_survive_a_power_cut(opened):
    connection = opened._journal._connection
    assert connection.execute("pragma journal_mode").fetchone()[0] == "wal"
    assert connection.execute("pragma synchronous").fetchone()[0] == 2


def test_a_result_is_kept_with_its_replay(opened, specs):
    assert opened.commit(specs[0], with_replay(opened, specs[0], result_of(1)))
    played = opened.state.played[specs[0].match_id]
    spec, outcome = played.spec, played.result
    assert spec == specs[0]
    assert outcome.winner == 1
    assert (opened.folder / outcome.replay).read_bytes() == b"replay"
    assert outcome.replay == str(replay_path(Path(), spec.match_id))


def test_the_first_result_stands_and_another_one_is_a_conflict(opened, specs):
    spec = specs[0]
    assert opened.commit(spec, with_replay(opened, spec, result_of(0)))
    assert not opened.commit(spec, with_replay(opened, spec, result_of(0), b"again"))
    assert opened.state.conflicts == []
    assert not opened.commit(spec, with_replay(opened, spec, result_of(1), b"other"))
    assert opened.state.conflicts == [spec.match_id]
    assert opened.state.played[spec.match_id].result.winner == 0
    assert replay_path(opened.folder, spec.match_id).read_bytes() == b"replay"
    assert not list(opened.folder.glob("replays/*/*.tmp.*"))
    assert opened._journal.count() == 1


def test_a_replay_without_a_row_is_swept(path):
    """A kill before the entry is written leaves a replay that nobody knows of; the match is simply played again."""
    with toys(path, 4) as opened:
        spec = begin(opened)[0]
        stage_replay(opened.folder, spec.match_id, Path(with_replay(opened, spec, result_of(0), b"first").replay))
    with toys(path, 4) as opened:
        assert (opened.swept, len(opened.state.played)) == (1, 0)
        opened.commit(spec, with_replay(opened, spec, result_of(0), b"second"))
        assert replay_path(opened.folder, spec.match_id).read_bytes() == b"second"


def test_a_replay_whose_row_is_written_is_kept(path, monkeypatch):
    """A kill after the entry is written, and before the replay is at its place."""
    with toys(path, 4) as opened:
        spec = begin(opened)[0]
        with monkeypatch.context() as killed:
            killed.setattr(journal, "keep_replay", lambda folder, match_id: None)
            opened.commit(spec, with_replay(opened, spec, result_of(0)))
        assert not replay_path(opened.folder, spec.match_id).exists()
    with toys(path, 4) as opened:
        assert (opened.swept, len(opened.state.played)) == (0, 1)
        result = opened.state.played[spec.match_id].result
        assert wrong_with_replay(opened.folder / result.replay, result.replay_hash) == ""


def test_unfinished_replays_are_swept(tmp_path):
    left = tmp_path / "league" / "replays" / "ab" / "abcd.tmp.123"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    with toys(write_toys(tmp_path, STAGE), 4) as opened:
        assert opened.swept == 1
    assert not left.exists()


def test_id_and_secret_are_drawn_once(tmp_path):
    found = []
    for _ in range(2):
        with toys(write_toys(tmp_path, STAGE), 4) as opened:
            found.append((opened.state.id, opened.state.secret))
    assert found[0] == found[1]
    with toys(write_toys(tmp_path / "other", STAGE), 4) as opened:
        assert opened.state.secret != found[0][1]
        assert len(opened.state.secret) == 64


def test_a_changed_configuration_is_refused_unless_amended(tmp_path):
    stage = replace(STAGE, rounds=3)
    with toys(write_toys(tmp_path, STAGE), 4) as opened:
        opened.commit(begin(opened)[0], result_of(0))
        path = write_toys(tmp_path, stage)
    with toys(path, 4) as opened:
        roster = roster_of(opened)
        with pytest.raises(ArenaError, match="this has changed: rounds of the stage all") as caught:
            refuse_changes(opened.state, roster)
    assert (caught.value.exit_code, "--amend" in caught.value.hint) == (ExitCode.CHANGED, True)
    for change, defect in (("snakes", "plays saloon, not snakes"), ("saloon", "cannot change its seed")):
        with (
            pytest.raises(ArenaError, match=defect) as caught,
            toys(write_toys(tmp_path, STAGE, game=change, seed="new"), 4),
        ):
            pass
        assert caught.value.exit_code == ExitCode.CHANGED


def roster_of(opened):
    """The bots of the file beside the journal, as if all bots of the journal were in the file."""
    changes = survey(replace(opened.config, bots=(), people=opened.config.visible), opened.game, opened.path,
                     opened.state).changes  # fmt: skip
    return Roster([], [], [], [one for one in changes if not one.startswith("the bot")])


def test_reading_while_it_runs(path):
    with toys(path, 4) as opened:
        opened.commit(begin(opened)[0], result_of(0))
        assert len(read_contest(opened.folder).played) == 1
    with pytest.raises(ArenaError, match="There is no contest"):
        read_contest(path.with_suffix(".nowhere"))


@pytest.mark.promise("journal-text")
def test_an_entry_over_its_limit_is_refused_and_nothing_is_written(opened, specs):
    found = opened._journal
    before = opened.state.number, list(found.entries())
    large = entries.Text(salt="", value="x" * LARGEST)
    rebuilt = entries.Rebuilt(proved=["x" * 40 * LARGEST], lost=[], missing=[], at=now())
    for key, document in (("large", large), ("large", rebuilt)):
        with pytest.raises(TooLargeEntryError, match=r"A fault of Arena: .* large\) has") as caught:
            opened.write(entries.text("e1", "small", "x"), (key, document))
        assert caught.value.exit_code == ExitCode.FAULT
    with pytest.raises(TooLargeEntryError):
        opened.write(("k" * LARGEST, entries.Dropped(reason="", at=now())))
    assert (opened.state.number, list(found.entries())) == before
    opened.write(entries.text("e1", "small", "x"))
    assert [entry.number for entry in found.entries()] == list(range(1, before[0] + 2))


def test_a_journal_that_cannot_be_written_whole_gets_nothing(opened, specs):
    void = void_entry(opened.state, specs[0], result_of(0), "")
    opened.write(void)
    found = opened._journal
    before = list(found.entries())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(DiskError):
            opened.write(*[entries.text("e1", "long", "x" * 50_000) for _ in range(20)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert list(found.entries()) == before
    opened.write(void)
    assert opened.state.voids == {specs[0].match_id: 2}
    assert contents(found.read(Contest(found.path))) == contents(opened.state)


def test_a_copy_of_the_file_without_its_write_ahead_log_lacks_the_last_entries_only(opened, specs, tmp_path):
    for spec in specs:
        opened.commit(spec, result_of(0))
    (tmp_path / "copy").mkdir()
    shutil.copy(opened._journal.path, tmp_path / "copy" / "journal.db")
    with contextlib.closing(ContestJournal(tmp_path / "copy", read_only=True)) as copy:
        lacking = opened.state.number - copy.read().number
    assert 0 <= lacking < 8 < opened.state.number


@pytest.mark.parametrize("left", ["backups", "replays"])
@pytest.mark.promise("cut-journals")
def test_a_journal_that_was_cut_off_is_noticed_by_its_backups_and_by_the_replays(tmp_path, left):
    """An older copy of the journal is a valid chain."""
    with toys(write_toys(tmp_path, STAGE), 4) as opened:
        specs, folder = begin(opened), opened.folder
        opened.commit(specs[0], with_replay(opened, specs[0], result_of(0)))
        opened._journal.copy_to(tmp_path / "older.db")
        opened.commit(specs[1], result_of(0) if left == "backups" else with_replay(opened, specs[1], result_of(0)))
    if left == "replays":
        shutil.rmtree(folder / "backups")
    for path in folder.glob("journal.db*"):
        path.unlink()
    (tmp_path / "older.db").rename(folder / "journal.db")
    message = {
        "backups": "does not continue its newest backup",
        "replays": f"lacks the results of 1 .*{specs[1].match_id}",
    }
    for reader in (read_contest, ContestJournal):
        with pytest.raises(DamagedJournalError, match=message[left]):
            reader(folder)
    assert verify(folder).problems


def test_what_is_written_is_what_is_read(opened, specs):
    """The state of the process that writes comes from its own values, and that of others from the file."""
    for number, spec in enumerate(specs):
        opened.commit(spec, with_replay(opened, spec, result_of(number % 2, scores=(1, 0.1))))
    assert not opened.commit(specs[0], result_of(1))
    opened.write(void_entry(opened.state, specs[0], result_of(0), "bot001"))
    do(opened, "void", specs[1].match_id)
    do(opened, "correct", specs[2].match_id, points="0.5 0.5")
    do(opened, "undo", "a1")
    repair(opened, "bot002")
    assert contents(opened._journal.read(Contest(opened._journal.path))) == contents(opened.state)


def test_a_result_is_hashed_once_and_not_parsed_again(opened, specs, monkeypatch):
    hashed, parsed = [], []
    monkeypatch.setattr(chain, "digest_of", lambda text, known=chain.digest_of: hashed.append(text) or known(text))
    monkeypatch.setattr(entries, "read", lambda *words: parsed.append(words))
    opened.commit(specs[0], result_of(0))
    assert len(hashed) == 1
    assert parsed == []


def test_a_journal_of_a_newer_program_is_refused(tmp_path):
    ContestJournal(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(DiskError, match="version 99"):
        ContestJournal(tmp_path)


def test_a_journal_without_its_first_entries_is_begun(tmp_path):
    """The process was killed before it wrote them."""
    path = write_toys(tmp_path, STAGE)
    ContestJournal(tmp_path / "league").close()
    with pytest.raises(ArenaError, match="has not been started"):
        read_contest(tmp_path / "league")
    with toys(path, 4) as opened:
        assert len(begin(opened)) == 24


def test_a_broken_journal_is_one_message_and_goes_on_after_repair(path):
    with toys(path, 4) as opened:
        folder = opened.folder
        for spec in begin(opened)[:10]:
            opened.commit(spec, result_of(0))
    file = folder / "journal.db"
    good = file.read_bytes()
    for broken in (b"this is no database" * 100, good[:4096] + os.urandom(8192) + good[12288:]):
        file.write_bytes(broken)
        for suffix in ("-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        with pytest.raises(ArenaError) as caught, toys(path, 4):
            pass
        assert "journal.db is damaged" in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.exit_code == 20
        with pytest.raises(ArenaError, match=r"journal\.db is damaged"):
            read_contest(folder)
    file.write_bytes(good)
    with toys(path, 4) as opened:
        assert len(opened.state.played) == 10


def test_readers_name_the_journal_that_was_changed(path):
    with toys(path, 4) as opened:
        opened.commit(begin(opened)[0], result_of(0))
    with contextlib.closing(sqlite3.connect(opened.folder / "journal.db")) as connection, connection:
        connection.execute("update entries set hash = ? where kind = 'result'", ("0" * 64,))
    with pytest.raises(ArenaError, match=r"The journal \S+/journal\.db was changed"):
        read_contest(opened.folder)


def test_network_file_systems_are_known():
    mounts = "/dev/sda / ext4 rw 0 0\nhost:/x /home/my\\040lab nfs4 rw 0 0\ntmpfs /home/my\\040lab/t tmpfs rw 0 0\n"
    assert file_system_of(Path("/home/my lab/league"), mounts) == "nfs4"
    assert file_system_of(Path("/home/my lab/t/league"), mounts) == "tmpfs"
    assert file_system_of(Path("/home/other"), mounts) == "ext4"
    assert is_network("nfs4")
    assert is_network("lustre")
    assert not is_network("ext4")


def test_on_a_network_file_system_there_is_no_log(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("arena.journal.store.file_system_of", lambda path: "nfs4")
    with contextlib.closing(ContestJournal(tmp_path)) as journal:
        assert journal._connection.execute("pragma journal_mode").fetchone()[0] == "delete"
    assert [f"{tmp_path} is on nfs4" in message for message in caplog.messages] == [True]


def can_mount():
    done = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return done.returncode == 0


PROGRAM = """
import os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from arena.contests.config import StageConfig
from arena.contests.opening import read_contest
from arena.contests.running import Loop
from arena.errors import ArenaError
from contests_toys import ExecutorEngine, is_readable, toys, write_toys
from test_runner import run_toys
folder = Path(sys.argv[1])
stage = StageConfig("all", "round_robin", rounds=40)
def attempt(amount):
    try:
        report, _ = run_toys(folder, (stage,), 6, limit=amount)
        return ("ok", report.played, report.stuck)
    except ArenaError as error:
        return ("error", str(error), error.exit_code)
def remount(options):
    subprocess.run(["mount", "-o", "remount," + options, str(folder)], check=True)
{body}
"""


def run_on_small_disk(tmp_path, body):
    folder = tmp_path / "disk"
    folder.mkdir()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(body=body))
    command = f"mount -t tmpfs -o size=1M none {folder} && exec {sys.executable} {program} {folder}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.process
@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small file system")
def test_a_full_disk_stops_the_run_and_it_goes_on_after_repair(tmp_path):
    output = run_on_small_disk(
        tmp_path,
        """
kind, message, code = attempt(0)
assert kind == "error" and code == 6, (kind, message, code)
assert "full" in message and chr(10) not in message, message
print(message)
remount("size=64M")
kind, played, stuck = attempt(30)
assert kind == "ok" and played == 30 and not stuck, (kind, played, stuck)
import hashlib
played = read_contest(folder / "league").played.values()
assert len(played) > 60
for outcome in (one.result for one in played):
    path = folder / "league" / outcome.replay
    assert is_readable(path) and hashlib.sha256(path.read_bytes()).hexdigest() == outcome.replay_hash
""",
    )
    assert "full" in output


@pytest.mark.process
@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small file system")
def test_a_match_that_fails_on_a_full_disk_is_no_riddle(tmp_path):
    run_on_small_disk(
        tmp_path,
        """
def fail(spec):
    raise RuntimeError("it wrote no result")

def run():
    with toys(write_toys(folder, StageConfig("all", "round_robin")), 4) as opened:
        return Loop(opened, ExecutorEngine(ThreadPoolExecutor(1), fail)).run()

assert len(run().stuck) == 6 * 2
room = os.statvfs(folder)
(folder / "filler").write_bytes(bytes(room.f_bavail * room.f_frsize - 100 * 1024))
try:
    run()
except ArenaError as error:
    assert error.exit_code == 6 and "full" in str(error), error
else:
    raise AssertionError("the match is stuck, and nobody says why")
assert not list((folder / "league").rglob("*.tmp.*"))
""",
    )


@pytest.mark.process
@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small file system")
def test_a_read_only_folder_is_one_message(tmp_path):
    run_on_small_disk(
        tmp_path,
        """
assert attempt(5)[0] == "ok"
remount("ro")
kind, message, code = attempt(5)
assert kind == "error" and code == 6, (kind, message, code)
assert "read-only" in message or "readonly" in message, message
assert len(read_contest(folder / "league").played) == 5
remount("rw")
assert attempt(5) == ("ok", 5, {})
""",
    )


@pytest.mark.process
def test_the_replay_folder_vanishes(tmp_path):
    from test_runner import run_toys

    assert run_toys(tmp_path, limit=4)[0].played == 4
    (tmp_path / "league" / "replays").rename(tmp_path / "away")
    assert run_toys(tmp_path, limit=4)[0].played == 4


@pytest.mark.slow
def test_resuming_with_many_results_plays_only_what_is_missing(tmp_path):
    path = write_toys(tmp_path, StageConfig("all", "round_robin", games=2, rounds=2), seed="s", id="t")
    with toys(path, 50) as opened:
        opened._journal._connection.execute("pragma synchronous = off")
        specs = begin(opened)
        for spec in specs[:-10]:
            opened.commit(spec, result_of(int(spec.match_id, 16) % 2))
    played = []

    def play(spec):
        played.append(spec.match_id)
        return result_of(0)

    with toys(path, 50) as opened, contextlib.closing(ExecutorEngine(ThreadPoolExecutor(1), play)) as engine:
        report = Loop(opened, engine).run()
        assert report.finished
        assert report.played == 10
        assert len(opened.state.played) == len(specs) == 4_900
    assert sorted(played) == sorted(spec.match_id for spec in specs[-10:])
