"""Matches of one turn, without a turn, with long names and with many players, on small and large screens."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays import Reader, Writer
from arena_replays.page import Renderer

View = Callable[..., Any]
SIZES = {"phone": (390, 844), "laptop": (1280, 800), "large": (2560, 1400)}
CUT = "(one) => one.scrollWidth > one.clientWidth"
COLORED = """(color) => arena.charts.plots.map(({ ctx }) => {
  const { width, height } = ctx.canvas;
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(ctx.canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4)
    if (color.every((value, part) => Math.abs(data[at + part] - value) < 12)) found++;
  return found;
})"""


@pytest.fixture(scope="module", params=["first", "last"])
def one_turn(
    request: Any, folder: Path, match: Path, play: Callable[..., Path], play_programs: Callable[..., Path]
) -> tuple[Path, int]:
    """A match of one turn, and the number of this turn."""
    replay, bots = folder / f"{request.param}_turn.arena", ["builtin:sheriff", "builtin:pianist"]
    if request.param == "first":
        return play(replay, *bots, options={"max_turns": 1}), 1
    last = len(Reader(match).turns)
    return play_programs(replay, *bots, "--from", f"{match}@{last}"), last


@pytest.fixture(scope="module")
def long_names(folder: Path, play: Callable[..., Path]) -> Path:
    """Snakes: the names of two bots have 60 characters."""
    bots = [folder / ("W" * 60), folder / "bot_with_a_long_name_of_the_northern_university_team_2026_aa"]
    for bot in bots:
        shutil.copy(Path(__file__).parent / "bots" / "talker.py", bot.with_suffix(".py"))
    names = [str(bot.with_suffix(".py")) for bot in bots]
    others = ["builtin:hatchling", "builtin:forager"]
    return play(folder / "long_names.arena", names[0], others[0], names[1], others[1], game="snakes")


@pytest.fixture(scope="module")
def many(folder: Path, play: Callable[..., Path]) -> Path:
    """Snakes: eight bots, of which several have the same name."""
    bots = ["builtin:forager", "builtin:hatchling", "builtin:constrictor"]
    return play(folder / "many.arena", *bots, *bots, *bots[:2], game="snakes")


def test_a_match_of_one_turn_has_charts(viewer: View, serve: Callable[..., str], one_turn: tuple[Path, int]) -> None:
    replay, number = one_turn
    view = viewer(1280, 800).open(serve(replay) + f"#t={number}&tab=charts")
    view.page.wait_for_selector(".charts canvas")
    view.until("arena.charts.left.length === 0")
    view.settle()
    blue, orange = (view.page.evaluate(COLORED, color) for color in ([0x3D, 0x8B, 0xF2], [0xE8, 0x79, 0x1C]))
    assert all(one or other for one, other in zip(blue, orange, strict=True)), "a chart without any value"
    assert blue[-2] > 10, "the first player's time"
    axis = "arena.charts.plots[0].axes[0]._values.filter(Boolean)"
    assert view.do(axis) == [number], "there is no turn but this one"


def test_a_match_without_a_turn_offers_none(
    viewer: View, serve: Callable[..., str], folder: Path, play_programs: Callable[..., Path]
) -> None:
    bot = folder / "dead.py"
    bot.write_text("raise SystemExit(3)\n")
    dead = play_programs(folder / "dead.arena", str(bot), "builtin:pianist")
    view = viewer(1280, 800).open(serve(dead) + "#tab=result")
    assert "did not start" in view.page.inner_text("#panel-result")
    assert view.page.locator(".show-turn").count() == 0
    view.page.click("#tab-charts")
    view.settle()
    assert view.page.inner_text("#panel-charts").strip() == "No turn has been played yet."


@pytest.mark.parametrize("size", shortened(SIZES))
def test_long_names_leave_room_for_the_others(
    viewer: View, serve: Callable[..., str], long_names: Path, size: str, renderer_of: Callable[[str], Renderer]
) -> None:
    view = viewer(*SIZES[size]).open(serve(long_names, renderer=renderer_of("snakes")) + "#t=1")
    view.settle()
    names = view.page.locator(".score .name")
    cut = [names.nth(at).evaluate(CUT) for at in range(4)]
    assert (cut[1], cut[3]) == (False, False), "the short names"
    assert [names.nth(at).bounding_box()["width"] > 60 for at in (0, 2)] == [True, True]
    assert names.first.get_attribute("title") == "W" * 60
    view.do("arena.caption.node.textContent = `Turn 1. ${'W'.repeat(60)} waits.`")
    assert not view.page.locator(".caption").evaluate(CUT)


@pytest.mark.parametrize("size", shortened(SIZES))
def test_the_names_of_eight_bots_are_not_cut(
    viewer: View, serve: Callable[..., str], many: Path, size: str, renderer_of: Callable[[str], Renderer]
) -> None:
    view = viewer(*SIZES[size]).open(serve(many, renderer=renderer_of("snakes")) + "#t=2")
    view.settle()
    names = view.page.locator(".score .name")
    assert names.count() == 8
    assert not any(names.nth(at).evaluate(CUT) for at in range(8))
    font = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    assert view.page.locator(".score output").first.evaluate(font) >= names.first.evaluate(font)


@pytest.mark.parametrize("size", shortened(SIZES))
def test_two_boards_of_eight_players_show_marks_and_scores(
    viewer: View,
    serve: Callable[..., str],
    many: Path,
    size: str,
    renderer_of: Callable[[str], Renderer],
    tmp_path: Path,
) -> None:
    other = shutil.copy(many, tmp_path / "other.arena")
    view = viewer(*SIZES[size]).open(serve(many, other, renderer=renderer_of("snakes")) + "compare/0/1#t=2")
    view.settle()
    title = view.page.locator(".stage-title").first
    assert not title.evaluate(CUT)
    names = title.locator(".name")
    assert {names.nth(at).evaluate("(one) => getComputedStyle(one).textOverflow") for at in range(8)} == {"clip"}
    heights = view.do("[...document.querySelectorAll('.stage')].map((one) => one.clientHeight)")
    assert heights[0] == heights[1]


def test_two_boards_on_a_phone_are_equally_high(
    viewer: View, serve: Callable[..., str], match: Path, other_match: Path
) -> None:
    view = viewer(390, 844).open(serve(match, other_match) + "compare/0/1#t=2")
    view.settle()
    heights = view.do("[...document.querySelectorAll('.stage')].map((one) => one.clientHeight)")
    assert heights[0] == heights[1]


@pytest.mark.parametrize("way", shortened(["key", "click"]))
def test_a_mark_in_a_turn_without_actions_leads_to_this_turn(
    viewer: View, serve: Callable[..., str], crash: Path, way: str
) -> None:
    view = viewer(1280, 800).open(serve(crash) + "#t=40")
    mark = view.do("arena.timeline.marks.find(({ kind }) => kind === 'ending')")
    if way == "key":
        view.page.keyboard.press("n")
    else:
        x, row = view.do(
            "arena.timeline.places.filter(({ mark }) => mark.kind === 'ending').map((o) => [o.x, o.row])[0]"
        )
        view.page.locator("canvas.timeline").click(position={"x": x, "y": 6 + 10 * row})
    assert view.page.inner_text(".where") == f"turn {mark['turn'] + 1} of 41"
    view.page.keyboard.press("n")
    assert view.turn == mark["turn"], "there is no mark behind it"
    view.page.keyboard.press("p")
    assert view.turn == 38, "a refused action of the first player"
    view.page.keyboard.press("n")
    assert view.turn == mark["turn"]


def test_a_mark_at_the_end_of_a_turn_leads_to_this_turn(
    viewer: View, serve: Callable[..., str], tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "late.arena", {"game": "dice", "players": [{"name": name} for name in "AB"]})
    writer.setup([], [["game", "+", "Game", "game", "turn", 0]])
    for turn in range(4):
        writer.do(turn % 2, {"type": "roll"}, [], [["game", "turn", turn + 1]], [[]])
        if turn == 1:
            writer.refuse(1, {"type": "roll"}, "once", "once is enough")
        writer.turn(turn, turn % 2, 1000, None, None, bytes(8))
    writer.abandon()
    view = viewer(1280, 800).open(serve(tmp_path / "late.arena", renderer=None))
    view.page.keyboard.press("n")
    assert view.page.inner_text(".where") == "turn 2 of 4"
    assert view.page.locator(".row.refusal").count() == 1
    view.page.keyboard.press("End")
    view.page.keyboard.press("p")
    assert view.page.inner_text(".where") == "turn 2 of 4"
