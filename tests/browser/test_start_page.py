"""The start page: play, watch, write, continue, and pictures of the replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from waiting import until

from arena.cli import cli
from arena.play.memory import play_in_memory
from arena.web.local_pages import LocalPages
from arena.web.server import Server
from arena_replays import Reader

View = Callable[..., Any]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    server = Server(LocalPages().application())
    server.start()
    yield server
    server.stop()


def test_a_newcomer_plays_a_match_and_finds_it_again(start: Server, viewer: View) -> None:
    view = viewer(1280, 800).open(start.url)
    headings = view.page.locator(".first h2").all_inner_texts()
    assert headings == ["Play against a bot", "Watch two bots", "Write a bot", "Continue"]
    view.page.click("text=Snakes")
    assert view.page.inner_text("#write pre").splitlines()[0] == "arena new snakes my_bot"
    view.page.click("#play button.do")
    view.page.wait_for_url("**/seat/**", timeout=60_000)
    view.page.wait_for_selector("html[data-ready=true]")
    while not view.do("document.documentElement.dataset.over"):
        view.until("document.documentElement.dataset.over || document.querySelector('.choices button')")
        view.do("document.querySelector('.choices button')?.click()")  # the match can end meanwhile
    replay = until(lambda: next(_replays().glob("*.arena"), None))
    assert [player["bot"] for player in Reader(replay).header["players"]] == ["human", "builtin:hatchling"]
    view.page.goto(start.url)
    view.page.wait_for_selector(".replay canvas[data-drawn]")
    picture = view.page.locator(".replay .picture").bounding_box()
    assert picture["width"] / picture["height"] == pytest.approx(4 / 3, abs=0.02), "a square board moves nothing"
    assert view.page.inner_text(".choice [aria-pressed=true]") == "Snakes"
    assert "Your last match: Snakes: human" in view.page.inner_text("#continue")


@pytest.mark.kill  # the first test of this file watches one
def test_a_students_bot_is_watched(start: Server, viewer: View, assert_accessible: Callable[[Any], None]) -> None:
    CliRunner().invoke(cli, ["new", "saloon", "my_bot"])
    play_in_memory("saloon", ["builtin:rowdy"] * 2, seed=1, replay=_replays() / "m.arena", options={"max_turns": 6})
    for width, height, dark in ((390, 844, True), (1280, 800, False), (2560, 1440, True)):
        view = viewer(width, height, dark=dark).open(start.url)
        view.page.locator(".replay").scroll_into_view_if_needed()
        view.page.wait_for_selector(".replay canvas[data-drawn]")
        assert view.do("document.documentElement.scrollWidth <= innerWidth")
        assert_accessible(view.page)
        view.shot(f"start-page-{width}")
    assert "arena climb saloon my_bot" in view.page.inner_text("#continue")
    assert view.page.locator("#watch select >> nth=0").input_value() == "my_bot"
    view.page.click("#watch button.do")
    view.page.wait_for_url("**/view/**", timeout=60_000)
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.inner_text(".rules-link") == "Rules"


def test_a_bot_that_cannot_play_is_named(start: Server, viewer: View) -> None:
    CliRunner().invoke(cli, ["new", "saloon", "my_bot"])
    view = viewer(1280, 800).open(start.url)
    view.page.click("text=Saloon")
    Path("my_bot/main.py").unlink()
    view.page.click("#watch button.do")
    view.page.wait_for_selector("#watch [role=status]:has-text('main.py')")
    assert all("409" in complaint for complaint in view.complaints)
    view.complaints.clear()
    assert not list(_replays().glob("*.arena"))


def _replays() -> Path:
    folder = Path("replays")
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.kill  # `test_playing.py` plays to the end
def test_after_a_resignation_there_are_result_replay_and_rematch(
    start: Server, viewer: View, assert_accessible: Callable[[Any], None]
) -> None:
    view = viewer(1280, 800).open(start.url)
    view.page.click("text=Saloon")
    view.page.click("#play button.do")
    view.page.wait_for_url("**/seat/**", timeout=60_000)
    view.page.wait_for_selector(".choices button")
    view.page.fill(".seat input", "call_in")
    assert view.page.locator(".choices button").count() >= 3
    view.page.fill(".seat input", "dance")
    view.page.wait_for_selector("text=No legal action matches “dance”")
    view.page.click(".resign")
    view.page.click(".resign")
    view.page.wait_for_selector("text=The match is over: you resigned.")
    side = view.page.inner_text("#viewer .side")
    assert "rowdy wins" in side
    assert "human resigned." in side
    assert not view.page.locator("button.live").is_visible()
    assert "Click a piece" not in side
    assert_accessible(view.page)
    view.shot("after-resignation")
    view.page.click("text=Watch the replay")
    view.page.wait_for_url("**/view/**", timeout=60_000)
    view.page.wait_for_selector("#panel-why:has-text('resigned')")
    view.page.goto(f"{start.url}#again=saloon:human,builtin:rowdy")
    view.page.wait_for_url("**/seat/**", timeout=60_000)
    view.page.wait_for_selector(".choices button")
