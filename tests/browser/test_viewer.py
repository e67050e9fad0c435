"""The viewer with a real match in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_replays import Reader
from arena_replays.export import export_sharing
from arena_replays.page import Common, Renderer

REPLAYS = Path(__file__).parents[1] / "replays"
View = Callable[..., Any]


def test_it_plays_and_goes_to_any_position(viewer: View, serve: Callable[..., str], match: Path) -> None:
    view = viewer().open(serve(match))
    turns = Reader(match).turns
    assert view.page.inner_text("h1") == "Saloon"
    assert view.page.locator(".score bdi").all_inner_texts() == ["sheriff", "pianist"]
    assert view.frame == 0
    view.page.keyboard.press("Space")
    view.until("arena.position.frame > 3")
    view.page.keyboard.press("Space")
    stopped = view.frame
    view.settle()
    assert view.frame == stopped
    view.page.keyboard.press("ArrowRight")
    assert view.frame == stopped + 1
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("ArrowLeft")
    assert view.frame == stopped - 1
    view.page.keyboard.press("End")
    assert view.turn == len(turns) - 1
    view.page.keyboard.press("Home")
    assert view.frame == 0
    view.page.keyboard.press("5")
    assert abs(view.turn - len(turns) / 2) <= 1
    here = view.turn
    view.page.keyboard.press("ArrowDown")
    assert view.turn == here + 1
    view.page.keyboard.press("ArrowUp")
    view.page.keyboard.press("ArrowUp")
    assert view.turn == here - 1


def test_the_timeline_seeks_by_click_and_drag(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match))
    turns = len(Reader(match).turns)
    box = view.page.locator("canvas.timeline").bounding_box()
    across = lambda part: box["x"] + box["width"] * part  # noqa: E731
    view.page.mouse.click(across(0.5), box["y"] + 30)
    assert abs(view.turn - turns / 2) <= 1
    view.page.mouse.move(across(0.5), box["y"] + 30)
    view.page.mouse.down()
    view.page.mouse.move(across(0.2), box["y"] + 30, steps=4)
    view.page.mouse.up()
    assert abs(view.turn - turns / 5) <= 1
    assert view.page.get_attribute("canvas.timeline", "aria-valuetext").startswith("turn ")


def test_links_lead_to_a_turn_and_a_player(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match) + "#t=37&player=1")
    assert view.turn == 36, "turns are numbered from 1"
    assert view.do("arena.position.only") == 1
    view.page.keyboard.press("ArrowDown")
    view.until("location.hash === '#t=38&player=1'")
    view.do("location.hash = '#t=12'")
    view.until("arena.position.turn === 11")
    view.do("location.hash = '#t=41&a=2&tab=inspect&id=c1'")
    view.until("arena.position.frame === arena.replay.content.allTurns[40].first + 1")
    assert view.page.get_attribute("#tab-inspect", "aria-selected") == "true"
    assert view.do("arena.position.selected") == "c1"
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowRight")
    view.until("arena.position.frame === arena.replay.content.allTurns[40].first + 3")
    view.until("location.hash === '#t=41&a=4&player=1&tab=inspect&id=c1'")
    view.do("arena.board.zoom.to(2, -300, -200)")
    view.until("location.hash.includes('&z=2.00')")
    other = viewer().open(view.page.url)
    place = "[arena.board.zoom.scale, arena.board.zoom.x, arena.board.zoom.y]"
    assert other.do(place) == pytest.approx(view.do(place), abs=10)


def test_a_link_wins_over_a_position_that_is_written_late(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    view = viewer(fresh=True)
    view.page.add_init_script(
        """const wait = window.setTimeout; window.late = [];
           window.setTimeout = (then, ...rest) => { late.push(then); return wait(then, ...rest); }"""
    )
    view.open(exported(match) + "#t=37")
    view.do("{ late.length = 0; arena.position.seek(5); location.hash = '#t=12'; for (const then of late) then(); }")
    view.until("arena.position.turn === 11")


def test_the_board_can_be_read_back(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match) + "#t=41")
    view.settle()
    state = Reader(match).state_at(40)
    placed = {name: thing for name, thing in state.items() if thing.get("x") is not None}
    assert len(placed) > 10
    for name, thing in placed.items():
        at = [thing["x"] + 0.5, thing["y"] + 0.5]
        found = view.do(f"arena.board.renderer.pick(...arena.board.renderer.place({at[0]}, {at[1]}))")
        assert found == name
    cowboy = next(name for name, thing in placed.items() if thing["class"] == "Cowboy")
    x, y = view.do(f"arena.board.renderer.place({placed[cowboy]['x'] + 0.5}, {placed[cowboy]['y'] + 0.5})")
    view.page.locator("canvas.board").click(position={"x": x, "y": y})
    view.settle()
    assert view.page.inner_text("#panel-inspect .turn-head b") == cowboy
    shown = dict(
        row.inner_text().split("\t", 1) for row in view.page.locator("#panel-inspect .fields tr:not(.changed)").all()
    )
    for name, value in shown.items():
        expected = placed[cowboy][name.replace(" ", "_")]
        assert value == (("no", "yes")[expected] if isinstance(expected, bool) else str(expected) or "–")


def test_every_state_in_the_browser_is_that_of_the_file(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    view = viewer().open(exported(match))
    reader = Reader(match)
    for turn in (len(reader.turns) - 1, 0, 57, 56, 3):
        found = view.do(
            f"""Object.fromEntries([...arena.position.states.at(arena.position.endOf({turn}))]
                .map(([id, thing]) => [id, {{...thing}}]))"""
        )
        assert {name: {**thing, "id": name} for name, thing in reader.state_at(turn).items()} == found


def test_charts_and_the_result_are_there(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match))
    view.page.click("#tab-charts")
    view.page.wait_for_selector(".uplot canvas")
    titles = [title.split("\n")[0] for title in view.page.locator("figcaption").all_inner_texts()]
    assert {"Score", "Kills", "Time left on the clock, s"} <= {title.capitalize() for title in titles}
    assert any(title.lower().startswith("time used per turn, ms") for title in titles)
    flat = view.page.locator("figure.flat").count()  # a constant needs no curve
    view.until(f"document.querySelectorAll('.uplot canvas').length === {len(titles) - flat}")
    view.page.locator(".u-over").first.click(position={"x": 150, "y": 40})
    assert view.turn > 10
    view.page.click("#tab-result")
    assert "wins" in view.page.inner_text(".result h2")
    assert view.page.locator(".result article").count() == 2


def test_a_crash_is_two_clicks_from_its_log_and_traceback(
    viewer: View, exported: Callable[..., str], crash: Path
) -> None:
    view = viewer().open(exported(crash))
    view.page.click("#tab-result")
    assert "crashed" in view.page.inner_text(".result article:has-text('talker') em")
    view.page.click("#panel-result .show-turn")
    view.settle()
    assert view.page.get_attribute("#tab-turn", "aria-selected") == "true"
    assert view.turn == len(Reader(crash).turns) - 1
    text = view.page.inner_text("#panel-turn")
    assert "thinking about turn 40" in text
    assert (
        "RuntimeError: I forgot my hat"
        in view.page.inner_text("#panel-turn") + view.page.locator(".trace").first.text_content()
    )


def test_equal_failures_are_one_chip(viewer: Callable[..., Any], exported: Callable[..., str], crash: Path) -> None:
    view = viewer().open(exported(crash))
    view.do("""(() => {
        const { endings } = arena.replay.content;
        for (let turn = 0; turn < 31; turn++) endings.push({ ...endings[0], turn });
        arena.replay.dispatchEvent(new Event("grow"));
        arena.tabs.open("result");
    })()""")
    chip = view.page.locator("#panel-result .endings summary")
    assert chip.inner_text().startswith("crashed in 32 turns, first in turn ")
    assert view.page.locator("#panel-result .show-turn:visible").count() == 0
    chip.click()
    assert view.page.locator("#panel-result .show-turn:visible").count() == 32
    view.page.locator("#panel-result .show-turn").nth(8).click()
    assert view.turn == 7


def test_logs_prints_refusals_and_drawings_of_a_turn(viewer: View, exported: Callable[..., str], crash: Path) -> None:
    view = viewer().open(exported(crash) + "#t=11")
    view.settle()
    panel = view.page.inner_text("#panel-turn")
    assert "thinking about turn 10" in panel
    refusal = next(refusal for refusal in Reader(crash).refusals if refusal.turn == 10)
    assert view.page.locator(f".row.refusal small[title='{refusal.code}']").count() >= 1
    assert refusal.message in panel
    board = view.page.locator("canvas.board")
    with_drawings = board.screenshot()
    view.page.click(".pen >> nth=0")
    view.settle()
    assert board.screenshot() != with_drawings
    view.page.click(".pen >> nth=0")
    view.settle()
    assert board.screenshot() == with_drawings


def test_the_single_file_needs_no_network(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer(offline=True)
    local = ("file:", "data:")
    view.page.route("**/*", lambda route: route.continue_() if route.request.url[:5] in local else route.abort())
    url = exported(match)
    view.open(url + "#t=31")
    assert view.turn == 30
    view.page.keyboard.press("Space")
    view.until("arena.position.turn > 31")
    view.page.click("#tab-charts")
    view.page.wait_for_selector(".uplot canvas")
    assert {request.split(":")[0] for request in view.requests} <= {"file", "data"}
    size = Path(url.removeprefix("file://")).stat().st_size - match.stat().st_size * 4 / 3
    assert size <= 392_000
    print(f"single file without the replay's bytes: {size / 1000:.0f} KB")


def test_pages_that_share_the_viewer_need_no_network(
    viewer: View, match: Path, saloon: Renderer, tmp_path: Path
) -> None:
    pages = [tmp_path / f"{number}.html" for number in range(3)]
    other = Common((REPLAYS / "saloon.arena").read_bytes())
    for page, common in zip(pages, (None, other, other), strict=True):
        export_sharing([match.read_bytes()], page, saloon, common)
    (shared,) = tmp_path.glob("viewer-*.js")
    alone, sharing = (page.stat().st_size for page in pages[:2])
    size = alone - match.stat().st_size * 4 / 3
    print(
        f"page without the replay's bytes: {size / 1000:.1f} KB; shared viewer: {shared.stat().st_size / 1000:.0f} KB; "
        f"page whose replay shares with others: {sharing / 1000:.1f} KB instead of {alone / 1000:.1f} KB"
    )
    assert size <= 2_000
    assert sharing < 0.95 * alone
    for page in pages[:2]:
        view = viewer(offline=True).open(page.as_uri() + "#t=31")
        assert view.turn == 30
        view.page.click("#tab-charts")
        view.page.wait_for_selector(".uplot canvas")
        assert {request.split(":")[0] for request in view.requests} <= {"file", "data"}


def test_it_can_be_used_by_touch(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer(390, 844, has_touch=True, is_mobile=True).open(exported(match) + "#t=21")
    view.page.tap(".transport [aria-label='One turn on']")
    assert view.turn == 21
    swipe = """(dx) => { const c = arena.board.canvas, b = c.getBoundingClientRect();
        const at = (type, x) => c.dispatchEvent(new PointerEvent(type,
            {pointerType: 'touch', clientX: x, clientY: b.top + 60, bubbles: true}));
        at('pointerdown', b.left + 150); at('pointerup', b.left + 150 + dx); }"""
    view.page.evaluate(swipe, -90)
    assert view.turn == 22
    view.page.evaluate(swipe, 90)
    assert view.turn == 21
    wide = view.do("document.documentElement.scrollWidth <= 390")
    assert wide, "nothing may stick out on a phone"


def test_screen_readers_get_a_description_of_turns(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer(reduced_motion="reduce").open(exported(match) + "#t=5")
    assert view.page.get_attribute(".caption", "aria-live") == "polite"
    assert view.page.inner_text(".caption").startswith("Turn 5. ")
    assert view.do("arena.look.still") is True
    view.page.keyboard.press("ArrowDown")
    assert view.page.inner_text(".caption").startswith("Turn 6. ")
    unnamed = view.do(
        "[...document.querySelectorAll('button')].filter((b) => !b.textContent.trim() && !b.ariaLabel).length"
    )
    assert unnamed == 0


def test_two_replays_side_by_side(viewer: View, serve: Callable[..., str], match: Path, other_match: Path) -> None:
    url = serve(match, other_match)
    view = viewer()
    view.page.goto(url)
    assert view.page.locator("a").count() == 3
    view.page.click("text=side by side")
    view.page.wait_for_selector("html[data-ready]")
    assert "The two matches part in turn" in view.page.inner_text(".main")
    assert view.do("arena.timeline.marks.filter((mark) => mark.kind === 'difference').length") == 1
    view.page.click(".notice button")
    view.do("arena.position.seekTurn(30)")
    view.settle()
    assert view.page.locator("canvas.board").count() == 2


@pytest.mark.parametrize(("width", "height", "dark"), [(1440, 900, True), (390, 844, False)])
def test_screenshots(
    viewer: View, exported: Callable[..., str], match: Path, width: int, height: int, *, dark: bool
) -> None:
    view = viewer(width, height, dark=dark).open(exported(match))
    tint = "dark" if dark else "light"
    for name, frame in (("start", "0"), ("middle", "arena.position.endOf(50)"), ("end", "arena.position.last")):
        view.do(f"arena.position.seek({frame})")
        view.shot(f"saloon-{name}-{width}x{height}-{tint}")
    view.page.click("#tab-charts")
    view.shot(f"saloon-charts-{width}x{height}-{tint}")
    view.page.click("#tab-result")
    view.shot(f"saloon-result-{width}x{height}-{tint}")
    assert view.do("arena.board.failure") == ""


def test_a_running_match_is_followed(viewer: View, serve: Callable[..., str], match: Path, tmp_path: Path) -> None:
    """The turns of a real match are written again, slowly, while the page follows."""
    from arena_replays import Writer

    reader = Reader(match)
    frames = list(reader.frames())
    writer = Writer(tmp_path / "live.arena", reader.header)
    delays = []
    done = 1
    view = None
    for entry in reader.truth:
        kind, *values = entry
        if kind == "setup":
            writer.setup(values[0], [frames[0][0]])
        elif kind == "do":
            writer.do(*values, [frames[done][0]], [frames[done][1]])
            done += 1
        elif kind == "turn":
            writer.turn(*values)
            if values[0] == 2:
                view = viewer().open(serve(tmp_path / "live.arena", live=True))
                view.until("arena.replay.content.turns.length === 3")
            elif view is not None:
                written = time.perf_counter()
                view.until(f"arena.replay.content.turns.length === {values[0] + 1}")
                delays.append(time.perf_counter() - written)
            if values[0] == 12:
                break
    assert view is not None
    writer.finish({"outcome": {"winner": 0}, "players": [{"ending": "won"}, {"ending": "lost"}]})
    view.until("arena.replay.content.ended && !arena.replay.live")
    view.until("arena.position.frame === arena.position.last")
    view.page.click("#tab-result")
    view.until("document.querySelector('.result h2').textContent.includes('wins')")
    median = sorted(delays)[len(delays) // 2]
    print(f"turns seen after {median * 1000:.0f} ms (median), {max(delays) * 1000:.0f} ms at most")
