"""Games recorded by a second implementation, which was written from the specification alone.

The games cover both rulesets, all modes, fog, unusual rules and all ways to end.
"""

import gzip
import json
from pathlib import Path

import pytest

from arena.study.checks import conform
from arena_laser_flag import GAME

TRACES = sorted((Path(__file__).parent / "second_reading").glob("*.jsonl.gz"))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.partition(".")[0])
def test_both_readings_agree(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        report = conform(GAME, lines)
    assert (report.problem, report.mismatch) == ("", None)
    assert report.lines > 14
    assert report.unchecked == ()


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
