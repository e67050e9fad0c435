"""What a replay lacks because of a limit is said by the match, the command, and the replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.match_report import print_results
from arena.cli.play import _exit_code
from arena.errors import ExitCode
from arena.play.memory import play_in_memory
from arena.study.checks.verification import verify
from arena_replays import Reader, info


def test_a_match_says_what_its_replay_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.arena"
    whole = play_in_memory("snakes", ["builtin:forager", "builtin:hatchling"], seed=1, replay=str(path))
    assert (whole.left_out, _exit_code([whole])) == ("", 0)
    monkeypatch.setattr("arena_replays.limits.PIECE", 300)
    monkeypatch.setattr("arena_replays.records.MAX_RECORD", 4_096 + 300)  # 300 bytes for an entry
    result = play_in_memory("snakes", ["builtin:forager", "builtin:hatchling"], seed=1, replay=str(path))
    monkeypatch.undo()
    assert result.digest == whole.digest
    assert result.left_out == "A change of this match is larger than a replay can hold: it has no views."
    assert result.to_document()["left_out"] == result.left_out
    assert _exit_code([result]) == ExitCode.NOT_RECORDED
    print_results([result], False, single=True)
    assert f"Warning: The replay is not whole. {result.left_out}" in capsys.readouterr().err
    reader = Reader(path)
    assert reader.truncated
    assert (reader.notice, reader.left_out, reader.check()) == (result.left_out, {"views"}, [])
    assert info(path)["left_out"] == ["views"]
    assert verify(path).ok
    assert verify(path).complete
    assert len(reader.turns) == result.turns * 2
