"""Replays that version 0.1.0 wrote are what today's rules give."""

import tarfile
from pathlib import Path

import pytest

from arena.checks.verification import verify

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.joinpath("replays").glob("*.arena")), ids=lambda path: path.stem)
def test_a_replay_verifies(path: Path) -> None:
    found = verify(path)
    assert found.ok, found.problem
    assert found.complete
    assert found.parent == ("verified" if "fork" in path.stem else "")


def test_the_replays_of_a_tournament_verify(tmp_path: Path) -> None:
    with tarfile.open(HERE / "tournament.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    replays = sorted(tmp_path.rglob("*.arena"))
    assert len(replays) == 5
    for path in replays:
        found = verify(path)
        assert found.ok, f"{path.name}: {found.problem}"
