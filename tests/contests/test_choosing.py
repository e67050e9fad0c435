"""A version that passes is compared with the active one, and its team chooses which of them plays."""

from pathlib import Path

import pytest
from contests_toys import add_team, add_version, do, opened, pass_check, pointed_result, write_config

from arena.contests.ladder.encounters import specs_of
from arena.contests.people.team_actions import activate, challenge
from arena.contests.suspicions import first_turn_apart
from arena.errors import ArenaError
from arena.play.memory import play_in_memory


@pytest.fixture
def contest(tmp_path):
    with opened(write_config(tmp_path)) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
        yield contest


def next_version(contest, *, at_once=False):
    return add_version(contest, "Red", checked=False, at_once=at_once)


def test_the_first_version_plays_and_the_next_waits_for_a_choice(contest):
    pass_check(contest, next_version(contest))
    assert contest.state.active("Red").number == 1
    second = next_version(contest)
    pass_check(contest, second)
    second = contest.state.version("Red", 2)
    assert (second.passed, contest.state.active("Red").number) == (True, 1)
    activate(contest, second)
    assert contest.state.active("Red").number == 2


def test_who_does_not_want_to_be_asked_is_not_asked(contest):
    for _ in range(2):
        pass_check(contest, next_version(contest, at_once=True))
    assert contest.state.active("Red").number == 2


def test_a_version_meets_each_built_in_bot_and_the_active_version(contest):
    pass_check(contest, next_version(contest))
    second = next_version(contest)
    pass_check(contest, second)
    anchors = [contest.state.active(name).player for name in contest.state.anchors]
    found = [one for one in contest.state.encounters.values() if one.players[0] == second.player]
    rivals = [(one.kind, one.players[1], one.games) for one in found]
    active = contest.state.version("Red", 1).player
    assert rivals == [
        ("trial", anchors[0], 1),
        *(("comparison", anchor, 2) for anchor in anchors[1:]),
        ("comparison", active, 2),
    ]
    assert all(one.team == "Red" for one in found)


def test_comparisons_change_no_rating_and_are_for_the_team(contest):
    pass_check(contest, next_version(contest))
    before = contest.snapshot.table(everything=True)
    pass_check(contest, next_version(contest))
    for encounter in contest.state.encounters.values():
        for spec in specs_of(contest.state, encounter):
            contest.commit(spec, pointed_result((1.0, 0.0)))
    assert contest.snapshot.table(everything=True) == before
    kinds = {one.kind: (one.is_rated, one.is_public, one.is_reported) for one in contest.state.played.values()}
    assert kinds["comparison"] == kinds["trial"] == (False, False, True)


def test_a_version_is_tried_against_others_before_it_is_active(contest):
    add_version(contest, "Red")
    add_version(contest, "Blue")
    second = add_version(contest, "Red", active=False)
    challenge(contest, "Red", "Blue", second.number)
    (encounter,) = contest.state.encounters.values()
    assert (encounter.kind, encounter.players[0]) == ("challenge", second.player)
    failed = add_version(contest, "Red", passes=False, active=False)
    with pytest.raises(ArenaError, match="Version 3 of Red does not play"):
        challenge(contest, "Red", "Blue", failed.number)
    assert contest.state.active("Red").number == 1


def test_who_could_not_choose_before_the_deadline_chooses_once_after_it(contest):
    add_version(contest, "Red")
    in_time, known = next_version(contest), add_version(contest, "Blue")
    other = add_version(contest, "Blue", active=False)
    do(contest, "freeze")
    pass_check(contest, in_time)
    assert contest.state.active("Red").number == 1
    with pytest.raises(ArenaError, match="frozen"):
        activate(contest, other)
    activate(contest, contest.state.version("Red", 2))
    assert contest.state.active("Red").number == 2
    with pytest.raises(ArenaError, match="frozen"):
        activate(contest, contest.state.version("Red", 1))
    assert contest.state.active("Blue").number == known.number


def test_the_first_turn_in_which_two_matches_differ(tmp_path: Path):
    for name, bots in {
        "a": ("builtin:rowdy", "builtin:rowdy"),
        "b": ("builtin:rowdy", "builtin:rowdy"),
        "c": ("builtin:sheriff", "builtin:rowdy"),
    }.items():
        play_in_memory("saloon", [*bots], seed=3, options={"max_turns": 20}, replay=tmp_path / name)
    assert first_turn_apart(tmp_path / "a", tmp_path / "b") == 0
    assert first_turn_apart(tmp_path / "a", tmp_path / "c") == 1
    assert first_turn_apart(tmp_path / "a", tmp_path / "nothing") is None
