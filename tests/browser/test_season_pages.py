"""Pages of a season in a browser, without any match: times in the reader's zone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.season.matches import Matches
from arena.season.store import Season, open_season
from arena.web.season.app import SeasonPages
from arena.web.server import Server

sys.path.insert(0, str(Path(__file__).parents[1] / "season"))
from seasons import add_team, add_version, play, write_config

ZONE = ('# time_zone = "Europe/Berlin"', 'time_zone = "Europe/Berlin"')
DEADLINE = ('# deadline = "2027-01-31T18:00:00+01:00"', 'deadline = "2027-01-31T18:00:00+01:00"')


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    with open_season(write_config(tmp_path, ZONE, DEADLINE)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        red, blue = (version.player for team in ("Red", "Blue") if (version := season.state.active(team)))
        play(season, red, blue)
        yield season


@pytest.fixture
def url(season: Season) -> Iterator[str]:
    matches = Matches(season)
    matches.start = lambda: None  # type: ignore[method-assign]  # the bots have no files
    matches.stop = lambda: None  # type: ignore[method-assign]
    server = Server(SeasonPages(season, matches, None, {}).application(), public=True, forms=True)
    server.start()
    yield server.url.rstrip("/")
    server.stop()


def test_times_are_those_of_the_reader_and_name_those_of_the_season(url: str, viewer: Callable[..., Any]) -> None:
    page = viewer(timezone_id="Asia/Tokyo").page
    page.goto(url)
    deadline = page.locator("p.sub time")
    assert deadline.inner_text() == "2027-02-01 02:00 GMT+9 (2027-01-31 18:00 CET)"
    row = page.locator(".match time").first
    assert row.inner_text().endswith(" GMT+9")
    assert "in the zone of the season" in row.get_attribute("title")
    same = viewer(timezone_id="Europe/Berlin").page
    same.goto(url)
    assert same.locator("p.sub time").inner_text() == "2027-01-31 18:00 CET"
