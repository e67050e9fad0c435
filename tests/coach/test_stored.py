"""What decided a match, from its files alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.play.memory import play_in_memory
from arena.study.coach.stored import Decision, cache_path, known_decision, save

REPLAY = Path(__file__).parents[1] / "replays" / "saloon.arena"
LESSON = {"player": 1, "from_turn": 57, "to_turn": 57, "price": {"value": 0.424}}
OTHER = LESSON | {"player": 0, "from_turn": 60, "to_turn": 66}
WHOLE = {"stage": "", "playouts": {"count": 500}, "lessons": [LESSON, OTHER]}


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    return Path(shutil.copy(REPLAY, tmp_path / "match.arena"))


def test_without_an_explanation_nothing_is_claimed(replay: Path) -> None:
    assert known_decision(replay, (0, 1)) is None
    cache_path(replay).write_text("[]")
    assert known_decision(replay, (0, 1)) is None


@pytest.mark.parametrize(
    ("seats", "changed", "expected"),
    [
        ((0, 1), {}, Decision(57, "a mistake of pianist cost 42 %")),
        ((0,), {}, Decision(60, "a mistake of rowdy cost 42 %")),
        ((0, 1), {"lessons": []}, Decision(None, "no single mistake decided")),
        ((0, 1), {"stage": "turns"}, None),
        ((0, 1), {"playouts": {"count": 0}}, None),
        ((0, 1), {"lessons": [{}]}, None),
        ((0, 1), {"key": "that of another match"}, None),
    ],
)
def test_the_dearest_lesson_decided(
    replay: Path, seats: tuple[int, ...], changed: dict[str, Any], expected: Decision | None
) -> None:
    save(WHOLE | changed, replay)
    if "key" in changed:
        cache_path(replay).write_text(json.dumps(WHOLE | changed))
    assert known_decision(replay, seats) == expected


def test_a_new_explanation_replaces_what_was_known(replay: Path) -> None:
    assert known_decision(replay, (0, 1)) is None
    save(WHOLE, replay)
    found = known_decision(replay, (0, 1))
    assert found is not None
    assert found.turn == 57


def test_a_failure_decided(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from arena_player import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n"
        "        if self.turn > 5:\n            raise KeyError\n"
    )
    place = tmp_path / "match.arena"
    result = play_in_memory("saloon", ["builtin:rowdy", str(tmp_path / "bad.py")], seed=1, replay=place)
    assert result.players[1].ending == "crashed"
    found = known_decision(place, (0, 1))
    assert found is not None
    assert found.words == "bad crashed"
    assert found.turn == result.turns
