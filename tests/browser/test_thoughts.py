"""What a bot logs and draws: numbers as charts and on the timeline, drawings at their action."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_replays import log

View = Callable[..., Any]

THINKER = """
from arena_player import AI


class Thinker(AI):
    def run_turn(self):
        turn = self.game.current_turn
        self.log("plan", value=turn + 0.25, plan="left", danger=-turn)
        self.act({"type": "move", "cowboy": "c1", "x": 0, "y": 0})
        print("why not")
        self.log("it was refused")
        self.act({"type": "move", "cowboy": "c1", "x": 1, "y": 0})
        self.log("that as well")
        self.act({"type": "end_turn"})
"""


@pytest.fixture(scope="module")
def thinking(play: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thoughts")
    (folder / "thinker.py").write_text(THINKER)
    return play(folder / "thinking.arena", str(folder / "thinker.py"), "builtin:pianist", seed=3)


def test_logged_numbers_are_charts_and_a_track(viewer: View, serve: Callable[..., str], thinking: Path) -> None:
    view = viewer().open(serve(thinking) + "#t=9&tab=charts")
    view.settle()
    assert view.do("arena.timeline.logged.all.map(({ name }) => name)") == ["value", "danger"]
    values = view.do("arena.timeline.logged.all[0].values[0].slice(0, 5)")
    assert values[0] is not None
    assert values[1] is None, "the opponent's turn"
    titles = view.page.locator("#panel-charts figcaption").all_text_contents()
    assert [title for title in titles if "logged" in title] == [
        "“value”, logged by the botson the timelineCSVPNG",
        "“danger”, logged by the botson the timelineCSVPNG",
    ]
    height = view.page.locator(".timeline-box").bounding_box()["height"]
    view.page.locator(".pin").nth(1).click()
    assert view.do("arena.timeline.track") == "danger"
    view.page.locator(".pin").nth(1).click()
    view.settle()
    assert view.page.locator(".timeline-box").bounding_box()["height"] < height, "no track"


def test_logs_and_refusals_have_the_order_of_the_bot(viewer: View, serve: Callable[..., str], thinking: Path) -> None:
    order = ["plan", "move", "why not", "it was refused", "move", "that as well", "end"]
    view = viewer().open(serve(thinking) + "#t=1&tab=turn")
    rows = view.page.locator("#panel-turn .row").all_inner_texts()
    assert [text for row, text in zip(rows, order, strict=True) if text not in row.lower()] == [], rows
    lines = [line for line in log(thinking) if line.startswith("  ")][: len(order)]
    assert [text for line, text in zip(lines, order, strict=True) if text not in line] == [], lines


def test_drawings_belong_to_the_action_they_were_made_for(viewer: View, serve: Callable[..., str], match: Path) -> None:
    view = viewer().open(serve(match))
    at = """((offset) => {
        const turn = arena.replay.content.allTurns.find(({ first, last }) => last - first > 3);
        const draw = (frame, player, text) => ({ turn: turn.entry, frame, player, kind: "draw", payload: [text] });
        arena.replay.content.drawings.set(turn.entry, [
            draw(turn.first, 0, "a"), draw(turn.first + 2, 0, "b"), draw(turn.first + 1, 1, "c")]);
        return arena.position.drawingsAt(turn, turn.first + offset).map(({ payload }) => payload[0]).sort();
    })"""
    assert [view.do(f"{at}({offset})") for offset in range(3)] == [["a"], ["a", "c"], ["b", "c"]]


def test_the_values_of_a_chart_can_be_saved(viewer: View, serve: Callable[..., str], thinking: Path) -> None:
    view = viewer(accept_downloads=True).open(serve(thinking) + "#t=9&tab=charts")
    view.until("arena.charts.left.length === 0")
    figure = view.page.locator("#panel-charts figure", has_text="“danger”")
    with view.page.expect_download() as download:
        figure.get_by_text("CSV", exact=True).click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert rows[0].startswith("turn,")
    assert len(rows) == 1 + view.do("arena.replay.content.allTurns.length")
    with view.page.expect_download() as picture:
        figure.get_by_text("PNG", exact=True).click()
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
