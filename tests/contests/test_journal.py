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
from types import SimpleNamespace

import pytest
from tournament_toys import ExecutorEngine, config_of, entrants_of, result_of, tournament_of

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
from arena.matches import results
from arena.matches.results import void_entry
from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import PairedRound
from arena.tournament.plan.schedule import Schedule, next_matches
from arena.tournament.run.history import History
from arena.tournament.run.journal import Journal
from arena.tournament.run.organizer import organize, read_snapshot
from arena.tournament.run.runner import Runner
from arena.tournament.run.verify import verify
from arena.web.tournament.spectator import Spectator

STAGE = StageConfig("all", "round_robin", rounds=2)


@pytest.fixture
def journal(tmp_path):
    with organize(tmp_path, config_of(STAGE, id="toys"), entrants_of(4)) as organizer:
        yield organizer.journal


@pytest.fixture
def specs():
    return Schedule(tournament_of(4, STAGE)).take()


def with_replay(journal, spec, outcome, text=b"replay"):
    path = temporary_replay_path(journal.folder, spec.match_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return replace(outcome, replay=str(path))


def test_settings_are_those_that_survive_a_power_cut(journal):
    connection = journal._connection
    assert connection.execute("pragma journal_mode").fetchone()[0] == "wal"
    assert connection.execute("pragma synchronous").fetchone()[0] == 2


def test_a_result_is_kept_with_its_replay(journal, specs):
    assert journal.commit(specs[0], with_replay(journal, specs[0], result_of(1)))
    spec, outcome = journal.match(specs[0].match_id)
    assert spec == specs[0]
    assert outcome.winner == 1
    assert (journal.folder / outcome.replay).read_bytes() == b"replay"
    assert outcome.replay == str(replay_path(Path(), spec.match_id))
    assert journal.match(specs[0].match_id[:6])[0] == specs[0]
    assert journal.match("") is None or journal.count() == 1
    assert journal.match("zzzz") is None


def test_the_first_result_stands_and_another_one_is_a_conflict(journal, specs):
    spec = specs[0]
    assert journal.commit(spec, with_replay(journal, spec, result_of(0)))
    assert not journal.commit(spec, with_replay(journal, spec, result_of(0), b"again"))
    assert journal.history.conflicts == []
    assert not journal.commit(spec, with_replay(journal, spec, result_of(1), b"other"))
    assert [(c.match_id, c.result.winner) for c in journal.history.conflicts] == [(spec.match_id, 1)]
    assert journal.match(spec.match_id)[1].winner == 0
    assert replay_path(journal.folder, spec.match_id).read_bytes() == b"replay"
    assert not list(journal.folder.glob("replays/*/*.tmp.*"))
    assert journal.count() == 1


def test_a_replay_without_a_row_is_swept(tmp_path):
    """A kill before the entry is written leaves a replay that nobody knows of; the match is simply played again."""
    with organize(tmp_path, config_of(STAGE, id="toys"), entrants_of(4)) as organizer:
        spec, journal = organizer.schedule.take()[0], organizer.journal
        stage_replay(tmp_path, spec.match_id, Path(with_replay(journal, spec, result_of(0), b"first").replay))
    with organize(tmp_path, config_of(STAGE, id="toys"), entrants_of(4)) as organizer:
        assert (organizer.swept, organizer.journal.count()) == (1, 0)
        organizer.journal.commit(spec, with_replay(organizer.journal, spec, result_of(0), b"second"))
        assert replay_path(tmp_path, spec.match_id).read_bytes() == b"second"


def test_a_replay_whose_row_is_written_is_kept(tmp_path, monkeypatch):
    """A kill after the entry is written, and before the replay is at its place."""
    with organize(tmp_path, config_of(STAGE, id="toys"), entrants_of(4)) as organizer:
        spec, journal = organizer.schedule.take()[0], organizer.journal
        with monkeypatch.context() as killed:
            killed.setattr(results, "keep_replay", lambda folder, match_id: None)
            journal.commit(spec, with_replay(journal, spec, result_of(0)))
        assert not replay_path(tmp_path, spec.match_id).exists()
    with organize(tmp_path, config_of(STAGE, id="toys"), entrants_of(4)) as organizer:
        assert (organizer.swept, organizer.journal.count()) == (0, 1)
        result = organizer.journal.match(spec.match_id)[1]
        assert wrong_with_replay(tmp_path / result.replay, result.replay_hash) == ""


def test_unfinished_replays_are_swept(tmp_path):
    left = tmp_path / "replays" / "ab" / "abcd.tmp.123"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        assert organizer.swept == 1
    assert not left.exists()


def test_id_and_secret_are_drawn_once(tmp_path):
    found = []
    for _ in range(2):
        with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
            found.append((organizer.tournament.id, organizer.tournament.secret))
    assert found[0] == found[1]
    with organize(tmp_path / "other", config_of(STAGE), entrants_of(4)) as organizer:
        assert organizer.tournament.secret != found[0][1]
        assert len(organizer.tournament.secret) == 64


def left_to_play(organizer):
    history = organizer.journal.history
    return next_matches(organizer.tournament, history.results, history.past)[0]


def test_a_changed_configuration_is_refused_unless_amended(tmp_path):
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        first = organizer.schedule.take()
        organizer.journal.commit(first[0], result_of(0))
    changed = config_of(replace(STAGE, rounds=3))
    with (
        pytest.raises(ArenaError, match="this has changed: rounds of the stage ") as caught,
        organize(tmp_path, changed, entrants_of(4)),
    ):
        pass
    assert "--amend" in caught.value.hint
    with organize(tmp_path, changed, entrants_of(4), amend=True) as organizer:
        waiting = left_to_play(organizer)
        assert len(waiting) == 2 * 2 - 1, "the rest of the first round"
        assert len(organizer.journal.history.rounds) == 1
    with organize(tmp_path, changed, entrants_of(4)) as organizer:
        assert len(organizer.journal.history.configs) == 2
        assert organizer.tournament.config == changed
    with (
        pytest.raises(ArenaError, match="plays toy, not chess"),
        organize(tmp_path, replace(changed, game="chess"), entrants_of(4), amend=True),
    ):
        pass


def test_a_new_version_of_a_bot_plays_on_with_its_old_results(tmp_path):
    entrants = entrants_of(4)
    with organize(tmp_path, config_of(STAGE), entrants) as organizer:
        played = organizer.schedule.take()[:5]
        for spec in played:
            organizer.journal.commit(spec, result_of(0))
    newer = (replace(entrants[0], hash="new"), *entrants[1:])
    with pytest.raises(ArenaError, match="this has changed: the bot "), organize(tmp_path, config_of(STAGE), newer):
        pass
    with organize(tmp_path, config_of(STAGE), newer, amend=True) as organizer:
        waiting = left_to_play(organizer)
        assert len(waiting) == 3
        assert {seat.hash for spec in waiting for seat in spec.seats} == {one.hash for one in entrants}


def test_reading_while_it_runs(tmp_path):
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        spec = organizer.schedule.take()[0]
        organizer.journal.commit(spec, result_of(0))
        snapshot = read_snapshot(tmp_path)
        assert len(snapshot.schedule.matches()) == 1
    with pytest.raises(ArenaError, match="There is no tournament"):
        read_snapshot(tmp_path / "nowhere")


@pytest.mark.promise("journal-text")
def test_an_entry_over_its_limit_is_refused_and_nothing_is_written(journal, specs):
    before = journal.history.number, list(journal.entries())
    small = ("void", specs[0].match_id, {"reason": "small", "at": now()})
    for kind, size in (("void", LARGEST), ("conflict", LARGEST), ("round", 40 * LARGEST)):
        with pytest.raises(TooLargeEntryError, match=f"A fault of Arena: .* \\({kind} large\\) has") as caught:
            journal.append(small, (kind, "large", {"reason": "x" * size, "at": now()}))
        assert caught.value.exit_code == ExitCode.FAULT
    with pytest.raises(TooLargeEntryError):
        journal.append(("void", "k" * LARGEST, {}))
    assert (journal.history.number, list(journal.entries())) == before
    assert journal.history.voids == {}
    journal.append(small)
    assert [entry.number for entry in journal.entries()] == list(range(1, before[0] + 2))


def test_a_journal_that_cannot_be_written_whole_gets_nothing(journal, specs):
    journal.append(void_entry(specs[0], result_of(0)))
    before = list(journal.entries())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(DiskError):
            journal.append(*[("void", specs[0].match_id, {"reason": "x" * 50_000, "at": now()}) for _ in range(20)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert list(journal.entries()) == before
    journal.append(void_entry(specs[0], result_of(0)))
    assert journal.history.voids == {specs[0].match_id: 2}
    assert journal.read(History(journal.path)) == journal.history


def test_a_copy_of_the_file_without_its_write_ahead_log_lacks_the_last_entries_only(journal, specs, tmp_path):
    for spec in specs:
        journal.commit(spec, result_of(0))
    (tmp_path / "copy").mkdir()
    shutil.copy(journal.path, tmp_path / "copy" / "journal.db")
    with contextlib.closing(Journal(tmp_path / "copy", read_only=True)) as copy:
        lacking = journal.history.number - copy.read().number
    assert 0 <= lacking < 8 < journal.history.number


@pytest.mark.parametrize("left", ["backups", "replays"])
@pytest.mark.promise("cut-journals")
def test_a_journal_that_was_cut_off_is_noticed_by_its_backups_and_by_the_replays(tmp_path, left):
    """An older copy of the journal is a valid chain."""
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        journal, specs = organizer.journal, organizer.schedule.take()
        journal.commit(specs[0], with_replay(journal, specs[0], result_of(0)))
        journal.copy_to(tmp_path / "older.db")
        result = result_of(0) if left == "backups" else with_replay(journal, specs[1], result_of(0))
        journal.commit(specs[1], result)
    if left == "replays":
        shutil.rmtree(tmp_path / "backups")
    for path in tmp_path.glob("journal.db*"):
        path.unlink()
    (tmp_path / "older.db").rename(tmp_path / "journal.db")
    message = {
        "backups": "does not continue its newest backup",
        "replays": f"lacks the results of 1 .*{specs[1].match_id}",
    }
    for reader in (read_snapshot, Journal):
        with pytest.raises(DamagedJournalError, match=message[left]):
            reader(tmp_path)
    assert verify(tmp_path).problems


def test_what_is_written_is_what_is_read(journal, specs):
    """The history of the process that writes comes from its own values, and that of others from the file."""
    for number, spec in enumerate(specs):
        journal.commit(spec, with_replay(journal, spec, result_of(number % 2, scores=(1, 0.1))))
    journal.pair([PairedRound("league", 1, 1, (), ())])
    assert not journal.commit(specs[0], result_of(1))
    journal.append(void_entry(specs[0], result_of(0), killed=("league", 1, 0, "bot001")))
    journal.append(("discard", "", {"stages": ["nothing"]}))
    assert journal.read(History(journal.path)) == journal.history


def test_a_result_is_hashed_once_and_not_parsed_again(journal, specs, monkeypatch):
    hashed, parsed = [], []
    monkeypatch.setattr(chain, "digest_of", lambda text, known=chain.digest_of: hashed.append(text) or known(text))
    monkeypatch.setattr(results, "_recorded", SimpleNamespace(decode=parsed.append))
    journal.commit(specs[0], result_of(0))
    assert len(hashed) == 1
    assert parsed == []


def test_a_journal_of_a_newer_program_is_refused(tmp_path):
    Journal(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(DiskError, match="version 99"):
        Journal(tmp_path)


def test_a_broken_journal_is_one_message_and_goes_on_after_repair(tmp_path):
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        specs = organizer.schedule.take()
        for spec in specs[:10]:
            organizer.journal.commit(spec, result_of(0))
    path = tmp_path / "journal.db"
    good = path.read_bytes()
    for broken in (b"this is no database" * 100, good[:4096] + os.urandom(8192) + good[12288:]):
        path.write_bytes(broken)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        with pytest.raises(ArenaError) as caught, organize(tmp_path, config_of(STAGE), entrants_of(4)):
            pass
        assert "journal.db is damaged" in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.exit_code == 20
        with pytest.raises(ArenaError, match=r"journal\.db is damaged"):
            read_snapshot(tmp_path)
    path.write_bytes(good)
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        assert organizer.journal.count() == 10


def test_the_pages_name_the_journal_that_was_changed(tmp_path):
    with organize(tmp_path, config_of(STAGE), entrants_of(4)) as organizer:
        organizer.journal.commit(organizer.schedule.take()[0], result_of(0))
    connection = sqlite3.connect(tmp_path / "journal.db")
    with connection:
        connection.execute("update entries set hash = ? where kind = 'result'", ("0" * 64,))
    connection.close()
    for read in (read_snapshot, lambda folder: Spectator(folder).refresh()):
        with pytest.raises(ArenaError, match=r"The journal \S+/journal\.db was changed"):
            read(tmp_path)


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
    with contextlib.closing(Journal(tmp_path)) as journal:
        assert journal._connection.execute("pragma journal_mode").fetchone()[0] == "delete"
    assert [f"{tmp_path} is on nfs4" in message for message in caplog.messages] == [True]


def can_mount():
    done = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return done.returncode == 0


PROGRAM = """
import sys
from pathlib import Path
from arena.errors import ArenaError
from arena.tournament.plan.config import StageConfig
from tournament_toys import ExecutorEngine, config_of, entrants_of, toy_engine
from test_runner import run_toys
import subprocess
folder = Path(sys.argv[1])
config = config_of(StageConfig("all", "round_robin", rounds=40), seed="s", id="t")
def attempt(amount):
    try:
        report, schedule = run_toys(folder / "league", config, 6, limit=amount)
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
from arena.tournament.run.runner import Runner
from arena.tournament.run.verify import verify
from arena.web.tournament.spectator import Spectator
from arena.tournament.run.organizer import read_snapshot
from tournament_toys import is_readable
import hashlib
matches = read_snapshot(folder / "league").schedule.matches()
assert len(matches) > 60
for spec, outcome in matches:
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
import os
from concurrent.futures import ThreadPoolExecutor
from arena.tournament.run.organizer import organize
from arena.tournament.run.runner import Runner
from arena.tournament.run.verify import verify
from arena.web.tournament.spectator import Spectator

def fail(spec):
    raise RuntimeError("it wrote no result")

def run():
    with organize(folder / "league", config_of(StageConfig("all", "round_robin")), entrants_of(4)) as organizer:
        return Runner(organizer.schedule, organizer.journal, ExecutorEngine(ThreadPoolExecutor(1), fail)).run()

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
from arena.tournament.run.runner import Runner
from arena.tournament.run.verify import verify
from arena.web.tournament.spectator import Spectator
from arena.tournament.run.organizer import read_snapshot
assert len(read_snapshot(folder / "league").schedule.matches()) == 5
remount("rw")
assert attempt(5) == ("ok", 5, {})
""",
    )


@pytest.mark.process
def test_the_replay_folder_vanishes(tmp_path):
    from test_runner import run_toys

    report, _ = run_toys(tmp_path / "league", limit=4)
    assert report.played == 4
    (tmp_path / "league" / "replays").rename(tmp_path / "away")
    report, _ = run_toys(tmp_path / "league", limit=4)
    assert report.played == 4


@pytest.mark.slow
def test_resuming_with_many_results_plays_only_what_is_missing(tmp_path):
    config = config_of(StageConfig("all", "round_robin", games=2, rounds=2), seed="s", id="t")
    with organize(tmp_path, config, entrants_of(50)) as organizer:
        journal, specs = organizer.journal, organizer.schedule.take()
        connection = journal._connection
        connection.execute("pragma synchronous = off")
        for spec in specs[:-10]:
            journal.commit(spec, result_of(int(spec.match_id, 16) % 2))
    played = []

    def play(spec):
        played.append(spec.match_id)
        return result_of(0)

    with organize(tmp_path, config, entrants_of(50)) as organizer:
        engine = ExecutorEngine(ThreadPoolExecutor(1), play)
        report = Runner(organizer.schedule, organizer.journal, engine).run()
        engine.close()
        assert report.finished
        assert report.played == 10
        assert organizer.journal.count() == len(specs) == 4_900
    assert sorted(played) == sorted(spec.match_id for spec in specs[-10:])
