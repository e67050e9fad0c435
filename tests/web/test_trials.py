"""The matches of the map editor: each has an end that its page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from waiting import until

from arena.match.job import Job, SeatAssignment
from arena.web.editor.trials import Trials
from arena.web.page_matches import ACTIVE

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("error", "message", "traceback"),
    [
        (KeyError("view"), "The match failed because of a fault of Arena.", "KeyError: 'view'"),
        (OSError(24, "Too many open files"), "The match failed: Too many open files.", ""),
    ],
    ids=["a fault of Arena", "the system"],
)
def test_an_error_ends_the_match_as_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], error: Exception, message: str, traceback: str
) -> None:
    def register(replay: Path) -> str:
        raise error

    bots = (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy"))
    trials = Trials(register)
    trials.folder = tmp_path
    number = trials.start(Job("saloon", bots, options={"max_turns": 4}, progress=True).seeded())
    until(lambda: trials.status_of(number)["state"] not in ACTIVE)
    status = trials.status_of(number)
    trials.close()
    assert status["state"] == "failed"
    assert status["message"] == message
    written = capsys.readouterr().err
    assert traceback in written if traceback else not written
