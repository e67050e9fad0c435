"""The queue of matches of branches: what stops a match, and when."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.match.job import Job, SeatAssignment
from arena.web.branch_matches import BranchMatches, WaitingMatch

pytestmark = pytest.mark.process


@pytest.fixture
def matches() -> Iterator[BranchMatches]:
    found = BranchMatches()
    yield found
    found.close()


def job(replay: Path) -> Job:
    bots = (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy"))
    return Job("saloon", bots, options={"max_turns": 4}, replay=str(replay)).seeded()


def ended(matches: BranchMatches, key: str) -> str:
    """Wait until a match is neither waiting nor playing, and return its state."""
    end = time.monotonic() + 60
    while (state := matches.status(key)["state"]) in ("waiting", "playing"):
        assert time.monotonic() < end
        time.sleep(0.02)
    return str(state)


@pytest.mark.parametrize("fails", [False, True])
def test_a_match_that_is_stopped_while_it_begins_stays_stopped(
    matches: BranchMatches, tmp_path: Path, fails: bool
) -> None:
    @contextlib.contextmanager
    def stopped(job: Job) -> Iterator[Job]:
        matches.stop("0/b1")
        if fails:
            raise OSError(24, "Too many open files")
        yield job

    plays: Callable[[Job], contextlib.AbstractContextManager[Job]] = contextlib.nullcontext
    matches.play(WaitingMatch("0/b1", job(tmp_path / "b1.arena"), stopped))
    matches.play(WaitingMatch("0/b2", job(tmp_path / "b2.arena"), plays))
    assert ended(matches, "0/b2") == "done"
    assert matches.status("0/b1") == {"state": "stopped"}
    assert [path.name for path in tmp_path.iterdir()] == ["b2.arena"]
