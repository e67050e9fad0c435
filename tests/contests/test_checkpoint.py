"""The checkpoint saves time and changes nothing: state and tables are those of the whole journal."""

import contextlib
import itertools
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from seasons import ORGANIZER, add_team, add_version, opened, play, table_bytes, write_config
from waiting import until

from arena.journal.chain import DamagedJournalError
from arena.journal.store import FILE
from arena.season import checkpoint
from arena.season.acts import act
from arena.season.board import Board
from arena.season.state import SeasonState

TEAMS = ("Red", "Blue", "Green")
RESULTS = 12


def player(season, team):
    return season.state.active(team).player


def some_results(season, count):
    pairs = itertools.cycle(itertools.permutations(TEAMS, 2))
    for (one, other), _ in zip(pairs, range(count), strict=False):
        play(season, player(season, one), player(season, other), points=(1.0, 0.0) if one != "Green" else (0.5, 0.5))


def do(season, kind, subject="", **more):
    return act(season, ORGANIZER, kind, {"subject": subject, "reason": "because", **more})


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A season that was stopped."""
    folder = tmp_path_factory.mktemp("stopped")
    with opened(write_config(folder)) as season:
        for team in TEAMS:
            add_team(season, team)
            add_version(season, team)
        some_results(season, RESULTS)
    return folder


@pytest.fixture
def place(stopped, tmp_path):
    return Path(shutil.copytree(stopped, tmp_path / "copy"))


@pytest.fixture
def decoded(monkeypatch):
    """The results that were read from the journal."""
    found, whole = [], SeasonState._result
    monkeypatch.setattr(SeasonState, "_result", lambda state, entry: found.append(entry.key) or whole(state, entry))
    return found


def everything(place):
    """What a season shows, and its state, after a start."""
    with opened(place / "season.toml") as season:
        names = [name for name in SeasonState.__dataclass_fields__ if not name.startswith("_known")]
        again = Board(season.state)
        again.advance()
        assert repr(again.table()).encode() == table_bytes(season)
        return {name: getattr(season.state, name) for name in names} | {
            "table": table_bytes(season),
            "public": table_bytes(season, everything=False),
            "recent": list(season.board(everything=True).recent),
            "pairs": season.board(everything=True).pairs,
        }


def without(place):
    (place / "season" / checkpoint.NAME).unlink()
    return everything(place)


def test_a_start_with_the_checkpoint_gives_the_same_state_and_tables(place, decoded):
    with_it = everything(place)
    assert decoded == []
    assert without(place) == with_it
    assert len(decoded) == RESULTS
    assert everything(place) == with_it
    assert len(decoded) == RESULTS, "a start without the checkpoint writes a new one"


@pytest.mark.parametrize(
    "acts",
    [
        [("void", "first", {})],
        [("disqualify_team", "Blue", {}), ("undo", "last", {})],
        [("hold", "", {}), ("release", "", {"count": "2"})],
        [("correct", "first", {"points": "0.5 0.5"})],
    ],
)
def test_entries_after_the_checkpoint_have_their_effect(place, acts):
    """A killed server leaves a checkpoint that is older than the journal."""
    old = (place / "season" / checkpoint.NAME).read_bytes()
    number = 0
    with opened(place / "season.toml") as season:
        first = next(iter(season.state.played))
        for kind, subject, more in acts:
            if kind == "release":
                some_results(season, 4)
            number = do(season, kind, {"first": first, "last": str(number)}.get(subject, subject), **more)
        some_results(season, 3)
    for content in (old, (place / "season" / checkpoint.NAME).read_bytes()):
        (place / "season" / checkpoint.NAME).write_bytes(content)
        with_it = everything(place)
        assert without(place) == with_it


def cut(place):
    data = place.read_bytes()
    place.write_bytes(data[: len(data) // 2])


def flip(place):
    data = bytearray(place.read_bytes())
    data[-len(data) // 3] ^= 1
    place.write_bytes(data)


def empty(place):
    place.write_bytes(b"")


def foreign(place):
    """The checkpoint of another season."""
    other = place.parent.parent / "other"
    other.mkdir()
    with opened(write_config(other)) as season:
        for team in TEAMS:
            add_team(season, team)
            add_version(season, team)
        some_results(season, RESULTS)
    shutil.copy(other / "season" / checkpoint.NAME, place)


def newer(place):
    """The checkpoint of a longer journal, such as after the season was restored from a backup."""
    copy = place.parent.parent / "longer"
    copy.mkdir()
    shutil.copytree(place.parent, copy / "season")
    with opened(write_config(copy)) as season:
        some_results(season, 5)
    shutil.copy(copy / "season" / checkpoint.NAME, place)


def folder(place):
    place.unlink()
    place.mkdir()


@pytest.mark.parametrize("harm", [cut, flip, empty, foreign, newer])
def test_another_checkpoint_is_ignored(place, decoded, harm):
    known = everything(place)
    harm(place / "season" / checkpoint.NAME)
    decoded.clear()
    assert everything(place) == known
    assert len(decoded) == RESULTS


def test_the_checkpoint_of_another_program_is_ignored(place, decoded, monkeypatch):
    known = everything(place)
    monkeypatch.setattr(checkpoint.sys, "version", "another")
    assert everything(place) == known
    assert len(decoded) == RESULTS


def test_a_folder_in_its_place_does_no_harm(place, decoded):
    known = everything(place)
    folder(place / "season" / checkpoint.NAME)
    assert everything(place) == known
    assert len(decoded) == RESULTS


def test_a_changed_entry_is_found_with_the_checkpoint(place):
    with contextlib.closing(sqlite3.connect(place / "season" / FILE)) as journal:
        journal.execute("update entries set document = replace(document, '1.0', '0.5') where kind = 'result'")
        assert journal.total_changes
        journal.commit()
    with pytest.raises(DamagedJournalError, match="is not what was written"), opened(place / "season.toml"):
        pass


SAVES = """
import sys
from pathlib import Path
from arena.season.store import open_season

with open_season(Path(sys.argv[1])) as season:
    print("open", flush=True)
    while True:
        season.save()
"""


@pytest.mark.process
def test_a_kill_while_it_is_written_changes_nothing(place):
    known = everything(place)
    written = place / "season" / checkpoint.NAME
    with subprocess.Popen([sys.executable, "-c", SAVES, str(place / "season.toml")], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"open\n"
            before = written.stat().st_mtime_ns
            until(lambda: written.exists() and written.stat().st_mtime_ns != before, lambda: None)
        finally:
            process.kill()
    assert everything(place) == known


@pytest.mark.parametrize("is_own", [True, False])
def test_a_start_copies_the_journal_only_if_its_backup_is_too_old(place, is_own):
    backup = place / "season" / "backups" / "journal-1.db"
    if not is_own:
        with contextlib.closing(sqlite3.connect(backup)) as journal:
            journal.execute("update entries set hash = 'x'")
            journal.commit()
    before = backup.read_bytes()
    with opened(place / "season.toml") as season:
        do(season, "pause")
        assert (backup.read_bytes() == before) == is_own
        some_results(season, 4)
        do(season, "resume")
        assert backup.read_bytes() != before
