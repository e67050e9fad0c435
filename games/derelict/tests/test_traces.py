"""The rules reproduce recorded games, choice by choice."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from arena.game import IllegalAction
from arena_derelict import GAME

TRACES = sorted((Path(__file__).parent / "traces").glob("*.jsonl.gz"))


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check(state: Any, line: dict[str, Any]) -> None:
    outcome = state.outcome()
    assert (outcome and outcome.to_document()) == line["outcome"]
    assert list(state.to_move()) == ([] if line["to_move"] is None else [line["to_move"]])
    assert state.legal_actions() == line["legal_actions"]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.partition(".")[0])
def test_trace(path: Path) -> None:
    first, *lines = read(path)
    form = GAME.trace
    options = GAME.resolve_options(form.options(first))
    assert {name: value for name, value in options.items() if name != "mission"} == first["options"]
    state = form.start(GAME, options, first)
    assert form.document(state) == first["initial"]
    check(state, first)
    for line in lines:
        chance = form.chance(line["draws"])
        if line["ok"]:
            state.push(line["player"], line["action"], chance)
            assert form.document(state) == line["state"]
        else:
            with pytest.raises(IllegalAction):
                state.push(line["player"], line["action"], chance)
        assert form.draws(chance.draws) == line["draws"]
        check(state, line)


def test_options_come_from_mission_and_ruleset_alone() -> None:
    """The options of a trace come from its mission and ruleset, except those that the trace changes."""
    for path in TRACES:
        first = read(path)[0]
        given = {"mission": first["mission"], "ruleset": first["options"]["ruleset"]}
        resolved = GAME.resolve_options(given)
        changed = {name for name, value in first["options"].items() if resolved[name] != value}
        assert changed <= {"combat", "reinforcements_first", "reinforcements_later"}
