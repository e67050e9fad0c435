"""Bots with a typed module that `arena sdk` of version 0.1.0 wrote still play."""

import tarfile
from pathlib import Path

import pytest

from arena.testing.matches import play_match

HERE = Path(__file__).parent


@pytest.mark.process
def test_a_bot_of_a_student_plays(tmp_path: Path) -> None:
    with tarfile.open(HERE / "tournament.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    ann, bob = (next(tmp_path.rglob(f"bots/{name}")) for name in ("ann", "bob"))
    result = play_match("saloon", [ann, bob], seed=1, options={"max_turns": 40})
    for player in result.players:
        assert player.ending in ("won", "lost", "drawn"), f"{player.ending}: {player.detail}\n{player.stderr}"
