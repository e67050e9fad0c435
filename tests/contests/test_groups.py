"""Groups: one table for all, places among each other, and guests who play and win no prize."""

import re
from dataclasses import replace

import pytest
from contests_toys import add_team, add_version, do, in_memory, opened, play, result_of, run_of, tables, write_config
from visitors import add_person, pages_of, send, visitor

from arena.contests.config import StageConfig
from arena.contests.config_file import read_config
from arena.contests.people.organizer_acts import public_log
from arena.contests.report import listings
from arena.contests.report.views import podium, standings_of
from arena.contests.report.visible_contest import VisibleContest
from arena.errors import ArenaError

MEMBERS = {"bot001": ["guest"], "bot002": ["novice"], "bot004": ["novice", "guest"], "bot005": ["novice"]}
BOTS = [f"bot{number:03}" for number in range(1, 7)]
TITLES = (("novice", "Novices"), ("guest", "Guests"))
FILE = '[contest]\nname = "x"\ngame = "saloon"\n[groups]\n{}\n[people]\n[[stages]]\nformat = "ladder"\n'


@pytest.fixture
def contest():
    """A round robin in which the bot with the smaller number always wins."""
    contest = in_memory(BOTS, StageConfig("all", "round_robin"), groups=MEMBERS, without_prizes=("guest",))
    contest.config = replace(contest.config, groups=TITLES)
    play(contest, lambda spec: result_of(spec.names.index(min(spec.names))))
    return contest


def prizes_of(contest):
    return {row["name"]: row["prize"] for row in listings.final(VisibleContest.of(contest.state)).documents}


def first_of(contest, members=None):
    return [name for name, _ in podium(VisibleContest.of(contest.state), members)[0]]


def test_a_guest_keeps_its_place_and_wins_no_prize(contest):
    visible = VisibleContest.of(contest.state)
    rows = standings_of(visible, run_of(contest)).lines
    assert [(row.place, row.name, row.why) for row in rows if row.why == "no prize"] == [
        (1, "bot001", "no prize"),
        (4, "bot004", "no prize"),
    ]
    assert visible.final_order() == BOTS
    assert prizes_of(contest) == dict(zip(BOTS, (None, 1, 2, None, 3, 4), strict=True))
    assert first_of(contest) == ["bot002", "bot003", "bot005"]
    assert first_of(contest, ["bot004", "bot005", "bot006"]) == ["bot005", "bot006"]


def test_the_table_of_a_group_has_places_among_its_members(contest):
    novices = [name for name in BOTS if "novice" in contest.state.groups_of(name)]
    view = standings_of(VisibleContest.of(contest.state), run_of(contest)).within(novices)
    assert [(line.place, line.overall, line.name) for line in view.lines] == [
        (1, 2, "bot002"),
        (2, 4, "bot004"),
        (3, 5, "bot005"),
    ]


def test_an_organizer_moves_a_team_and_back(contest):
    before = tables(contest), prizes_of(contest)
    act = do(contest, "group", "bot002", groups="guest novice")
    assert public_log(contest.state)[0]["text"] == "moved bot002 to guest, novice"
    assert prizes_of(contest) == dict(zip(BOTS, (None, None, 1, None, 2, 3), strict=True))
    with pytest.raises(ArenaError, match="belongs to these groups already"):
        do(contest, "group", "bot002", groups="novice guest")
    with pytest.raises(ArenaError, match="There is no group 'school'"):
        do(contest, "group", "bot002", groups="school")
    with pytest.raises(ArenaError, match="no team or bot 'bot009'"):
        do(contest, "group", "bot009")
    do(contest, "group", "bot001")
    assert contest.state.groups_of("bot001") == ()
    assert public_log(contest.state)[0]["text"] == "moved bot001 to no group"
    do(contest, "undo", "a2")
    do(contest, "undo", act)
    assert (tables(contest), prizes_of(contest)) == before


def test_who_is_moved_plays_the_next_stage_of_the_group():
    cup = StageConfig("cup", "round_robin", only="novice")
    contest = in_memory(BOTS, StageConfig("all", "round_robin"), cup, groups=MEMBERS)
    contest.config = replace(contest.config, groups=TITLES)
    do(contest, "group", "bot006", groups="novice")
    do(contest, "group", "bot005")
    play(contest)
    assert sorted(contest.state.stages["cup"].names) == ["bot002", "bot004", "bot006"]


def test_pages_show_groups(tmp_path):
    groups = '[groups]\nnovice = "Novices"\nguest = { title = "Guests", prizes = false }\n'
    with opened(write_config(tmp_path, ("# [groups] ", f"{groups}#"))) as contest:
        for team, group in (("Red", "guest"), ("Blue", "novice")):
            add_team(contest, team, [group])
            add_version(contest, team)
        _, app = pages_of(contest)
        organizer = visitor(app, add_person(contest, "", "organizer"))
        ladder = organizer.get("/?group=guest").text.partition('<section id="ladder">')[2].partition("</section>")[0]
        assert "no prize" in ladder
        assert re.search(r'<td class="left place">1 <small>\d of all</small>', ladder)
        assert "Blue" not in ladder
        assert ", Guests</p>" in organizer.get("/team/Red").text
        with pytest.raises(ArenaError, match="The team Red belongs to other groups"):
            add_team(contest, "Red", ["novice"])
        add_team(contest, "Red", ["guest"])
        assert "Groups: novice, guest; empty for none" in organizer.get("/desk").text
        moved = send(organizer, "/desk/act", kind="group", subject="Red", groups="novice", reason="by mistake")
        assert moved.status_code == 303
        assert "no prize" not in organizer.get("/").text


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("guest = 3", "groups.guest must be a title, or a table with a title, not 3."),
        ('guest = ""', "groups.guest must be a title, or a table with a title, not ''."),
        ("guest = { prizes = false }", "groups.guest.title is missing."),
        ('guest = { title = "Guests", prize = false }', "groups.guest.prize is not known here (did you mean prizes?)."),
    ],
)
def test_a_group_without_a_title_is_refused(groups, message):
    with pytest.raises(ArenaError) as refused:
        read_config(FILE.format(groups))
    assert message in str(refused.value)


def test_a_group_has_a_title_or_a_table():
    config = read_config(FILE.format('novice = "Novices"\nguest = { title = "Guests", prizes = false }'))
    assert (config.groups, config.without_prizes) == (TITLES, ("guest",))


def test_a_team_is_moved_by_the_name_that_only_organizers_see(tmp_path):
    anonymous = ("[people]", "[people]\nanonymous = true"), ("# [groups] ", '[groups]\nguest = "Guests"\n#')
    with opened(write_config(tmp_path, *anonymous)) as contest:
        add_team(contest, "Red")
        do(contest, "group", "Red", groups="guest")
        shown = contest.state.entrant_named("Red").name
        assert (shown != "Red", contest.state.groups_of(shown)) == (True, ("guest",))
