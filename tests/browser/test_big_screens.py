"""Big screens: a tournament of 200 bots in pages on screens of several sizes, and finals on the season's server."""

from __future__ import annotations

import re
import sys
import time
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
from bench_export import league  # noqa: E402
from seasons import ORGANIZER, add_team, add_version, write_config  # noqa: E402


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = league(tmp_path_factory.mktemp("large"), 200, StageConfig("swiss", "swiss", rounds=1))
    server = Server(TournamentPages(path.with_suffix(""), None).application(), public=True)
    server.start()
    yield server.url
    server.stop()


def rows_of(page: Any) -> list[str]:
    rows: list[str] = page.locator("#standings tbody tr:visible td:nth-child(2)").all_inner_texts()
    return rows


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 720, 14), (1920, 1080, 22), (3840, 2160, 44)])
def test_a_large_table_is_shown_in_pages_that_fit(
    tournament: str, viewer: Callable[..., Any], width: int, height: int, least: int
) -> None:
    page = viewer(width, height).page
    page.goto(f"{tournament}?screen&seconds=0.4")
    page.wait_for_selector("html[data-version]")
    assert float(page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")) >= least
    seen: set[str] = set()
    end = time.monotonic() + 90
    while len(seen) < 200:
        assert time.monotonic() < end, len(seen)
        if page.locator("#standings").is_hidden():
            page.wait_for_timeout(50)
            continue
        rows = rows_of(page)
        if not rows:
            continue
        heading = page.locator("#standings h2").get_attribute("data-rows")
        assert heading is None or re.fullmatch(r"\d+–\d+ of 200", heading)
        bottom = page.evaluate(
            "Math.max(...[...document.querySelectorAll('#standings tbody tr:not([hidden])')]"
            ".map((row) => row.getBoundingClientRect().bottom))"
        )
        assert bottom <= height, (rows[-1], bottom)
        seen |= set(rows)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_finals_are_on_the_big_screen_of_the_season(tmp_path: Path, viewer: Callable[..., Any]) -> None:
    with open_season(write_config(tmp_path)) as season:
        for team in ("Red", "Blue"):
            add_team(season, team)
            add_version(season, team)
        path = start_finals(season, ORGANIZER, {"count": "2", "reason": "now"})
        played = league(tmp_path / "played", 6)
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
        finally:
            server.stop()
