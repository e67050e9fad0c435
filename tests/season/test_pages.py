"""Pages that change: those of visitors who are not signed in are kept for a moment, and the queue shows checks."""

from season_visitors import add_person, pages_of, visitor
from seasons import ORGANIZER, add_team, add_version, opened, play, write_config

from arena.season.acts import act
from arena.web.season import requests


def test_pages_of_everybody_are_kept_until_they_are_too_old_or_something_else_happens(tmp_path, monkeypatch):
    with opened(write_config(tmp_path)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        players = [season.state.active(team).player for team in ("Red", "Blue")]
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


def test_the_queue_shows_what_a_check_does(tmp_path):
    with opened(write_config(tmp_path)) as season:
        add_team(season, "Red")
        add_version(season, "Red", active=False)
        season.state.version("Red", 1).report = None
        pages, app = pages_of(season)
        olga = visitor(app, add_person(season, "", "organizer"))
        lines = pages.matches.checks.setdefault("Red/1", [])
        for line, text in (
            (None, "waits"),
            ({"running": "plays a whole match"}, "plays a whole match"),
            ({"name": "builds", "passed": True, "problem_text": ""}, "builds"),
        ):
            lines += [line] if line else []
            page = olga.get("/queue")
            assert (page.status_code, f">{text}</td>" in page.text) == (200, True), page.text
