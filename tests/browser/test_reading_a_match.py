"""What a reader of a match relies on: marks, names, views of players, running matches, results in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.web.local_pages import LocalPages
from arena.web.server import Server
from arena_replays import Reader, Writer

View = Callable[..., Any]

NO_OVERLAP = """(() => {
  const { places } = arena.timeline;
  return places.length > 3 && places.every((one) => places.every((other) =>
    one === other || one.row !== other.row || Math.abs(one.x - other.x) >= 9));
})()"""
CLIPPED = "[...document.querySelectorAll('.score bdi, h1')].filter((one) => one.clientWidth < 24).length"


@pytest.fixture(scope="module")
def snakes(play: Callable[..., Path], folder: Path) -> dict[int, Path]:
    bots = ["builtin:forager", "builtin:hatchling"] * 4
    return {count: play(folder / f"snakes-{count}.arena", *bots[:count], game="snakes") for count in (2, 4, 8)}


def test_marks_have_places_of_their_own_and_keys_and_clicks_lead_to_them(
    viewer: View, exported: Callable[..., str], match: Path, crash: Path
) -> None:
    view = viewer(700, 800).open(exported(match))
    view.settle()
    assert view.do(NO_OVERLAP)
    frames = view.do("arena.timeline.drawn.map((mark) => mark.frame).sort((one, other) => one - other)")
    for frame in sorted(set(frames))[:3]:
        view.page.keyboard.press("n")
        assert view.frame == frame
    view.page.keyboard.press("p")
    assert view.frame == sorted(set(frames))[1]
    place = view.do("(({ x, row, mark }) => ({ x, y: 6 + 10 * row, frame: mark.frame }))(arena.timeline.places[3])")
    view.page.locator("canvas.timeline").click(position={"x": place["x"], "y": place["y"]})
    assert view.frame == place["frame"]
    view.open(exported(crash))
    view.settle()
    assert view.do(NO_OVERLAP), "refusals and endings as well"


@pytest.mark.kill  # many sizes
def test_names_and_title_fit_from_a_phone_to_a_laptop(
    viewer: View, exported: Callable[..., str], renderer_of: Any, two_legs: tuple[Path, Path], snakes: dict[int, Path]
) -> None:
    view = viewer(880, 800).open(exported(two_legs, renderer=renderer_of("derelict")))
    for width in (880, 960, 1024, 1180):
        view.page.set_viewport_size({"width": width, "height": 800})
        view.settle()
        assert view.do(CLIPPED) == 0, width
    for replay in snakes.values():
        phone = viewer(390, 844).open(exported(replay, renderer=renderer_of("snakes")))
        phone.settle()
        assert phone.page.locator("header.bar").bounding_box()["height"] <= 50, "one row"
        assert phone.do("document.documentElement.scrollWidth <= 390")
        phone.page.keyboard.press("End")
        phone.settle()
        box = phone.page.locator(".score.won").bounding_box()
        assert 0 <= box["x"] <= 390 - box["width"]


def test_a_player_who_left_has_a_place_and_an_exit_code(
    viewer: View, play_programs: Callable[..., Path], exported: Callable[..., str], renderer_of: Any, tmp_path: Path
) -> None:
    bot = tmp_path / "leaver.py"
    bot.write_text(
        "import os\nfrom arena_player import AI\n\n\nclass Leaver(AI):\n    def run_turn(self):\n        os._exit(3)\n"
    )
    replay = play_programs(tmp_path / "five.arena", str(bot), *["builtin:forager"] * 4, game="snakes")
    view = viewer().open(exported(replay, renderer=renderer_of("snakes")))
    view.page.click("#tab-result")
    card = view.page.locator(".result article:has-text('leaver')")
    assert card.locator("em").inner_text() == "crashed, 5th of 5"
    assert "exit code 3" in card.inner_text()


def test_the_view_of_a_player_has_no_move_that_they_did_not_see(
    viewer: View, exported: Callable[..., str], renderer_of: Any, two_legs: tuple[Path, Path]
) -> None:
    view = viewer().open(exported(two_legs[0], renderer=renderer_of("derelict")) + "#t=2")
    view.settle()
    hidden = view.page.locator("#panel-turn .row.action").count()
    assert hidden > 1
    view.page.select_option("select[aria-label=View]", "1")
    view.settle()
    rows = view.page.locator("#panel-turn .row.action").all_inner_texts()
    assert all(row.startswith("A move of the opponent") for row in rows)
    seen = view.do(
        "(({ states, turns: [, { first, last }] }) =>"
        " states.frames.slice(first, last).filter((one) => one.events.length).length)(arena.position)"
    )
    assert len(rows) == seen < hidden
    story = view.page.inner_text(".caption")
    assert not any(word in story for word in ("deploys", "moves", "places")), story


def test_a_lost_match_opens_with_what_explain_found(
    viewer: View, serve: Callable[..., str], explained_replay: Path
) -> None:
    view = viewer().open(serve(explained_replay))
    view.until("arena.replay.explained !== null")
    assert view.page.get_attribute("#tab-why", "aria-selected") == "true"
    assert "You ran into your own body" in view.page.inner_text("#panel-why")
    view.until("arena.position.turn === 9 && !arena.playback.playing")  # it has played the dear mistake
    other = viewer().open(serve(explained_replay) + "#t=3")
    other.until("arena.replay.explained !== null")
    assert other.turn == 2
    assert other.page.get_attribute("#tab-turn", "aria-selected") == "true"


def test_results_and_actions_are_in_words(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match) + "#t=41")
    view.settle()
    rows = view.page.locator("#panel-turn .row.action button").all_inner_texts()
    assert any("plays piano" in row or "moves to (" in row for row in rows), rows
    view.page.click("#tab-result")
    assert view.page.inner_text(".reason") == "pianist cannot catch up."
    view.do("delete arena.board.renderer.action")
    view.do("arena.turnPanel.made = ''")
    view.page.click("#tab-turn")
    view.settle()
    rows = view.page.locator("#panel-turn .row.action button").all_inner_texts()
    assert any("plays Furnishing" in row or "moves to (" in row for row in rows), rows


def test_colours_follow_the_system_before_any_script(viewer: View, serve: Callable[..., str], match: Path) -> None:
    view = viewer(java_script_enabled=False)
    view.page.goto(serve(match))
    ground = lambda page: page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")  # noqa: E731
    assert ground(view.page) == "rgb(20, 17, 15)"
    light = viewer(dark=False).open(serve(match))
    assert ground(light.page) == "rgb(246, 243, 236)"
    light.page.keyboard.press("t")
    assert ground(light.page) == "rgb(20, 17, 15)"


def test_side_by_side_both_have_scores_captions_and_their_colours(
    viewer: View, serve: Callable[..., str], match: Path, other_match: Path
) -> None:
    url = serve(match, other_match)
    view = viewer().open(f"{url}compare/0/1#t=60")
    view.settle()
    titles = view.page.locator(".stage-title").all()
    assert [title.locator("output").count() for title in titles] == [2, 2]
    captions = view.page.locator(".caption").all_inner_texts()
    assert len(captions) == 2
    assert all(caption.startswith("Turn 60.") for caption in captions)
    colors = view.do(
        "[arena.replay.players, arena.other.players].map((all) => all.find((one) => one.name === 'sheriff').color)"
    )
    assert colors[0] == colors[1]


def test_the_caption_tells_no_more_than_the_board_shows(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    view = viewer().open(exported(match))
    first, last = view.do(
        """(() => {
          const { actions, turns } = arena.replay.content;
          const moves = (first) => actions.slice(first - 1, first + 2).every(([, { type }]) => type === "move");
          const found = turns.find(({ first, last }) => last - first > 3 && moves(first));
          return [found.first, found.last];
        })()"""
    )
    told = []
    for frame in (first, first + 1, first + 2, last - 1):
        view.do(f"arena.position.seek({frame})")
        told.append(view.page.inner_text(".caption"))
    assert "moves once" in told[0]
    assert "moves twice" in told[1]
    assert "moves 3 times" in told[2]
    assert len(set(told)) >= 3


def test_charts_count_from_1_scroll_by_key_and_show_zeros(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    view = viewer(1200, 500).open(exported(match))
    view.page.click("#tab-charts")
    view.page.wait_for_selector(".uplot canvas")
    assert view.do("arena.charts.plots[0].data[0][0]") == 1
    view.page.locator("#panel-charts").focus()
    turn = view.turn
    panel = "document.getElementById('panel-charts')"
    # a key scrolls for some frames, also over a position that was set in the meantime
    view.do(f"void (window.scrolled = new Promise((done) => ({panel}.onscrollend = done)))")
    view.page.keyboard.press("PageDown")
    view.do("window.scrolled.then(() => 0)")
    assert view.do(f"{panel}.scrollTop") > 100
    assert view.turn == turn
    zero = view.do(
        "(async () => { const plot = arena.charts.plots[0]; plot.setData([plot.data[0], ...plot.data.slice(1)"
        ".map((line) => line.map(() => 0))]); await 0; await 0; const { min, max } = plot.scales.y; return [min, max];"
        "})()"
    )
    assert zero[0] < 0 < zero[1]
    view.page.locator("#panel-charts").evaluate("(panel) => (panel.scrollTop = 0)")
    view.until("arena.charts.left.length === 0")
    plots = [plot.bounding_box() for plot in view.page.locator(".charts .u-over").all()]
    assert len({(plot["x"], plot["width"]) for plot in plots}) == 1, "equal turns are not below each other"
    view.page.mouse.move(plots[0]["x"] + plots[0]["width"] / 2, plots[0]["y"] + 20, steps=3)
    view.until("document.querySelector('.charts figure:not(.flat) output').textContent !== ''")
    values = view.page.locator(".charts figure:not(.flat) output").all_inner_texts()
    assert len(values) == len(plots) > 1
    assert len({value.split(":")[0] for value in values}) == 1
    assert values[0].startswith("turn ")


def test_each_chart_marks_the_turn_that_is_shown(viewer: View, exported: Callable[..., str], match: Path) -> None:
    """Also those that are drawn later, and all of them in a window of another size."""
    where = """[...document.querySelectorAll(".u-over")].map((over) => {
      const line = over.querySelector(".now").getBoundingClientRect();
      return Math.round((100 * (line.x + 1 - over.getBoundingClientRect().x)) / over.clientWidth);
    })"""
    view = viewer(1200, 500).open(f"{exported(match)}#t=99999&tab=charts")
    view.until("arena.charts.left.length === 0")
    for width in (1200, 2560):
        if width != 1200:
            view.page.set_viewport_size({"width": width, "height": 1400})
        view.settle()
        places = view.do(where)
        assert len(places) > 3
        assert set(places) == {100}


def test_a_running_match_stays_live_and_shows_its_result(
    viewer: View, serve: Callable[..., str], match: Path, tmp_path: Path
) -> None:
    """Many turns arrive at once: the board skips to the newest one, and holds the end with the result."""
    reader = Reader(match)
    frames = list(reader.frames())
    writer = Writer(tmp_path / "live.arena", reader.header)
    done, view = 1, None
    for kind, *values in reader.truth:
        if kind == "setup":
            writer.setup(values[0], [frames[0][0]])
        elif kind == "do":
            writer.do(*values, [frames[done][0]], [frames[done][1]])
            done += 1
        elif kind == "turn":
            writer.turn(*values)
            if values[0] == 2:
                view = viewer().open(serve(tmp_path / "live.arena", live=True))
                view.until("document.querySelector('.live').textContent === 'Live'")
            if values[0] == 60:
                break
    assert view is not None
    view.until("arena.position.turn >= 59")
    view.page.keyboard.press("Home")
    view.until("document.querySelector('.live').textContent === 'Go to turn 61'")
    view.page.click(".live")
    view.until("arena.position.turn === 60")
    writer.finish({"outcome": {"winner": 0}, "players": [{"ending": "won"}, {"ending": "lost"}]})
    view.until("document.querySelector('.ending:not([hidden]) h2')?.textContent === 'sheriff wins'")
    assert view.page.locator(".live").is_hidden()


def test_pages_with_lists_have_a_language_and_landmarks(
    viewer: View, serve: Callable[..., str], match: Path, other_match: Path, tmp_path: Path
) -> None:
    server = Server(LocalPages(tmp_path, match.parent).application())
    server.start()
    try:
        for url in (serve(match, other_match), server.url, f"{server.url}rules/saloon"):
            view = viewer()
            view.page.goto(url)
            assert view.page.get_attribute("html", "lang") == "en", url
            view.page.wait_for_selector("main")
            assert view.page.locator("h1, h2").count() >= 1, url
    finally:
        server.stop()
