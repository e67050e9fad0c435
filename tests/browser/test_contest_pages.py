"""Pages of a contest in a browser, without any match of programs: pictures, brackets, an export, times, keyboard."""

from __future__ import annotations

import base64
import contextlib
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.contests.config import StageConfig
from arena.contests.open_contest import OpenContest
from arena.contests.status_file import StatusFile
from arena.web.contests.app import ContestPages
from arena.web.contests.following import Follower
from arena.web.server import Server

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "contests")]
from bench_export import large_contest, played  # noqa: E402
from contests_toys import add_team, add_version, begin, opened, player, record, toys, write_config, write_toys  # noqa: E402
from visitors import add_person  # noqa: E402

ZONE = ('# time_zone = "Europe/Berlin"', 'time_zone = "Europe/Berlin"')
PICTURE = """
(async () => {
  const canvas = new OffscreenCanvas(300, 100);
  const g = canvas.getContext("2d");
  for (const [color, left, width] of [["lime", 0, 300], ["red", 100, 50], ["blue", 150, 50]]) {
    g.fillStyle = color;
    g.fillRect(left, 0, width, 100);
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality: 1 })).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
})()
"""
"""A wide picture: red and blue in the middle, green at both ends."""
COLORS = """
async (address) => {
  const picture = await createImageBitmap(await (await fetch(address)).blob());
  const g = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
  g.drawImage(picture, 0, 0);
  const strong = (value) => (value > 200 ? 255 : value < 55 ? 0 : value);
  return [16, 48].map((x) => [...g.getImageData(x, 32, 1, 1).data.slice(0, 3)].map(strong).join());
}
"""
DEADLINE = ("# deadline = 2027-01-31T18:00:00+01:00", "deadline = 2027-01-31T18:00:00+01:00")
SHADES = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
"""The levels of a table of shades that have a colour; 5 is as many points as the other."""
SHADE = """(shades) => {
  for (const [at, cell] of document.querySelectorAll("#matches .heat td").entries())
    cell.className = `h${shades[at % shades.length]}`;
}"""
REPLAY = (TESTS / "replays" / "saloon.arena").read_bytes()


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[OpenContest]:
    with opened(write_config(tmp_path, ZONE, DEADLINE)) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        record(contest, player(contest, "Red"), player(contest, "Blue"))
        yield contest


@pytest.fixture
def url(contest: OpenContest) -> Iterator[str]:
    server = Server(ContestPages(contest).application(), public=True, forms=True)
    server.start()
    yield server.url.rstrip("/")
    server.stop()


@pytest.mark.kill  # the pictures themselves are tested without a browser
def test_a_team_chooses_a_picture_and_all_pages_show_it(
    contest: OpenContest, url: str, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    view = viewer(390, 844)
    page = view.page
    page.goto(f"{url}/sign-in?token={add_person(contest, 'Red')}")
    with page.expect_navigation():
        page.click("main button")
    data = page.evaluate(PICTURE)
    page.goto(f"{url}/team/Red")
    choose = page.locator("#picture input[type=file]")
    choose.set_input_files({"name": "notes.png", "mimeType": "image/png", "buffer": b"no picture"})
    page.wait_for_selector("#picture-message.problem:has-text('cannot read notes.png')")
    assert_accessible(page)
    choose.set_input_files({"name": "red.webp", "mimeType": "image/webp", "buffer": base64.b64decode(data)})
    page.wait_for_selector("#picture button")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert_accessible(page)
    for place, chips in (
        ("/team/Red", "h1 .sign"),
        ("/", "#ladder [title=Red] .sign"),
        ("/", ".match [title=Red] .sign"),
    ):
        page.goto(url + place)
        shown = page.locator(chips).first.evaluate("(one) => getComputedStyle(one).backgroundImage")
        assert page.request.get(re.fullmatch(r'url\("(.+)"\)', shown)[1]).headers["content-type"] == "image/png"
    assert page.locator("[title=Blue] .sign").first.evaluate("(one) => getComputedStyle(one).backgroundImage") == "none"
    assert page.evaluate(COLORS, shown[5:-2]) == ["255,0,0", "0,0,255"], "the middle of a wide picture"
    page.goto(f"{url}/team/Red")
    page.click("#picture button")
    page.wait_for_selector("#picture:not(:has(button))")
    assert contest.state.pictures == {}


def test_by_keyboard_alone_from_the_sign_in_to_a_hand_in_and_an_act(
    contest: OpenContest, url: str, viewer: Callable[..., Any]
) -> None:
    def signed_in(token: str) -> Any:
        view = viewer(1280, 800, fresh=True)
        view.page.goto(url)
        view.tab_to("a[href='/sign-in']")
        view.page.keyboard.press("Enter")
        view.page.wait_for_url("**/sign-in")
        view.tab_to("[name=token]")
        view.page.keyboard.type(token)
        view.page.keyboard.press("Enter")
        view.page.wait_for_selector("form[action='/sign-out']")
        return view

    red = signed_in(add_person(contest, "Red"))
    choosers: list[Any] = []
    # Long before the key, since the browser learns later of who listens.
    red.page.on("filechooser", lambda one: choosers.append(one))
    red.tab_to("header a[href='/team/Red']")
    red.page.keyboard.press("Enter")
    red.page.wait_for_selector("#upload")
    red.tab_to("#upload input[type=file]")
    red.page.keyboard.press("Enter")
    while not choosers:  # pytest-timeout ends this
        red.page.wait_for_timeout(50)
    choosers[0].set_files({"name": "bot.py", "mimeType": "text/x-python", "buffer": b"print(1)"})
    red.page.wait_for_url("**/version/Red/2")

    olga = signed_in(add_person(contest, "", "organizer"))
    olga.tab_to("header a[href='/desk']")
    olga.page.keyboard.press("Enter")
    olga.page.wait_for_selector(".deed")
    olga.tab_to(".danger summary")
    olga.page.keyboard.press("Enter")
    olga.tab_to(".danger [name=reason]")
    olga.page.keyboard.type("the end")
    olga.page.keyboard.press("Tab")
    olga.page.keyboard.press("Space")
    olga.page.keyboard.press("Tab")
    olga.page.keyboard.press("Enter")
    olga.page.wait_for_selector(".state .warned:has-text('Frozen')")


def test_times_are_those_of_the_reader_and_name_those_of_the_contest(url: str, viewer: Callable[..., Any]) -> None:
    page = viewer(timezone_id="Asia/Tokyo").page
    page.clock.set_fixed_time("2026-11-28T12:00:00Z")
    page.goto(url)
    deadline = page.locator("p.sub time")
    assert deadline.inner_text() == "Monday, 1 February, 02:00 GMT+9 (2027-01-31 18:00 CET), in 65 days"
    row = page.locator(".match time").first
    assert row.inner_text().endswith(" GMT+9")
    assert "in the zone of the contest" in row.get_attribute("title")
    page.goto(page.locator(".match a[href^='/match/']").first.evaluate("(link) => link.href"))
    assert re.search(r" GMT\+9 \(.* CES?T\)$", page.locator("p.sub time").inner_text())
    same = viewer(timezone_id="Europe/Berlin").page
    for now, written in (
        ("2026-01-31T12:00:00Z", "Sunday, 31 January 2027, 18:00, in 365 days"),
        ("2027-01-29T23:30:00Z", "Sunday, 31 January, 18:00, in 1 day"),
        ("2027-01-31T11:50:00Z", "Sunday, 31 January, 18:00, in 5 hours"),
        ("2027-01-31T16:58:30Z", "Sunday, 31 January, 18:00, in 2 minutes"),
        ("2027-02-01T12:00:00Z", "Sunday, 31 January, 18:00"),
    ):
        same.clock.set_fixed_time(now)
        same.goto(url)
        assert same.locator("p.sub time").inner_text() == written


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a bracket of five bots, made twice: the second time keeps the pages."""
    folder = tmp_path_factory.mktemp("exported")
    path = large_contest(folder, 5, StageConfig("cup", "double_elimination"), [REPLAY])
    before: dict[Path, int] = {}
    for _ in range(2):
        done = CliRunner().invoke(cli, ["contest", "export", "--out", str(folder / "out"), str(path)])
        assert done.exit_code == 0, done.output
        times = {one: one.stat().st_mtime_ns for one in (folder / "out" / "matches").iterdir()}
        assert before in ({}, times)
        before = times
    return folder / "out" / "index.html"


@pytest.mark.kill  # a whole export
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


@pytest.mark.kill  # the other way by keyboard runs each day
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


def test_matches_have_pictures_the_path_of_a_bot_stands_out_and_tables_of_shades_can_be_read(
    exported: Path, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = viewer(1280, 800).page
    page.goto(exported.as_uri())
    page.locator("#matches .match").last.scroll_into_view_if_needed()
    page.wait_for_selector("#matches .match:last-child canvas[data-drawn]")
    assert page.locator("canvas[data-failed], canvas[hidden]").count() == 0

    champion = page.locator(".podium .bot").first.inner_text()
    page.locator("svg.bracket g[data-bots] text.won", has_text=champion).first.hover()
    found = page.locator("svg.bracket .path").evaluate_all("all => all.map((one) => one.dataset.bots)")
    assert found
    assert all(champion in one.split("\n") for one in found)
    assert {page.locator(f"svg.bracket {kind}.path").count() > 0 for kind in ("g", "path")} == {True}
    page.mouse.move(5, 5)
    assert page.locator(".path").count() == 0

    page.evaluate("document.querySelectorAll('#matches details').forEach((one) => (one.open = true))")
    page.evaluate(SHADE, SHADES)
    assert all(page.locator(f"td.h{shade}:visible").count() for shade in SHADES)
    assert_accessible(page)


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
    """The address of a contest whose second match is being played, and the names of its players."""
    path = write_toys(tmp_path, StageConfig("cup", "single_elimination", best_of=1), id="t", seed="s")
    with toys(path, 4) as opened:
        one, other, *_ = begin(opened)
        opened.commit(one, replace(played(random.Random(1), one), replay="", replay_hash=""))
        server = Server(ContestPages(Follower(opened.folder)).application(), public=True, forms=True)
        server.start()
        matches = {other.match_id: (other, time.time())}
        with contextlib.closing(StatusFile(opened.folder, lambda: matches)):
            yield server.url, other.names
        server.stop()


@pytest.mark.kill  # one more contest runs
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
