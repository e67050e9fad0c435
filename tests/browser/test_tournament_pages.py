"""Pages of a tournament: pictures, brackets and the way back in an export, and a bracket while it is played."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.tournament.plan.config import StageConfig
from arena.tournament.run.organizer import organize
from arena.tournament.run.status import StatusFile
from arena.web.server import Server
from arena.web.tournament.app import TournamentPages

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "tournament")]
from bench_export import large_contest, played  # noqa: E402
from tournament_toys import config_of, entrants_of  # noqa: E402

SHADES = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
"""The levels of a table of shades that have a colour; 5 is as many points as the other."""
SHADE = """(shades) => {
  for (const [at, cell] of document.querySelectorAll("#matches .heat td").entries())
    cell.className = `h${shades[at % shades.length]}`;
}"""
REPLAY = (TESTS / "replays" / "saloon.arena").read_bytes()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a bracket of five bots, made twice: the second time keeps the pages."""
    folder = tmp_path_factory.mktemp("exported")
    path = large_contest(folder, 5, StageConfig("cup", "double_elimination"), [REPLAY])
    before: dict[Path, int] = {}
    for _ in range(2):
        done = CliRunner().invoke(cli, ["tournament", "export", "--out", str(folder / "out"), str(path)])
        assert done.exit_code == 0, done.output
        times = {one: one.stat().st_mtime_ns for one in (folder / "out" / "matches").iterdir()}
        assert before in ({}, times)
        before = times
    return folder / "out" / "index.html"


def test_each_match_of_an_export_has_a_picture(exported: Path, viewer: Callable[..., Any]) -> None:
    page = viewer(1280, 800, dark=False).page
    page.goto(exported.as_uri())
    page.locator("#matches .match").last.scroll_into_view_if_needed()
    page.wait_for_selector("#matches .match:last-child canvas[data-drawn]")
    assert page.locator("canvas[data-failed], canvas[hidden]").count() == 0


def test_a_page_of_an_export_leads_back_and_onward(exported: Path, viewer: Callable[..., Any]) -> None:
    view = viewer(1280, 800)
    view.page.goto(exported.as_uri())
    view.page.locator("#matches .match a").first.click()
    view.page.wait_for_selector("html[data-ready=true]")
    first = view.page.url.partition("#")[0]
    with view.page.expect_navigation():
        view.page.click(".way a:has-text('Next')")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.url.partition("#")[0] != first
    assert "round" in view.page.inner_text(".way") or "final" in view.page.inner_text(".way")
    with view.page.expect_navigation():
        view.page.click(".way a:has-text('Previous')")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.url.partition("#")[0] == first
    view.page.click(".way a >> nth=0")
    view.page.wait_for_selector("#final .podium")


def test_by_keyboard_alone_into_a_match_and_back(exported: Path, viewer: Callable[..., Any]) -> None:
    view = viewer(1280, 800)
    page = view.page
    page.goto(exported.as_uri())
    view.tab_to("nav a[href='#matches']")
    page.keyboard.press("Enter")
    view.tab_to("#matches .where a")
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-ready=true]")
    view.tab_to("button.play")
    page.keyboard.press("Space")
    view.until("arena.playback.playing && arena.position.frame > 0")
    page.keyboard.press("Space")
    at = view.frame
    page.keyboard.press("ArrowRight")
    assert view.frame > at
    view.tab_to("#tab-charts")
    page.keyboard.press("Enter")
    assert page.locator("#panel-charts").is_visible()
    view.tab_to(".way a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#final .podium")


def test_tables_of_shades_can_be_read(
    exported: Path, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    """All shades, from no point to all points."""
    page = viewer(1280, 800).page
    page.goto(exported.as_uri())
    page.evaluate("document.querySelectorAll('#matches details').forEach((one) => (one.open = true))")
    page.evaluate(SHADE, SHADES)
    assert all(page.locator(f"td.h{shade}:visible").count() for shade in SHADES)
    assert_accessible(page)


def test_the_path_of_a_bot_stands_out(exported: Path, viewer: Callable[..., Any]) -> None:
    page = viewer(1280, 800).page
    page.goto(exported.as_uri())
    champion = page.locator(".podium .bot").first.inner_text()
    page.locator("svg.bracket g[data-bots] text.won", has_text=champion).first.hover()
    found = page.locator("svg.bracket .path").evaluate_all("all => all.map((one) => one.dataset.bots)")
    assert found
    assert all(champion in one.split("\n") for one in found)
    assert {page.locator(f"svg.bracket {kind}.path").count() > 0 for kind in ("g", "path")} == {True}
    page.mouse.move(5, 5)
    assert page.locator(".path").count() == 0


def test_a_phone_shows_a_bracket_round_by_round(
    exported: Path, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = viewer(390, 844, dark=False).page
    page.goto(exported.as_uri())
    assert page.locator("svg.bracket").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    open_ones = page.locator(".rounds details[open]")
    assert open_ones.locator("summary").inner_text() in ("Grand final", "Second grand final")
    assert_accessible(page)
    page.click(".rounds summary:has-text('Losers') >> nth=0")
    assert open_ones.count() == 1
    assert "Losers" in open_ones.locator("summary").inner_text()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The address of a tournament whose second match is being played, and the names of its players."""
    config = config_of(StageConfig("cup", "single_elimination", best_of=1), id="t", seed="s")
    with (
        organize(tmp_path / "league", config, entrants_of(4)) as organizer,
        contextlib.closing(StatusFile(tmp_path / "league")) as status,
    ):
        one, other, *_ = organizer.schedule.take()
        organizer.journal.commit(one, replace(played(random.Random(1), one), replay="", replay_hash=""))
        status.started(other)
        server = Server(TournamentPages(tmp_path / "league", None).application(), public=True)
        server.start()
        yield server.url, other.names
        server.stop()


def test_a_match_that_is_being_played_is_marked(
    running: tuple[str, tuple[str, ...]], viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    url, names = running
    for motion, animation in (("no-preference", "pulse"), ("reduce", "none")):
        page = viewer(1280, 800, reduced_motion=motion).page
        page.goto(url)
        page.wait_for_selector("svg.bracket g.live")
        assert set(page.locator("svg.bracket g.live").get_attribute("data-bots").split("\n")) == set(names)
        style = "getComputedStyle(document.querySelector('svg.bracket g.live .box')).animationName"
        assert page.evaluate(style) == animation
        assert_accessible(page)
