"""The matches that a page starts: what stops a match, and when."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import until

from arena.match.job import Job, SeatAssignment
from arena.web.page_matches import PageMatches, WaitingMatch
from arena_replays import Reader

pytestmark = pytest.mark.process


@pytest.fixture
def matches() -> Iterator[PageMatches]:
    found = PageMatches()
    yield found
    found.close()


def job(replay: Path) -> Job:
    bots = (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy"))
    return Job("saloon", bots, options={"max_turns": 4}, replay=str(replay)).seeded()


def ended(matches: PageMatches, key: str) -> str:
    """Wait until a match is neither waiting nor playing, and return its state."""
    until(lambda: matches.status(key)["state"] not in ("waiting", "playing"))
    return str(matches.status(key)["state"])


@pytest.mark.parametrize("fails", [False, True])
def test_a_match_that_is_stopped_while_it_begins_stays_stopped(
    matches: PageMatches, tmp_path: Path, fails: bool
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


def test_a_match_that_is_stopped_while_it_is_played_says_so(matches: PageMatches, tmp_path: Path) -> None:
    long = replace(job(tmp_path / "b1.arena"), options={"max_turns": 500}, progress=True)
    matches.play(WaitingMatch("0/b1", long, contextlib.nullcontext))
    until(lambda: matches.status("0/b1").get("turn"))
    matches.stop("0/b1")
    assert ended(matches, "0/b1") == "stopped"
    assert matches.statuses("0/")["b1"]["state"] == "stopped"
    footer = Reader(tmp_path / "b1.arena").footer
    assert footer is not None
    assert footer["trouble"] == "interrupted by SIGINT"


def test_a_fault_of_arena_ends_its_match_only(
    matches: PageMatches, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def faulty(job: Job) -> Iterator[Job]:
        raise KeyError("clock")
        yield job

    matches.play(WaitingMatch("0/b1", job(tmp_path / "b1.arena"), faulty))
    matches.play(WaitingMatch("0/b2", job(tmp_path / "b2.arena"), contextlib.nullcontext))
    assert ended(matches, "0/b2") == "done"
    failed = matches.status("0/b1")
    assert failed["state"] == "failed"
    assert "fault of Arena" in failed["message"]
    assert "KeyError: 'clock'" in capsys.readouterr().err
