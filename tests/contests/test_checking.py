"""The checks of versions: who is checked first, how long a team may use the machine, and what a check leaves behind."""

import os
import subprocess
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from season_visitors import add_person, pages_of, upload, visitor
from seasons import ORGANIZER, add_team, add_version, opened, play, result_of, write_config
from server import archive
from test_pages import Futures
from waiting import until

from arena.errors import ArenaError
from arena.season import checking
from arena.season.acts import act
from arena.season.board import next_players
from arena.season.checking import Checks, RunningCheck
from arena.season.finals import start_finals
from arena.season.handing_in import Uploads
from arena.season.matches import Matches, activate, pair
from arena.season.store import new_work_folder, utc

OVER = ('# deadline = "2027-01-31T18:00:00+01:00" ', 'deadline = "2020-01-31T18:00:00+01:00" ')
NONE = ('isolation = "bwrap" ', 'isolation = "none" ')


@pytest.fixture
def season(tmp_path):
    with opened(write_config(tmp_path)) as season:
        for team in ("Red", "Blue", "Green"):
            add_team(season, team)
        yield season


def pass_check(season, version):
    """Let a version pass the last part of its check, the trial match."""
    matches = Matches(season, engine := Futures())
    matches.checks.running[version.key] = RunningCheck(version, examining=False, seconds=2.5)
    season.write(pair(season, "trial", (version.player, next(iter(season.state.anchors))), 1, version.team))
    matches._start_matches()
    engine.submitted[-1][1].set_result(result_of((1.0, 0.0)))


# -- the deadline ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["deadline", "freeze"])
@pytest.mark.promise("checks")
def test_a_version_that_was_handed_in_in_time_plays_though_its_check_ends_after_the_deadline(tmp_path, end):
    with opened(write_config(tmp_path, *([OVER] if end == "deadline" else []))) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
        add_version(season, "Blue")
        version = add_version(season, "Red", checked=False)
        if end == "freeze":
            act(season, ORGANIZER, "freeze", {"reason": "the end"})
        with pytest.raises(ArenaError, match="in time wait for their check: Red/1"):
            start_finals(season, ORGANIZER, {"reason": "finals"})
        pass_check(season, version)
        assert season.state.active("Red").number == version.number
        assert version.player in next_players(season.board(everything=True), [], 2, 0), "it plays on the ladder"
        assert 'name = "Red"' in start_finals(season, ORGANIZER, {"reason": "finals"}).read_text()


def test_a_late_version_does_not_play_and_holds_nobody_up(tmp_path):
    with opened(write_config(tmp_path, OVER)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        late = add_version(season, "Red", checked=False, late=True)
        start_finals(season, ORGANIZER, {"reason": "finals"})
        pass_check(season, late)
        late = season.state.version("Red", late.number)
        assert (late.passed, season.state.active("Red").number) == (True, 1)
        with pytest.raises(ArenaError, match="frozen"):
            activate(season, late)


@pytest.mark.process
@pytest.mark.parametrize("end", ["deadline", "freeze"])
def test_the_time_of_arrival_decides_not_that_of_storing(tmp_path, end):
    with opened(write_config(tmp_path, *([OVER] if end == "deadline" else []))) as season:
        member, _ = add_team(season, "Red")
        before = utc() if end == "freeze" else datetime.fromisoformat(season.config.deadline) - timedelta(seconds=1)
        time.sleep(0.01)
        if end == "freeze":
            act(season, ORGANIZER, "freeze", {"reason": "the end"})
        versions = []
        for at in (before, utc()):
            place = new_work_folder(season) / "upload"
            place.write_bytes(archive(f"# {at}", game="saloon"))
            versions.append(Uploads(season).take(member, place, "bot.zip", at)[0])
        assert [one.late for one in versions] == [False, True]


# -- the order -------------------------------------------------------------------------------------------


@pytest.mark.promise("checks")
def test_who_has_used_the_least_time_is_checked_first_and_late_versions_last(season):
    checks = Checks(season, print, lambda version: [])
    add_version(season, "Red", seconds=200.0)
    add_version(season, "Blue", seconds=10.0)
    late = add_version(season, "Green", checked=False, late=True)
    red, blue, more = (add_version(season, team, checked=False) for team in ("Red", "Blue", "Blue"))
    order = []
    while version := checks.next():
        order.append(version)
        checks.running[version.key] = RunningCheck(version)
        assert checks.next() is not version
        checks.report(version, "it crashes")
    assert order == [blue, more, red, late]


def test_a_team_has_one_check_at_a_time(season):
    checks = Checks(season, print, lambda version: [])
    first, second = (add_version(season, "Red", checked=False) for _ in range(2))
    checks.running[first.key] = RunningCheck(first, examining=False)
    assert checks.next() is None
    checks.report(first, "")
    assert checks.next() is second


def test_a_team_beyond_its_time_waits_and_is_told_until_when(tmp_path):
    with opened(write_config(tmp_path, ("check_seconds_per_day = 1800", "check_seconds_per_day = 100"))) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
        add_version(season, "Red", seconds=60.0)
        add_version(season, "Red", seconds=60.0)
        red = add_version(season, "Red", checked=False)
        pages, app = pages_of(season)
        checks = pages.matches.checks
        assert checks.next() is None
        free = checks.free_at(red)
        assert utc() + timedelta(hours=23, minutes=59) < free < utc() + timedelta(hours=24)
        text = "Red has used its 100 seconds of checks in 24 hours. The version is stored. Its check begins after 2"
        member = visitor(app, add_person(season, "Red"))
        assert text in member.get("/version/Red/3").text
        assert member.get("/api/version/Red/3").json()["waits"].startswith(text)
        blue = add_version(season, "Blue", checked=False)
        assert (checks.next(), checks.why_waiting(blue)) == (blue, "")
        act(season, ORGANIZER, "disqualify_version", {"subject": "Blue/1", "reason": "it waits"})
        act(season, ORGANIZER, "freeze", {"reason": "the end"})
        checks.running[blue.key] = RunningCheck(blue)
        assert (checks.next(), checks.why_waiting(red)) == (red, ""), "nothing that came in time is lost"
        late = add_version(season, "Red", checked=False, late=True)
        checks.running[red.key] = RunningCheck(red)
        checks.report(red, "it crashes")
        assert checks.next() is None
        assert checks.free_at(late)


def test_the_time_of_a_check_is_recorded(season):
    version = add_version(season, "Red", checked=False)
    pass_check(season, version)
    assert season.state.version("Red", 1).report["seconds"] == 2.5
    assert season.state.check_seconds("Red", utc()) == 2.5
    assert season.state.check_seconds("Red", utc() + timedelta(days=1)) == 0
    play(season, version.player, next(iter(season.state.anchors)))


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


def left_behind(season, quiet):
    """Return the temporary files, without the folder for those of matches."""
    found = [*quiet.rglob("*"), *season.folder.rglob(".*"), *(season.folder / "work").glob("*")]
    builds = Path(os.environ["XDG_CACHE_HOME"], "arena", "builds")
    return [one for one in (*found, *builds.glob("*")) if one.parent != quiet]


def hand_in(season, app, team, data):
    done = upload(visitor(app, add_person(season, team)), data)
    assert done.status_code == 201, done.text
    return season.state.versions[team][-1]


@pytest.mark.process
@pytest.mark.sandbox
@pytest.mark.parametrize("end", ["alarm", "stop", "kill", "flood"])
@pytest.mark.promise("journal-text", "check-leftovers")
def test_a_check_leaves_nothing_behind(tmp_path, quiet, monkeypatch, end):
    monkeypatch.setattr(checking, "LONGEST_CHECK", 4 if end == "alarm" else 200)
    script = "yes | head -c 60000000 >&2; exit 7" if end == "flood" else "sleep 86399"
    with opened(write_config(tmp_path)) as season:
        add_team(season, "Red")
        pages, app = pages_of(season)
        version = hand_in(season, app, "Red", built(script))
        before = set((season.folder / "bots").rglob("*"))
        checks = pages.matches.checks
        with season.lock:
            checks.start()
        if end in ("stop", "kill"):
            until(lambda: "sleep 86399" in processes(), processes)
            assert left_behind(season, quiet)
        if end == "kill":
            checks.running[version.key].process._process.kill()
        if end == "stop":
            checks.stop()
        else:
            until(lambda: season.state.version("Red", 1).report)
        if report := season.state.version("Red", 1).report:
            expected = {"alarm": "its check took longer than 4 seconds", "kill": "the check ended without a result",
                        "flood": "does not build: exit code 7"}  # fmt: skip
            assert report["problem"] == expected[end]
            assert (4 if end == "alarm" else 0) < report["seconds"] < 60
        until(lambda: not left_behind(season, quiet), lambda: str(left_behind(season, quiet)))
        until(lambda: "sleep 86399" not in processes(), processes)
        assert set((season.folder / "bots").rglob("*")) == before
        if end == "flood":
            entries = [len(entry.text) for entry in season._journal.entries()]
            page = visitor(app, add_person(season, "Red")).get("/version/Red/1")
            assert max(entries) < 40_000
            assert len(page.content) < 40_000


def processes():
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.process
@pytest.mark.sandbox
@pytest.mark.promise("checks")
def test_a_slow_build_holds_nobody_up_where_there_are_two_places(tmp_path):
    with opened(write_config(tmp_path, ("# checks_at_once = 1", "checks_at_once = 2"))) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
        pages, app = pages_of(season)
        slow, _ = (hand_in(season, app, "Red", built("sleep 86398", str(one))) for one in range(2))
        honest = hand_in(season, app, "Blue", archive("\nraise SystemExit(3)\n", game="saloon"))
        checks = pages.matches.checks
        try:
            with season.lock:
                checks.start()
            assert set(checks.running) == {slow.key, honest.key}
            until(lambda: season.state.version("Blue", 1).report)
            assert [one.report for one in season.state.versions["Red"]] == [None, None]
            with season.lock:
                checks.start()
            assert set(checks.running) == {slow.key}
        finally:
            checks.stop()
