"""Files of version 0.1.0 are read, verified and continued."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from arena.errors import ExitCode
from arena.match.result import MatchResult
from arena.tournament.run.journal.store import Journal

LANDED = Path(__file__).parents[1] / "landed"


def arena(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "arena", *arguments], cwd=cwd, capture_output=True, text=True, timeout=240
    )


@pytest.fixture
def tournament(tmp_path):
    with tarfile.open(LANDED / "tournament.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "tournament"


def test_its_journal_is_read(tournament):
    journal = Journal(tournament / "league", read_only=True)
    matches = list(journal.matches())
    journal.close()
    assert len(matches) == 5
    for spec, result in matches:
        assert isinstance(result, MatchResult)
        assert [player.ending for player in result.players] in (["won", "lost"], ["lost", "won"], ["drawn", "drawn"])
        assert result.isolation.name == "L3 bwrap + cgroup"
        assert all(player.clock.turns == 10 for player in result.players)
        assert (tournament / "league" / result.replay).is_file()
        assert spec.match_id in result.replay


@pytest.mark.sandbox
def test_its_tournament_is_continued(tournament):
    before = json.loads(arena("tournament", "matches", "--json", cwd=tournament).stdout)
    done = arena("tournament", "run", "--json", cwd=tournament)
    assert done.returncode == ExitCode.CHANGED, "the built-in bots of this version are others"
    assert "the bot rowdy" in done.stderr
    done = arena("tournament", "run", "--amend", "--json", cwd=tournament)
    assert done.returncode == 0, done.stderr
    after = json.loads(arena("tournament", "matches", "--json", cwd=tournament).stdout)
    assert [match["outcome"] for match in after[: len(before)]] == [match["outcome"] for match in before]
    assert len(after) > len(before)
    standings = json.loads(arena("tournament", "standings", "--json", cwd=tournament).stdout)
    assert "rowdy" in json.dumps(standings)


@pytest.mark.process
@pytest.mark.parametrize("replay", sorted(path.name for path in (LANDED / "replays").glob("*.arena")))
def test_its_replays_are_verified(replay, tmp_path):
    done = arena("replay", "verify", str(LANDED / "replays" / replay), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
