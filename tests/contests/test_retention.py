"""What is older than a contest keeps it is erased, and nothing else."""

from datetime import timedelta

import pytest
from contest_commands import contest as contest_command
from contests_toys import add_team, add_version, opened, player, record, write_config
from visitors import pages_of

from arena.contests.people import retention
from arena.contests.values import utc
from arena.contests.verify import verify


@pytest.fixture
def path(tmp_path):
    kept = "[people]\nkeep_people_days = 30\nkeep_sources_days = 10"
    return write_config(tmp_path, ('isolation = "bwrap" ', 'isolation = "none" '), ("[people]", kept))


def fill(contest):
    """Let two teams play, one of them with its second version."""
    for team in ("Zaphods", "Trillians"):
        add_team(contest, team)
        add_version(contest, team)
    add_version(contest, "Zaphods")
    record(contest, player(contest, "Zaphods"), player(contest, "Trillians"))
    for version in (version for team in ("Zaphods", "Trillians") for version in contest.state.versions[team]):
        (contest.folder / version.path).mkdir(parents=True, exist_ok=True)


def after(contest, days):
    return retention.plan_of_old(contest, utc() + timedelta(days=days))


def test_the_time_runs_from_the_last_result_and_for_unused_versions_from_their_own(path):
    with opened(path) as contest:
        assert after(contest, 1000) is None, "nothing has begun"
        fill(contest)
        assert after(contest, 9) is None
        first, second = contest.state.versions["Zaphods"]
        third = contest.state.versions["Trillians"][0]
        found = after(contest, 11)
        assert (found.people, [*found.copies]) == ({}, [first.hash, third.hash, second.hash])
        retention.erase_old(contest, found)
        assert after(contest, 11) is None
        assert not any((contest.folder / version.path).exists() for version in (first, second, third))
        assert contest.state.playing() == [], "no version has files any more"
        assert "Zaphods" in contest.state.entrants
        found = after(contest, 31)
        assert [*found.people.values()] == ["Person 1", "Person 2", "Entrant 4", "Entrant 5"]
        points = [row.points for row in contest.board(everything=True).table()]
        retention.erase_old(contest, found)
        assert {"Zaphods", "Trillians"} & {*contest.state.entrants} == set()
        assert [row.points for row in contest.board(everything=True).table()] == points
        assert after(contest, 1000) is None
    assert "Zaphod" not in (contest.folder / "journal.db").read_bytes().decode(errors="replace")
    assert len(verify(contest.folder).erased) == 2


def test_a_server_erases_by_itself_unless_somebody_plays(path, monkeypatch):
    with opened(path) as contest:
        fill(contest)
        later = utc() + timedelta(days=31)
        monkeypatch.setattr(retention, "utc", lambda: later)
        pages, _ = pages_of(contest)
        busy = retention.Retention(contest, lambda: {"Zaphods"})
        busy.look()
        assert "Zaphods" in contest.state.entrants
        retention.Retention(contest, lambda: pages.site.busy).look()
        assert "Zaphods" not in contest.state.entrants
        assert contest.state.in_force()[-1].reason == "people are kept for 30 days; sources are kept for 10 days"


def test_the_command_says_what_is_old(path, tmp_path):
    with opened(path) as contest:
        fill(contest)
    done = contest_command("expire", path, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Nothing is old enough.\n")
