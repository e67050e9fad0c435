"""The journal: what is committed stays, what is not was never there, and every fault is one sentence."""

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from contests_toys import begin, contents, do, repair, result_of, toys, write_toys

from arena.contests import contest_journal, entries
from arena.contests.config import StageConfig
from arena.contests.contest_journal import ContestJournal, void_entry
from arena.contests.journal import chain
from arena.contests.journal.chain import DamagedJournalError
from arena.contests.journal.files import (
    DiskError,
    file_system_of,
    is_network,
    replay_defect,
    replay_path,
    stage_replay,
    temporary_replay_path,
)
from arena.contests.journal.store import LARGEST, TooLargeEntryError, now
from arena.contests.open_contest import read_contest
from arena.contests.state import Contest
from arena.contests.verify import verify
from arena.errors import ArenaError, ExitCode

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


def test_a_replay_without_a_row_is_swept(path):
    """A kill before the entry is written leaves a replay that nobody knows of; the match is simply played again."""
    with toys(path, 4) as opened:
        spec = begin(opened)[0]
        stage_replay(opened.folder, spec.match_id, Path(with_replay(opened, spec, result_of(0), b"first").replay))
        unfinished = Path(with_replay(opened, spec, result_of(0), b"half").replay)
    with toys(path, 4) as opened:
        assert (len(opened.state.played), list(opened.folder.glob("replays/*/*.tmp.*"))) == (0, [])
        assert not unfinished.exists()
        opened.commit(spec, with_replay(opened, spec, result_of(0), b"second"))
        assert replay_path(opened.folder, spec.match_id).read_bytes() == b"second"


def test_a_replay_whose_row_is_written_is_kept(path, monkeypatch):
    """A kill after the entry is written, and before the replay is at its place."""
    with toys(path, 4) as opened:
        spec = begin(opened)[0]
        with monkeypatch.context() as killed:
            killed.setattr(contest_journal, "unstage_replay", lambda folder, match_id: None)
            opened.commit(spec, with_replay(opened, spec, result_of(0)))
        assert not replay_path(opened.folder, spec.match_id).exists()
    with toys(path, 4) as opened:
        assert len(opened.state.played) == 1
        result = opened.state.played[spec.match_id].result
        assert replay_defect(opened.folder / result.replay, result.replay_hash) == ""


def test_id_and_secret_are_drawn_once(tmp_path):
    found = []
    for _ in range(2):
        with toys(write_toys(tmp_path, STAGE), 4) as opened:
            found.append((opened.state.id, opened.state.secret))
    assert found[0] == found[1]
    with toys(write_toys(tmp_path / "other", STAGE), 4) as opened:
        assert opened.state.secret != found[0][1]
        assert len(opened.state.secret) == 64


@pytest.mark.parametrize(("game", "defect"), [("snakes", "plays saloon, not snakes"), ("saloon", "cannot change its")])
def test_another_game_or_seed_is_refused(tmp_path, game, defect):
    with toys(write_toys(tmp_path, STAGE), 4):
        pass
    with (
        pytest.raises(ArenaError, match=defect) as caught,
        toys(write_toys(tmp_path, STAGE, game=game, seed="new"), 4),
    ):
        pass
    assert caught.value.exit_code == ExitCode.CHANGED


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
    large = entries.TextEntry(salt="", value="x" * LARGEST)
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


def test_a_journal_without_its_first_entries_is_begun(tmp_path):
    """The process was killed before it wrote them."""
    path = write_toys(tmp_path, STAGE)
    ContestJournal(tmp_path / "league").close()
    with pytest.raises(ArenaError, match="has not been started"):
        read_contest(tmp_path / "league")
    with toys(path, 4) as opened:
        assert len(begin(opened)) == 24


def test_network_file_systems_are_known():
    mounts = "/dev/sda / ext4 rw 0 0\nhost:/x /home/my\\040lab nfs4 rw 0 0\ntmpfs /home/my\\040lab/t tmpfs rw 0 0\n"
    assert file_system_of(Path("/home/my lab/league"), mounts) == "nfs4"
    assert file_system_of(Path("/home/my lab/t/league"), mounts) == "tmpfs"
    assert file_system_of(Path("/home/other"), mounts) == "ext4"
    assert is_network("nfs4")
    assert is_network("lustre")
    assert not is_network("ext4")


def test_on_a_network_file_system_there_is_no_log(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("arena.contests.journal.store.file_system_of", lambda path: "nfs4")
    with contextlib.closing(ContestJournal(tmp_path)) as journal:
        assert journal._connection.execute("pragma journal_mode").fetchone()[0] == "delete"
    assert [f"{tmp_path} is on nfs4" in message for message in caplog.messages] == [True]


def can_mount():
    done = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return done.returncode == 0


PROGRAM = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from arena.contests.config import StageConfig
from arena.contests.loop import Loop
from arena.errors import ArenaError
from contests_toys import ExecutorEngine, toys, write_toys
folder = Path(sys.argv[1])

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
(folder / "filler").unlink()
assert len(run().stuck) == 6 * 2
"""


@pytest.mark.process
@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small file system")
def test_a_match_that_fails_on_a_full_disk_is_no_riddle(tmp_path):
    folder, program = tmp_path / "disk", tmp_path / "program.py"
    folder.mkdir()
    program.write_text(PROGRAM)
    command = f"mount -t tmpfs -o size=1M none {folder} && exec {sys.executable} {program} {folder}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command], env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_replay_folder_vanishes(path):
    with toys(path, 4) as opened:
        specs = begin(opened)
        opened.commit(specs[0], with_replay(opened, specs[0], result_of(0)))
    (opened.folder / "replays").rename(opened.folder / "away")
    with toys(path, 4) as opened:
        assert opened.commit(specs[1], with_replay(opened, specs[1], result_of(0)))
        assert len(opened.state.played) == 2
