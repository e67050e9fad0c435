"""A version that passes is compared with the active one, and its team chooses which of them plays."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from season_visitors import add_person, pages_of, send, upload, visitor
from seasons import ORGANIZER, add_team, add_version, opened, play, result_of, write_config
from server import archive
from test_pages import Futures
from waiting import until

from arena.errors import ArenaError
from arena.memory import play_in_memory
from arena.season.acts import act
from arena.season.checking import RunningCheck
from arena.season.differences import first_turn_apart
from arena.season.matches import Matches, activate, challenge, pair

PLAYED = result_of((1.0, 0.0))


@pytest.fixture
def season(tmp_path):
    with opened(write_config(tmp_path)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
        yield season


def check(season, version, matches=None):
    """Let a version pass its trial, and return the matches and the engine, which has them to play."""
    matches = matches or Matches(season, Futures())
    engine = matches.engine
    matches.checks.running[version.key] = RunningCheck(version, examining=False)
    season.write(pair(season, "trial", (version.player, next(iter(season.state.anchors))), 1, version.team))
    matches._start_matches()
    engine.submitted[-1][1].set_result(PLAYED)
    return matches, engine


def next_version(season, *, at_once=False):
    version = add_version(season, "Red", checked=False)
    changed = replace(version, at_once=at_once)
    season.state.versions["Red"][-1] = season.state.by_player[version.player] = changed
    return changed


def test_the_first_version_plays_and_the_next_waits_for_a_choice(season):
    check(season, next_version(season))
    assert season.state.active("Red").number == 1
    second = next_version(season)
    check(season, second)
    second = season.state.version("Red", 2)
    assert (second.passed, season.state.active("Red").number) == (True, 1)
    activate(season, second)
    assert season.state.active("Red").number == 2


def test_who_does_not_want_to_be_asked_is_not_asked(season):
    for _ in range(2):
        check(season, next_version(season, at_once=True))
    assert season.state.active("Red").number == 2


def test_a_version_meets_each_built_in_bot_and_the_active_version(season):
    check(season, next_version(season))
    second = next_version(season)
    check(season, second)
    anchors = [*season.state.anchors]
    found = [one for one in season.state.encounters.values() if one.players[0] == second.player]
    rivals = [(one.kind, one.players[1], one.games) for one in found]
    active = season.state.version("Red", 1).player
    assert rivals == [
        ("trial", anchors[0], 1),
        *(("comparison", anchor, 2) for anchor in anchors[1:]),
        ("comparison", active, 2),
    ]
    assert all(one.team == "Red" for one in found)


def test_the_report_begins_with_the_scores_and_asks(season):
    check(season, next_version(season))
    matches = Matches(season, engine := Futures())
    check(season, next_version(season), matches)
    _, app = pages_of(season)
    red, blue = (visitor(app, add_person(season, team)) for team in ("Red", "Blue"))
    assert "Some matches are still to be played." in red.get("/version/Red/2").text
    while season.state.open:
        matches._start_matches()
        engine.submitted[-1][1].set_result(PLAYED)
    text = until(lambda: (found := red.get("/version/Red/2").text) * ("Against version 1" in found))
    order = [text.index(one) for one in ("Against the built-in bots", "Against version 1", "Play with this version?")]
    assert order == sorted(order)
    assert order[-1] < text.index("Check: passed")
    anchors = [name for name, _ in season.state.anchors]
    scores = red.get("/api/version/Red/2", headers={"Accept": "application/json"}).json()
    assert [(one["opponent"], one["points"], len(one["matches"])) for one in scores["scores"]] == [
        (anchors[0], 1, 1),
        *((name, 1, 2) for name in anchors[1:]),
    ]
    assert (scores["comparison"]["version"], scores["comparison"]["points"], scores["compares"]) == (1, 1, False)
    assert "waits for your choice" in red.get("/team/Red").text
    match = scores["comparison"]["matches"][0]["id"]
    assert red.get(f"/match/{match}").status_code == 200
    assert blue.get(f"/match/{match}").status_code == 404, "comparisons are for the team"
    assert send(red, "/activate", number="2").status_code == 303
    text = red.get("/version/Red/2").text
    assert ", active" in text
    assert "Play with this version?" not in text
    assert "Play with version 1" in red.get("/version/Red/1").text, "the way back"
    assert re.search(r'<div id="try">\s*<section><h2>Try it against', text)
    next_version(season)
    waiting = red.get("/version/Red/3").text
    assert re.search(r'<div id="try" data-renew="\d+">\s*</div>', waiting), "it appears without a reload"


def test_comparisons_change_no_rating_and_are_not_public(season):
    check(season, next_version(season))
    before = season.table(everything=True)
    matches = Matches(season, engine := Futures())
    check(season, next_version(season), matches)
    for _ in range(4):
        matches._start_matches()
        engine.submitted[-1][1].set_result(PLAYED)
    assert season.table(everything=True) == before
    assert re.findall("/match/", visitor(pages_of(season)[1]).get("/matches").text) == []


def test_a_version_is_tried_against_others_before_it_is_active(season):
    add_version(season, "Red")
    add_version(season, "Blue")
    second = add_version(season, "Red", active=False)
    red = visitor(pages_of(season)[1], add_person(season, "Red"))
    assert "<option>Blue</option>" in red.get("/version/Red/2").text
    assert send(red, "/challenge", number="2", opponent="Blue").status_code == 303
    (encounter,) = season.state.encounters.values()
    assert (encounter.kind, encounter.players[0]) == ("challenge", second.player)
    failed = add_version(season, "Red", passes=False, active=False)
    with pytest.raises(ArenaError, match="Version 3 of Red does not play"):
        challenge(season, "Red", "Blue", failed.number)
    assert season.state.active("Red").number == 1


def test_what_is_frozen_is_not_offered(season):
    for _ in range(3):
        check(season, next_version(season))
    pages, _ = pages_of(season)

    def offered():
        shown = [pages._views().version(season.state.version("Red", number)) for number in (1, 2, 3)]
        return [(one["usable"], one["asks"]) for one in shown]

    assert offered() == [(False, False), (True, True), (True, True)]
    activate(season, season.state.version("Red", 3))
    assert offered() == [(True, False), (True, False), (False, False)], "an older one does not wait for a choice"
    act(season, ORGANIZER, "freeze", {"reason": "the end"})
    assert offered() == [(False, False)] * 3


def test_who_could_not_choose_before_the_deadline_chooses_once_after_it(season):
    add_version(season, "Red")
    in_time, known = next_version(season), add_version(season, "Blue")
    other = add_version(season, "Blue", active=False)
    act(season, ORGANIZER, "freeze", {"reason": "the end"})
    check(season, in_time)
    assert season.state.active("Red").number == 1
    with pytest.raises(ArenaError, match="frozen"):
        activate(season, other)
    activate(season, season.state.version("Red", 2))
    assert season.state.active("Red").number == 2
    with pytest.raises(ArenaError, match="frozen"):
        activate(season, season.state.version("Red", 1))
    assert season.state.active("Blue").number == known.number


@pytest.mark.process
def test_the_same_files_again_can_be_the_answer(season):
    _, app = pages_of(season)
    red = visitor(app, add_person(season, "Red"))
    first, second = (upload(red, archive(text, game="saloon")).json() for text in ("\n# one\n", "\n# two\n"))
    assert (first["number"], second["number"]) == (1, 2)
    for number in (1, 2):
        check(season, season.state.version("Red", number))
    assert season.state.active("Red").number == 1
    again = upload(red, archive("\n# two\n", game="saloon"), **{"X-Activate": "at-once"})
    assert (again.status_code, again.json()["active"]) == (200, True)
    third = upload(red, archive("\n# three\n", game="saloon"), **{"X-Activate": "at-once"}).json()
    assert season.state.version("Red", third["number"]).at_once


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


def test_the_ladder_shows_skills_results_and_trends_of_what_is_released(season):
    red = add_version(season, "Red").player
    rowdy = next(iter(season.state.anchors))
    for points in ((1.0, 0.0), (0.5, 0.5), (1.0, 0.0)):
        play(season, red, rowdy, points=points)

    def ladder():
        text = visitor(pages_of(season)[1]).get("/").text
        assert "What rating, skill and uncertainty mean" in text
        assert text.count('<svg class="history" id="meaning"') == 1
        assert "rating 30 – 3 × 4 = 18" in text
        table = text[text.index('<table class="standings"') :].partition("</table>")[0]
        assert table.count('<svg class="range"') == 1 + len(season.state.anchors)
        return next(row for row in table.split("<tr>") if 'title="Red"' in row)

    row = ladder()
    assert "<td>2 – 1 – 0</td>" in row
    assert 'aria-label="won, drawn, won"' in row
    assert "<title>skill of Red over time</title>" in row
    act(season, ORGANIZER, "hold", {"reason": "before the finals"})
    play(season, red, rowdy, points=(0.0, 1.0))
    assert ladder() == row, "held back, in the picture too"
