"""The file that tells the live page what is being played."""

import contextlib
import json
import time

from waiting import until

from arena.contests.status_file import STATUS, StatusFile
from arena.match.spec import MatchSpec, Participant


def spec_of(pairing):
    return MatchSpec("t", "s", 1, pairing, 0, "saloon", "", (), (Participant("a", "1"), Participant("b", "2")), 5)


def until_running(folder, ids):
    until(lambda: [one["match_id"] for one in json.loads((folder / STATUS).read_text())["running"]] == ids)


def test_the_last_change_is_shown_though_nothing_follows(tmp_path):
    one, other = spec_of(0), spec_of(1)
    running = {}
    with contextlib.closing(StatusFile(tmp_path, lambda: running)):
        until_running(tmp_path, [])
        for specs in ([one], [one, other], [other], [other, one]):
            running = {spec.match_id: (spec, 1.0) for spec in specs}
        until_running(tmp_path, [other.match_id, one.match_id])
    until_running(tmp_path, [])
    time.sleep(0.4)
    until_running(tmp_path, [])


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path):
    with contextlib.closing(StatusFile(tmp_path / "gone", lambda: {"m": (spec_of(0), 1.0)})):
        pass
    assert not (tmp_path / "gone").exists()
