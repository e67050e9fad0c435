"""Games recorded by a second implementation, which was written from the specification alone.

The games cover both rulesets, all modes, fog, unusual rules and all ways to end.
"""

import gzip
import json
from pathlib import Path

import pytest

from arena.checks import conform
from arena_laser_flag import GAME

TRACES = sorted((Path(__file__).parent / "second_reading").glob("*.jsonl.gz"))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.partition(".")[0])
def test_both_readings_agree(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        report = conform(GAME, lines)
    assert (report.problem, report.mismatch) == ("", None)
    assert report.lines > 14
    assert report.unchecked == ()


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.partition(".")[0])
def test_a_document_has_the_outcome_of_its_state(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        first, *lines = [json.loads(line) for line in file]
    options = GAME.resolve_options(first["options"])
    for line in lines:
        if line["ok"]:
            outcome = GAME.load(line["state"], options).outcome()
            assert (outcome and {"winner": outcome.winner, "reason": outcome.reason}) == line["outcome"]


def test_all_ways_to_end_are_recorded() -> None:
    reasons = set()
    for path in TRACES:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            outcome = json.loads(list(file)[-1])["outcome"]
            reasons.add(outcome and outcome["reason"])
    assert reasons == {None, "score", "elimination", "checkmate", "turn_limit"}


def test_the_recorded_games_are_there() -> None:
    assert len(TRACES) >= 18


def test_who_is_seen_is_a_set_and_is_compared() -> None:
    with gzip.open(TRACES[3], "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert all(len(line["visible"]) == 2 for line in lines)
    for line in lines:
        for ids in line["visible"]:
            ids.reverse()
    assert conform(GAME, map(json.dumps, lines)).mismatch is None
    lines[4]["visible"][1].pop()
    mismatch = conform(GAME, map(json.dumps, lines)).mismatch
    assert mismatch is not None
    assert (mismatch.line, mismatch.field.partition("[")[0]) == (5, "visible")
