"""Pages that change: those of visitors who are not signed in are kept for a moment, and the queue shows checks."""

from concurrent.futures import Future
from dataclasses import replace

import pytest
from season_visitors import add_person, pages_of, visitor
from seasons import ORGANIZER, add_team, add_version, opened, play, void_result, write_config

from arena.game import Outcome
from arena.match.result import PlayerResult
from arena.season.acts import act
from arena.season.checking import RunningCheck
from arena.season.matches import Matches, pair
from arena.web.season import requests


def two_players(season):
    """Add two teams with a version each, and return the players."""
    for team in ("Red", "Blue"):
        add_team(season, team)
        add_version(season, team)
    return [season.state.active(team).player for team in ("Red", "Blue")]


def test_pages_of_everybody_are_kept_until_they_are_too_old_or_something_else_happens(tmp_path, monkeypatch):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        member, anybody = visitor(app, add_person(season, "Red")), visitor(app)
        monkeypatch.setattr(requests, "_FRESH", 1000.0)
        before = anybody.get("/matches").text
        first = play(season, *players)
        assert anybody.get("/matches").text == before
        assert first in member.get("/matches").text, "pages of members are not kept"
        act(season, ORGANIZER, "void", {"subject": first, "reason": "because"})
        assert "does not count" in anybody.get("/matches").text
        assert anybody.get("/match/none").status_code == 404
        act(season, ORGANIZER, "hold", {"reason": "because"})
        monkeypatch.setattr(requests, "_FRESH", 0.0)
        held = play(season, *players)
        assert held not in anybody.get("/matches").text
        act(season, ORGANIZER, "release", {"reason": "because"})
        assert held in anybody.get("/matches").text
        second = play(season, *players)
        assert second in anybody.get("/matches").text, "an old page is computed again"


def test_pages_that_are_kept_have_a_limit_in_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "LARGEST_KEPT", 100_000)
    with opened(write_config(tmp_path)) as season:
        pages = requests.SharedPages(season)
        monkeypatch.setattr("arena.web.season.app.SharedPages", lambda _: pages)
        anybody = visitor(pages_of(season)[1])
        most = 0
        for number in range(60):
            assert anybody.get(f"/matches?team={'x' * 5000}{number}").status_code == 200
            kept = [len(key) + len(response.body) for key, (_, _, response) in pages._kept.items()]
            assert sum(kept) == pages._size
            most = max(most, sum(kept))
        assert 50_000 < most <= 100_000
        for _ in range(3):
            anybody.get("/matches")
        assert sum(len(key) + len(one[2].body) for key, one in pages._kept.items()) == pages._size


def test_a_void_match_of_any_kind_does_not_count(tmp_path):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        member = visitor(app, add_person(season, "Red"))
        for kind in ("ladder", "challenge"):
            match = play(season, *players, kind=kind, team="Red", result=void_result())
            assert "does not count" in member.get(f"/match/{match}").text
        act(season, ORGANIZER, "correct", {"subject": next(iter(season.state.played)), "points": "1 0", "reason": "x"})
        assert "corrected" in member.get("/matches").text


class Futures:
    """An engine of which the test gives the results."""

    window = 1

    def __init__(self):
        self.submitted = []

    def submit(self, spec, attempt):
        self.submitted.append((spec, Future()))
        return self.submitted[-1][1]

    def kill(self):
        pass

    close = kill


@pytest.mark.parametrize("blamed", [False, True])
def test_a_void_first_match_is_repeated_and_is_no_problem_of_the_bot(tmp_path, blamed):
    result = void_result()
    if blamed:
        late = PlayerResult("void", detail="took longer than 1.000 s")
        result = replace(result, outcome=Outcome(None, "host_late"), players=(late, *result.players[1:]))
    with opened(write_config(tmp_path)) as season:
        add_team(season, "Red")
        version = add_version(season, "Red", checked=False)
        matches = Matches(season, engine := Futures())
        matches.checks.running[version.key] = RunningCheck(version, examining=False)
        season.write(pair(season, "trial", (version.player, next(iter(season.state.anchors))), 1, "Red"))
        for attempt in range(3):
            assert season.state.version("Red", 1).report is None
            matches._start_matches()
            assert len(engine.submitted) == attempt + 1
            engine.submitted[-1][1].set_result(result)
        report = season.state.version("Red", 1).report
        assert (report["passed"], season.state.active("Red") is not None) == (not blamed, not blamed)
        if blamed:
            assert report["problem"] == "its first match ended with timed_out: took longer than 1.000 s"
        else:
            text = "first match: void, through no fault of the bot (the referee gave no result: interrupted by SIGTERM)"
            assert report["lines"] == [{"name": text, "passed": True, "problem_text": ""}]
            assert season.state.played[report["match"]].is_void


def test_the_queue_shows_what_a_check_does(tmp_path):
    with opened(write_config(tmp_path)) as season:
        add_team(season, "Red")
        version = add_version(season, "Red", checked=False)
        pages, app = pages_of(season)
        olga = visitor(app, add_person(season, "", "organizer"))
        lines = pages.matches.checks.running.setdefault("Red/1", RunningCheck(version)).lines
        for line, text in (
            (None, "waits"),
            ({"running": "plays a whole match"}, "plays a whole match"),
            ({"name": "builds", "passed": True, "problem_text": ""}, "builds"),
        ):
            lines += [line] if line else []
            page = olga.get("/queue")
            assert (page.status_code, f">{text}</td>" in page.text) == (200, True), page.text
