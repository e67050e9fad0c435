"""Games recorded by a second implementation, which was written from the specification alone.

The games cover both rulesets, nearly all options, hand-made missions and all ways to end.
"""

import gzip
from pathlib import Path

import pytest

from arena.study.checks import conform
from arena_derelict import GAME

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
