"""Pages for visitors who are not signed in are kept for a moment, but never across an act of the organizer."""

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
