"""The file that tells the live page what is being played."""

import contextlib
import json
import time

from waiting import until

from arena.contests.status import STATUS, StatusFile
from arena.match.spec import MatchSpec, Participant


def spec_of(pairing):
    return MatchSpec("t", "s", 1, pairing, 0, "saloon", "", (), (Participant("a", "1"), Participant("b", "2")), 5)


def until_running(folder, ids):
    until(lambda: [one["match_id"] for one in json.loads((folder / STATUS).read_text())["running"]] == ids)


def test_the_last_change_is_shown_though_nothing_follows(tmp_path):
    one, other = spec_of(0), spec_of(1)
    with contextlib.closing(StatusFile(tmp_path)) as status:
        status.started(one)
        status.started(other)
        until_running(tmp_path, [one.match_id, other.match_id])
        status.replayed(one, "void")
        status.started(one)
        status.replayed(other, "void")
        until_running(tmp_path, [one.match_id])
        status.started(other)
    until_running(tmp_path, [])
    time.sleep(0.4)
    until_running(tmp_path, [])


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path):
    with contextlib.closing(StatusFile(tmp_path / "gone")) as status:
        status.started(spec_of(0))
    assert not (tmp_path / "gone").exists()
