"""The checks of versions: who is checked first, how long a team may use the machine, and what a check leaves behind."""

import os
import shutil
import subprocess
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from contests_toys import (
    add_team,
    add_version,
    archive,
    do,
    opened,
    pass_check,
    run_of,
    write_config,
)
from waiting import until

from arena.contests.ladder.matchmaking import next_players
from arena.contests.open_contest import new_work_folder
from arena.contests.people import version_checks
from arena.contests.people.daily_limits import check_seconds
from arena.contests.people.team_actions import activate
from arena.contests.people.uploads import Uploads
from arena.contests.people.version_checks import Checks, RunningCheck
from arena.contests.values import utc
from arena.errors import ArenaError

OVER = ("# deadline = 2027-01-31T18:00:00+01:00 ", "deadline = 2020-01-31T18:00:00+01:00 ")
FINAL = {"format": "single_elimination"}
NONE = ('isolation = "bwrap" ', 'isolation = "none" ')


@pytest.fixture
def contest(tmp_path):
    with opened(write_config(tmp_path)) as contest:
        for team in ("Red", "Blue", "Green"):
            add_team(contest, team)
        yield contest


# -- the deadline ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["deadline", "freeze"])
@pytest.mark.promise("checks")
def test_a_version_that_was_handed_in_in_time_plays_though_its_check_ends_after_the_deadline(tmp_path, end):
    with opened(write_config(tmp_path, *([OVER] if end == "deadline" else []))) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
        add_version(contest, "Blue")
        version = add_version(contest, "Red", checked=False)
        if end == "freeze":
            do(contest, "freeze")
        with pytest.raises(ArenaError, match="in time wait for their check: Red/1"):
            do(contest, "stage", "final", **FINAL)
        pass_check(contest, version)
        assert contest.state.active("Red").number == version.number
        assert version.player in next_players(contest.board(everything=True), [], 2, 0), "it plays on the ladder"
        do(contest, "stage", "final", **FINAL)
        assert "Red" in run_of(contest).names


def test_a_late_version_does_not_play_and_holds_nobody_up(tmp_path):
    with opened(write_config(tmp_path, OVER)) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        late = add_version(contest, "Red", checked=False, late=True)
        do(contest, "stage", "final", **FINAL)
        pass_check(contest, late)
        late = contest.state.version("Red", late.number)
        assert (late.passed, contest.state.active("Red").number) == (True, 1)
        with pytest.raises(ArenaError, match="frozen"):
            activate(contest, late)


@pytest.mark.process
@pytest.mark.parametrize("end", ["deadline", "freeze"])
def test_the_time_of_arrival_decides_not_that_of_storing(tmp_path, end):
    with opened(write_config(tmp_path, *([OVER] if end == "deadline" else []))) as contest:
        member, _ = add_team(contest, "Red")
        before = (
            utc() if end == "freeze" else datetime.fromisoformat(contest.config.people.deadline) - timedelta(seconds=1)
        )
        time.sleep(0.01)
        if end == "freeze":
            do(contest, "freeze")
        versions = []
        for at in (before, utc()):
            place = new_work_folder(contest.folder) / "upload"
            place.write_bytes(archive(f"# {at}", game="saloon"))
            versions.append(Uploads(contest).take(member, place, "bot.zip", at)[0])
        assert [one.late for one in versions] == [False, True]


# -- the order -------------------------------------------------------------------------------------------


@pytest.mark.promise("checks")
def test_who_has_used_the_least_time_is_checked_first_and_late_versions_last(contest):
    checks = Checks(contest)
    add_version(contest, "Red", seconds=200.0)
    add_version(contest, "Blue", seconds=10.0)
    late = add_version(contest, "Green", checked=False, late=True)
    red, blue, more = (add_version(contest, team, checked=False) for team in ("Red", "Blue", "Blue"))
    order = []
    while version := checks.next():
        order.append(version)
        checks.running[version.key] = RunningCheck(version)
        assert checks.next() is not version
        checks.report(version, "it crashes")
    assert order == [blue, more, red, late]


def test_a_team_has_one_check_at_a_time(contest):
    checks = Checks(contest)
    first, second = (add_version(contest, "Red", checked=False) for _ in range(2))
    checks.running[first.key] = RunningCheck(first, examining=False)
    assert checks.next() is None
    checks.report(first, "")
    assert checks.next() is second


def test_a_team_beyond_its_time_waits_and_is_told_until_when(tmp_path):
    with opened(write_config(tmp_path, ("check_seconds_per_day = 1800", "check_seconds_per_day = 100"))) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
        add_version(contest, "Red", seconds=60.0)
        add_version(contest, "Red", seconds=60.0)
        red = add_version(contest, "Red", checked=False)
        checks = Checks(contest)
        assert checks.next() is None
        free = checks.free_at(red)
        assert utc() + timedelta(hours=23, minutes=59) < free < utc() + timedelta(hours=24)
        text = "Red has used its 100 seconds of checks in 24 hours. The version is stored. Its check begins after 2"
        assert checks.why_waiting(red).startswith(text)
        blue = add_version(contest, "Blue", checked=False)
        assert (checks.next(), checks.why_waiting(blue)) == (blue, "")
        do(contest, "disqualify", "Blue/1")
        do(contest, "freeze")
        checks.running[blue.key] = RunningCheck(blue)
        assert (checks.next(), checks.why_waiting(red)) == (red, ""), "nothing that came in time is lost"
        late = add_version(contest, "Red", checked=False, late=True)
        checks.running[red.key] = RunningCheck(red)
        checks.report(red, "it crashes")
        assert checks.next() is None
        assert checks.free_at(late)


def test_the_time_of_a_check_is_recorded(contest):
    version = add_version(contest, "Red", checked=False)
    pass_check(contest, version)
    assert contest.state.version("Red", 1).report.seconds == 2.5
    assert check_seconds(contest.state, "Red", utc()) == 2.5
    assert check_seconds(contest.state, "Red", utc() + timedelta(days=1)) == 0


# -- processes -------------------------------------------------------------------------------------------

SLOW = 'command = ["./bot"]\n[build]\ncommand = ["sh", "-c", "{script}"]\noutput = ["bot"]\n'


def built(script, more=""):
    """A zip of a bot with a build command."""
    return archive(game="saloon", **{"bot.toml": SLOW.format(script=script), "more.txt": more})


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """A folder for temporary files, with a short name, and a cache, both empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def left_behind(contest, quiet):
    """Return the temporary files, without the folder for those of matches."""
    found = [*quiet.rglob("*"), *contest.folder.rglob(".*"), *(contest.folder / "work").glob("*")]
    builds = Path(os.environ["XDG_CACHE_HOME"], "arena", "builds")
    return [one for one in (*found, *builds.glob("*")) if one.parent != quiet]


def hand_in(contest, team, data):
    member = next((one for one in contest.state.members.values() if one.entrant == team), None)
    upload = new_work_folder(contest.folder) / "upload"
    upload.write_bytes(data)
    version, is_new = Uploads(contest).take(member or add_team(contest, team)[0], upload, "bot.zip", utc())
    shutil.rmtree(upload.parent)
    assert is_new
    return version


@pytest.mark.process
@pytest.mark.sandbox
@pytest.mark.parametrize("end", ["alarm", "stop", "kill", "flood"])
@pytest.mark.promise("journal-text", "check-leftovers")
def test_a_check_leaves_nothing_behind(tmp_path, quiet, monkeypatch, end):
    monkeypatch.setattr(version_checks, "LONGEST_CHECK", 4 if end == "alarm" else 200)
    script = "yes | head -c 60000000 >&2; exit 7" if end == "flood" else "sleep 86399"
    with opened(write_config(tmp_path)) as contest:
        add_team(contest, "Red")
        version = hand_in(contest, "Red", built(script))
        before = set((contest.folder / "bots").rglob("*"))
        checks = Checks(contest)
        with contest.lock:
            checks.start()
        if end in ("stop", "kill"):
            until(lambda: "sleep 86399" in processes(), processes)
            assert left_behind(contest, quiet)
        if end == "kill":
            checks.running[version.key].process._process.kill()
        if end == "stop":
            checks.stop()
        else:
            until(lambda: contest.state.version("Red", 1).report)
        if report := contest.state.version("Red", 1).report:
            expected = {"alarm": "its check took longer than 4 seconds", "kill": "the check ended without a result",
                        "flood": "does not build: exit code 7"}  # fmt: skip
            assert report.problem == expected[end]
            assert (4 if end == "alarm" else 0) < report.seconds < 60
        until(lambda: not left_behind(contest, quiet), lambda: str(left_behind(contest, quiet)))
        until(lambda: "sleep 86399" not in processes(), processes)
        assert set((contest.folder / "bots").rglob("*")) == before
        if end == "flood":
            entries = [len(entry.text) for entry in contest._journal.entries()]
            assert max(entries) < 40_000


def processes():
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.process
@pytest.mark.sandbox
@pytest.mark.promise("checks")
def test_a_slow_build_holds_nobody_up_where_there_are_two_places(tmp_path):
    with opened(write_config(tmp_path, ("# checks_at_once = 1", "checks_at_once = 2"))) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
        slow, _ = (hand_in(contest, "Red", built("sleep 86398", str(one))) for one in range(2))
        honest = hand_in(contest, "Blue", archive("\nraise SystemExit(3)\n", game="saloon"))
        checks = Checks(contest)
        try:
            with contest.lock:
                checks.start()
            assert set(checks.running) == {slow.key, honest.key}
            until(lambda: contest.state.version("Blue", 1).report)
            assert [one.report for one in contest.state.versions["Red"]] == [None, None]
            with contest.lock:
                checks.start()
            assert set(checks.running) == {slow.key}
        finally:
            checks.stop()


def test_a_check_that_cannot_be_started_begins_again_later(contest, monkeypatch):
    monkeypatch.setattr(version_checks, "_PAUSE", 0.0)
    add_version(contest, "Red", checked=False)
    checks, tried = Checks(contest), []

    def no_process(*_given):
        tried.append(len(checks.running))
        raise OSError("no more processes")

    monkeypatch.setattr(version_checks, "UploadCheck", no_process)
    for times in (1, 2):
        with contest.lock:
            checks.start()
        until(lambda times=times: len(tried) == times and not checks.running)
    assert checks.problem == "A check failed: no more processes."
    checks.stop()
