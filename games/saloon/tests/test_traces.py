"""Recorded games, replayed line by line."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from arena.game import IllegalAction
from arena_saloon import GAME

TRACES = sorted(Path(__file__).parent.joinpath("traces").glob("*.jsonl.gz"))


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_recorded_game(path: Path) -> None:
    first, *lines = read(path)
    state = GAME.trace.start(GAME, GAME.resolve_options(GAME.trace.options(first)), first)
    assert state.to_document() == first["initial"]
    assert state.legal_actions() == first["legal_actions"]
    for number, line in enumerate(lines, 2):
        if not line["ok"]:
            with pytest.raises(IllegalAction) as refusal:
                state.push(line["player"], line["action"])
            assert refusal.value.code == line["error"], number
            continue
        chance = GAME.trace.chance(line["draws"])
        state.push(line["player"], line["action"], chance)
        assert chance.left == 0
        assert state.to_document() == line["state"], number
        assert state.legal_actions() == line["legal_actions"], number
        outcome = state.outcome()
        assert (outcome.to_document() if outcome else None) == line["outcome"], number
        assert list(state.to_move()) == ([] if line["to_move"] is None else [line["to_move"]]), number


def test_there_are_traces() -> None:
    assert len(TRACES) == 3
