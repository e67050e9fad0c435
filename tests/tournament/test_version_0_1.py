"""Files of version 0.1.0 are read, verified and continued."""

import json
import tarfile
from pathlib import Path

import pytest
from tournament_commands import arena

from arena.errors import ExitCode
from arena.match.result import MatchResult
from arena.tournament.run.organizer import read_snapshot

LANDED = Path(__file__).parents[1] / "landed"


@pytest.fixture
def tournament(tmp_path):
    with tarfile.open(LANDED / "tournament.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "tournament"


def test_its_journal_is_read(tournament):
    matches = read_snapshot(tournament / "league").schedule.matches()
    assert len(matches) == 5
    for spec, result in matches:
        assert isinstance(result, MatchResult)
        assert [player.ending for player in result.players] in (["won", "lost"], ["lost", "won"], ["drawn", "drawn"])
        assert result.isolation.name == "L3 bwrap + cgroup"
        assert all(player.clock.turns == 10 for player in result.players)
        assert (tournament / "league" / result.replay).is_file()
        assert spec.match_id in result.replay


@pytest.mark.sandbox
@pytest.mark.parametrize("choice", ["--stored", "--amend"])
def test_its_tournament_is_continued(tournament, choice):
    before = json.loads(arena("tournament", "matches", "--json", cwd=tournament).stdout)
    done = arena("tournament", "run", "--json", cwd=tournament)
    assert done.returncode == ExitCode.CHANGED, "the built-in bots of this version are others"
    assert "the bot rowdy" in done.stderr
    done = arena("tournament", "run", choice, "--json", cwd=tournament)
    assert done.returncode == 0, done.stderr
    after = json.loads(arena("tournament", "matches", "--json", cwd=tournament).stdout)
    assert after[: len(before)] == before, "with the ids, hashes and options that they were played with"
    assert len(after) > len(before)
    hashes = {(seat["name"], seat["hash"]) for match in after for seat in match["seats"]}
    assert len(hashes) == (4 if choice == "--stored" else 4 + len({"rowdy", "pianist"} & finalists(after)))
    standings = json.loads(arena("tournament", "standings", "--json", cwd=tournament).stdout)
    assert "rowdy" in json.dumps(standings)
    assert arena("tournament", "run", choice, "--json", cwd=tournament).returncode == 0


def finalists(matches):
    return {seat["name"] for match in matches if match["stage"] == "final" for seat in match["seats"]}


@pytest.mark.sandbox
def test_a_journal_of_version_1_is_brought_up_to_date(tmp_path):
    with tarfile.open(LANDED / "journal-version-1.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "tournament"
    before = json.loads(arena("tournament", "matches", "--json", cwd=folder).stdout)
    assert len(before) == 6
    assert arena("tournament", "verify", "--rules", cwd=folder).returncode == 0
    done = arena("tournament", "run", "--stored", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["finished"]
    assert json.loads(arena("tournament", "matches", "--json", cwd=folder).stdout)[:6] == before
    assert (folder / "league" / "backups" / "journal-of-version-1.db").is_file()
    assert arena("tournament", "verify", "--rules", cwd=folder).returncode == 0
    (folder / "league" / "journal.db").unlink()
    assert arena("tournament", "rebuild", cwd=folder).returncode == 0
    assert json.loads(arena("tournament", "matches", "--json", cwd=folder).stdout)[:6] == before


@pytest.mark.process
def test_a_damaged_list_of_excluded_bots_is_named(tournament):
    (tournament / "league" / "excluded.json").write_text("{")
    for words in (("run",), ("standings",), ("verify",)):
        done = arena("tournament", *words, cwd=tournament)
        assert done.returncode == ExitCode.DAMAGED_JOURNAL
        assert "excluded.json is damaged" in done.stdout + done.stderr


@pytest.mark.process
@pytest.mark.parametrize("replay", sorted(path.name for path in (LANDED / "replays").glob("*.arena")))
def test_its_replays_are_verified(replay, tmp_path):
    done = arena("replay", "verify", str(LANDED / "replays" / replay), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
