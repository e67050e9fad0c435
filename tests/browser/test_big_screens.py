"""Big screens: a tournament of 200 bots in pages on screens of several sizes, and finals on the season's server."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.season.finals import start_finals
from arena.season.matches import Matches
from arena.season.store import open_season
from arena.tournament.plan.config import StageConfig
from arena.web.season.app import SeasonPages
from arena.web.server import Server
from arena.web.tournament.app import TournamentPages

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "season")]
from bench_export import large_contest  # noqa: E402
from seasons import ORGANIZER, add_team, add_version, write_config  # noqa: E402


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = large_contest(tmp_path_factory.mktemp("large"), 200, StageConfig("swiss", "swiss", rounds=1))
    server = Server(TournamentPages(path.with_suffix(""), None).application(), public=True)
    server.start()
    yield server.url
    server.stop()


SEEN = """(all) => new Promise((done) => {
  const seen = { names: new Set(), headings: new Set(), bottom: 0 };
  const look = () => {
    const { rows } = document.querySelector("#standings h2").dataset;
    for (const row of rows ? document.querySelectorAll("#standings tbody tr:not([hidden])") : []) {
      const box = row.getBoundingClientRect();
      if (!box.height) continue;
      seen.names.add(row.cells[1].textContent);
      seen.bottom = Math.max(seen.bottom, box.bottom);
      seen.headings.add(rows);
    }
    if (seen.names.size < all) setTimeout(look, 50);
    else done([[...seen.headings], seen.bottom]);
  };
  look();
})"""


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 720, 14), (3840, 2160, 44)])
def test_a_large_table_is_shown_in_pages_that_fit(
    tournament: str, viewer: Callable[..., Any], width: int, height: int, least: int
) -> None:
    page = viewer(width, height).page
    page.goto(f"{tournament}?screen&seconds=0.4")
    page.wait_for_selector("html[data-version]")
    assert float(page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")) >= least
    headings, bottom = page.evaluate(SEEN, 200)
    assert all(re.fullmatch(r"\d+–\d+ of 200", heading) for heading in headings)
    assert len(headings) > 1
    assert bottom <= height
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_finals_are_on_the_big_screen_of_the_season(tmp_path: Path, viewer: Callable[..., Any]) -> None:
    with open_season(write_config(tmp_path)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        path = start_finals(season, ORGANIZER, {"count": "2", "reason": "now"})
        played = large_contest(tmp_path / "played", 6)
        played.with_suffix("").rename(path.with_suffix(""))
        path.unlink()  # so that the server does not continue them
        matches = Matches(season)
        matches.start = lambda: None  # type: ignore[method-assign]  # the bots have no files
        matches.stop = lambda: None  # type: ignore[method-assign]
        pages = SeasonPages(season, matches, None, {})
        server = Server(pages.application(), public=True, forms=True)
        server.start()
        try:
            page = viewer(1920, 1080).page
            page.goto(f"{server.url}screen?seconds=1")
            page.wait_for_selector("#finals iframe", timeout=60_000)
            frame = page.frame_locator("#finals iframe")
            frame.locator("html[data-version]").wait_for(timeout=60_000)
            frame.locator("#standings td", has_text="bot-003").first.wait_for(state="attached", timeout=60_000)
            assert page.locator("#finals iframe").get_attribute("src") == "/finals/finals-1/screen?seconds=1"
            page.goto("about:blank")  # it would complain that the server is gone
        finally:
            server.stop()
