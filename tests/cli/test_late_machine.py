"""`arena play` plays a match again that this machine has delayed, and no other."""

from __future__ import annotations

from typing import Any, cast

import pytest

from arena.cli import play
from arena.cli.play import Stopping
from arena.game import Outcome
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult, PlayerResult
from arena.match.void import HOST_LATE, RETRIES

JOB = Job("saloon", (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy")))
DETAIL = "took longer than 1 s while other programs used the processor"
NOBODY = (PlayerResult("void", "mine", detail=DETAIL), PlayerResult("void"))
LATE, STOPPED = (MatchResult(NOBODY, Outcome(None, reason)) for reason in (HOST_LATE, "interrupted"))
WON = MatchResult((PlayerResult("won"), PlayerResult("lost")), Outcome(0, "duel"))


def played(monkeypatch: pytest.MonkeyPatch, stopping: Stopping, *results: MatchResult) -> list[MatchResult]:
    """Return the results that count, of two matches. A real machine is not late when a test wants it to be."""
    waiting = list(results)
    monkeypatch.setattr(play, "_play", lambda *_, **__: waiting.pop(0))
    found = list(play._play_all([JOB, JOB], cast(Any, None), stopping, quiet=True))
    assert not waiting
    return found


def test_a_late_machine_is_a_reason_to_play_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played(monkeypatch, Stopping(), LATE, WON, *[LATE] * (RETRIES + 1)) == [WON, LATE]
    said = f"mine {DETAIL}.\nThe match does not count and is repeated.\n"
    assert capsys.readouterr().err == said * (1 + RETRIES)


def test_no_other_void_match_is_played_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played(monkeypatch, Stopping(), STOPPED, WON) == [STOPPED, WON]
    assert capsys.readouterr().err == ""


def test_nothing_is_played_again_after_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stopping = Stopping()
    stopping.is_asked = True
    assert played(monkeypatch, stopping, LATE) == [LATE]
    assert capsys.readouterr().err == ""
