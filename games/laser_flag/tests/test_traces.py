"""Recorded games of the specification, replayed line by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from arena.game import IllegalAction, Scripted
from arena_laser_flag import GAME

TRACES = sorted((Path(__file__).parent / "traces").glob("*.jsonl.gz"))


def as_set(actions: list[dict[str, Any]]) -> set[str]:
    assert len({json.dumps(action, sort_keys=True) for action in actions}) == len(actions)
    return {json.dumps(action, sort_keys=True) for action in actions}


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.split(".")[0])
def test_trace(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        first, *lines = [json.loads(line) for line in file]
    options = GAME.resolve_options(GAME.trace.options(first))
    state = GAME.trace.start(GAME, options, first)
    assert state.to_document() == first["initial"] == GAME.start(options).to_document()
    assert as_set(state.legal_actions()) == as_set(first["legal_actions"])
    for line in lines:
        if line["ok"]:
            script = GAME.trace.chance(line["draws"])
            state.push(line["player"], line["action"], script)
            assert script.left == 0
            assert state.to_document() == line["state"]
        else:
            with pytest.raises(IllegalAction) as caught:
                state.push(line["player"], line["action"], Scripted([]))
            assert caught.value.code == line["error"]
        outcome = state.outcome()
        assert (outcome and outcome.to_document()) == line["outcome"]
        assert (state.to_move() or (None,))[0] == line["to_move"]
        if "legal_actions" in line:
            assert as_set(GAME.trace.legal_actions(state)) == as_set(line["legal_actions"])


def test_all_traces_are_there() -> None:
    assert len(TRACES) == 3
