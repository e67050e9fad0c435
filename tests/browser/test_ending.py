"""The end of a match: who won, in words and by signs; and what a phone shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_replays.page import Renderer

View = Callable[..., Any]
REPLAYS = Path(__file__).parents[1] / "replays"
SHORT_TARGETS = """
[...document.querySelectorAll("button, select, a")]
  .filter((one) => one.offsetParent && !one.closest("dialog"))
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 80))
"""


def at_end(view: Any) -> Any:
    view.do("arena.position.seek(arena.position.last)")
    view.settle()
    return view.page


def test_the_end_says_who_won_and_why(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match))
    page = view.page
    assert page.locator(".ending").is_hidden()
    assert page.locator(".crown").count() == 0
    view.do("arena.position.seekTurn(4)")
    view.settle()
    assert page.locator(".score.now .moves").count() == 1
    at_end(view)
    assert page.inner_text(".ending h2") == "sheriff wins"
    assert page.inner_text(".ending p") == "pianist cannot catch up."
    assert page.locator(".score.won .name").inner_text() == "sheriff"
    assert page.locator(".score.lost .name").inner_text() == "pianist"
    assert page.locator(".score .moves").count() == 0
    page.click(".ending button:has-text('Why')")
    assert page.locator("#panel-why").is_visible()
    page.click(".ending button:has-text('Again')")
    view.until("arena.position.turn >= 0 && arena.playback.playing")
    assert page.locator(".ending").is_hidden()


def test_a_crashed_player_is_never_marked_as_the_better_one(
    viewer: View, exported: Callable[..., str], crash: Path
) -> None:
    view = viewer().open(exported(crash))
    page = at_end(view)
    assert page.locator(".score.lost .failed").inner_text() == "crashed"
    assert page.locator(".score.won .name").inner_text() == "pianist"


def test_each_number_has_a_unit_and_units_on_the_board_are_no_score(
    viewer: View, exported: Callable[..., str], match: Path, renderer_of: Callable[[str], Renderer]
) -> None:
    view = viewer().open(exported(match))
    assert view.page.locator(".score .unit").all_inner_texts() == ["points", "points"]
    legs = (REPLAYS / "derelict-1.arena", REPLAYS / "derelict-2.arena")
    view = viewer().open(exported(legs, renderer_of("derelict")))
    assert view.page.locator(".score:not([hidden]) output").count() == 0
    view = viewer().open(exported(REPLAYS / "laser_flag-1.arena", renderer_of("laser_flag")))
    page = at_end(view)
    assert "Player " not in page.inner_text(".main")


@pytest.mark.parametrize("height", [844, 700])
def test_on_a_phone_the_board_stays_with_one_row_above_it(
    viewer: View, exported: Callable[..., str], match: Path, height: int
) -> None:
    view = viewer(390, height, has_touch=True).open(exported(match))
    page = view.page
    assert page.locator("header.bar").bounding_box()["height"] <= 50
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    assert page.evaluate(SHORT_TARGETS) == []
    page.click(".more")
    assert page.locator(".settings").is_visible()
    assert page.evaluate(SHORT_TARGETS) == []
    page.click(".more")
    for tab in ("Turn", "Charts", "Result"):
        page.click(f".tabs button:has-text('{tab}')")
        view.settle()
        board = page.locator("canvas.board").bounding_box()
        assert board["y"] >= 48
        assert board["height"] > 200, tab
        assert page.locator(".side").bounding_box()["y"] >= board["y"] + board["height"]
    page.click(".tabs button:has-text('Result')")
    view.settle()
    assert page.locator("#panel-result").is_hidden()


def test_on_a_phone_the_winner_of_a_leg_is_in_sight(
    viewer: View, exported: Callable[..., str], renderer_of: Callable[[str], Renderer]
) -> None:
    legs = (REPLAYS / "derelict-1.arena", REPLAYS / "derelict-2.arena")
    view = viewer(390, 844, has_touch=True).open(exported(legs, renderer_of("derelict")))
    page = at_end(view)
    bar = page.locator(".scores").bounding_box()
    for score in page.locator(".scores > .score:not([hidden])").all():
        box = score.bounding_box()
        assert bar["x"] <= box["x"]
        assert box["x"] + box["width"] <= bar["x"] + bar["width"] + 1


def test_the_board_has_numbers_at_its_edges_and_ids_on_request(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    view = viewer().open(exported(match))
    words = view.words()
    assert {str(number) for number in range(22)} <= set(words)
    assert "g0" not in words
    view.page.keyboard.press("i")
    assert "g0" in view.words()


def test_the_tip_of_the_timeline_covers_no_control(viewer: View, exported: Callable[..., str], crash: Path) -> None:
    view = viewer().open(exported(crash))
    box = view.page.locator("canvas.timeline").bounding_box()
    view.page.mouse.move(box["x"] + 200, box["y"] + box["height"] - 5)
    tip = view.page.locator(".timeline-box .tip").bounding_box()
    assert tip["y"] >= box["y"] + box["height"]
