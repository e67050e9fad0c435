"""Times on the pages are those of the contest's zone and say so; programs get offsets."""

import re
from datetime import datetime

import pytest
from contests_toys import add_team, add_version, do, opened, player, record, write_config
from visitors import add_person, pages_of, visitor

from arena.contests.config_file import read_config_file
from arena.errors import ArenaError

OPENS = ("# opens = 2026-11-30T09:00:00+01:00", "opens = 2026-11-30T09:00:00+01:00")
DEADLINE = ("# deadline = 2027-01-31T18:00:00+01:00", 'deadline = "2027-01-31T18:00:00+01:00"')


def config_with(folder, *changes):
    config, _ = read_config_file(write_config(folder, *changes))
    return config.visible


def zone(name):
    return '# time_zone = "Europe/Berlin"', f'time_zone = "{name}"'


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ((), "2027-01-31 17:10 UTC"),
        ((DEADLINE,), "2027-01-31 18:10 UTC+01:00"),
        (((DEADLINE[0], "deadline = 2027-01-31 18:00:00+01:00"),), "2027-01-31 18:10 UTC+01:00"),
        (((DEADLINE[0], "deadline = 2027-01-31T18:00:00"), zone("Europe/Berlin")), "2027-01-31 18:10 CET"),
        ((DEADLINE, zone("Asia/Tokyo")), "2027-02-01 02:10 JST"),
        ((OPENS,), "2027-01-31 18:10 UTC+01:00"),
    ],
)
def test_a_time_is_shown_in_the_zone_of_the_contest(tmp_path, changes, shown):
    config = config_with(tmp_path, *changes)
    assert config.deadline in ("", "2027-01-31T18:00:00+01:00")
    assert config.shown_time("2027-01-31T17:10:00.123+00:00") == shown
    assert config.shown_time("2027-01-31T18:10:00+01:00") == shown


def test_every_time_on_a_page_names_its_zone_and_its_moment(tmp_path):
    path = write_config(tmp_path, DEADLINE, zone("Europe/Berlin"))
    with opened(path) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        match = record(contest, *(player(contest, team) for team in ("Red", "Blue")))
        do(contest, "announce")
        member = visitor(pages_of(contest)[1], add_person(contest, "Red"))
        for place in ("/", "/matches", f"/match/{match}", "/team/Red", "/version/Red/1", "/acts"):
            text = member.get(place).text
            found = re.findall(r'<time datetime="([^"]+)" data-zone="([^"]+)"[^>]*>([^<]+)</time>', text)
            assert found, place
            for at, zoned, shown in found:
                assert datetime.fromisoformat(at).tzinfo is not None
                assert zoned == shown == contest.config.visible.shown_time(at)
                assert shown.endswith((" CET", " CEST"))
            rest = re.sub(r"<time .*?</time>", "", text)
            assert not re.search(r"\d\d:\d\d", rest), (place, "a time without a zone")


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (
            "deadline = 2027-01-31T18:00:00",
            "people.deadline has no offset. Write one, such as +01:00, or set time_zone",
        ),
        ('opens = "2027-01-31"', "people.opens must be a date-time such as 2027-01-31T18:00:00+01:00"),
        ("opens = 18:00:00", "not the local time 18:00:00"),
        ("opens = 2027-01-31T17:00:00Z\ndeadline = 2027-01-31T18:00:00+01:00", "people.deadline must be after opens"),
    ],
)
def test_a_time_that_names_no_moment_is_refused(tmp_path, people, message):
    with pytest.raises(ArenaError, match=re.escape(message)):
        config_with(tmp_path, (DEADLINE[0], people))
