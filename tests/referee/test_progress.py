"""The progress of a match counts turns as people do: from 1, also in a match that starts from a position."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.match.job import Job, SeatAssignment
from arena.match.position import Position
from arena.play.referee.match_process import MatchProcess
from arena.study.replaying.positions import read_position

pytestmark = pytest.mark.process
REPLAYS = Path(__file__).parents[1] / "replays" / "saloon.arena"


@pytest.mark.parametrize("number", [1, 40])
def test_the_first_turn_has_its_number(number: int) -> None:
    start: Position | None = read_position(f"{REPLAYS}@{number}") if number > 1 else None
    bots = (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy"))
    reports: list[dict[str, Any]] = []
    job = Job("saloon", bots, start=start, sandbox="none", progress=True)
    with MatchProcess(job.seeded()) as process:
        assert process.wait(reports.append) is not None
    turns = [document["turn"] for document in reports]
    assert turns == sorted(turns)
    assert number <= turns[0] <= number + 1, "the first report is about the first turn, or the one after it"
