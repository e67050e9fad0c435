"""Pages of a season in a browser, without any match: times in the reader's zone."""

from __future__ import annotations

import base64
import re
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
from season_visitors import add_person
from seasons import add_team, add_version, play, write_config

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


def test_a_team_chooses_a_picture_and_all_pages_show_it(
    season: Season, url: str, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    view = viewer(390, 844)
    page = view.page
    page.goto(f"{url}/sign-in?token={add_person(season, 'Red')}")
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
        ("/", "#standings [title=Red] .sign"),
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
    assert season.state.pictures == {}


def test_by_keyboard_alone_from_the_sign_in_to_a_hand_in_and_an_act(
    season: Season, url: str, viewer: Callable[..., Any]
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

    red = signed_in(add_person(season, "Red"))
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

    olga = signed_in(add_person(season, "", "organizer"))
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
