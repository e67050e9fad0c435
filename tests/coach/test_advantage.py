"""The advantage of players in each turn, from the estimates of games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.play.memory import play_in_memory
from arena.study.coach.page import advantage_of
from arena.study.coach.recorded_match import RecordedMatch


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> RecordedMatch:
    file = tmp_path_factory.mktemp("match") / "match.arena"
    bots = ["builtin:constrictor", "builtin:hatchling", "builtin:forager"]
    play_in_memory("snakes", bots, seed=3, options={"players": 3}, replay=file)
    return RecordedMatch.of_file(file)


def test_there_is_a_value_before_each_turn_and_the_result_at_the_end(match: RecordedMatch) -> None:
    rows = advantage_of(match)
    assert rows is not None
    assert {len(row) for row in rows} == {match.turns + 1}
    assert [row[0] for row in rows] == pytest.approx([1 / 3] * 3, abs=0.1)
    assert [row[-1] for row in rows] == list(match.result or ())
    assert all(sum(column) == pytest.approx(1) for column in zip(*rows, strict=True))


def test_the_power_of_the_game_is_applied(match: RecordedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    state = match.parts[match.starts[match.turns // 2]].state
    shares = state.evaluate()
    assert shares is not None
    monkeypatch.setattr(match, "game", replace(match.game, evaluation_power=3.0))
    rows = advantage_of(match)
    assert rows is not None
    sharper = [share**3 / sum(one**3 for one in shares) for share in shares]
    assert [row[match.turns // 2] for row in rows] == pytest.approx(sharper)


def test_without_estimates_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "match.arena"
    play_in_memory("derelict", ["builtin:castaway"] * 2, seed=1, options={"limit_winner": "draw"}, replay=file)
    assert advantage_of(RecordedMatch.of_file(file)) is None
