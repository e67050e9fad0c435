"""What one can send of a match: a link, pictures, one page, a line of HTML; and how a page that one got begins."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from arena.study.replaying.presentation import renderer_of
from arena.web.local_pages import LocalPages
from arena.web.server import Server
from arena_replays.page import opening_page

View = Callable[..., Any]
REPLAYS = Path(__file__).parents[1] / "replays"
SHIFT = """(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (shift += one.hadRecentInput ? 0 : one.value)))
      .observe({ type: "layout-shift", buffered: true });
})()"""


def pictures_of(gif: bytes) -> list[int]:
    """The time of each picture of a GIF, in hundredths of a second; each block is read as a program reads it."""
    assert gif.startswith(b"GIF89a")
    at, times = 13 + 3 * 256, []
    while gif[at] != 0x3B:
        if gif[at] == 0x21:
            if gif[at + 1] == 0xF9:
                times.append(struct.unpack_from("<H", gif, at + 4)[0])
            at += 2
        else:
            assert gif[at] == 0x2C
            at += 11  # the place and size of the picture, and the size of codes
        while gif[at]:
            at += gif[at] + 1
        at += 1
    assert at == len(gif) - 1
    return times


def saved(view: Any, press: str) -> bytes:
    with view.page.expect_download() as info:
        view.page.click(press)
    return Path(info.value.path()).read_bytes()


def test_a_match_is_sent_as_pictures_and_as_one_page(
    viewer: View, exported: Callable[..., str], match: Path, tmp_path: Path, assert_accessible: Callable[[Any], None]
) -> None:
    view = viewer(1280, 800).open(exported(match) + "#t=30")
    board = view.picture()
    view.page.click("[aria-label=Share]")
    view.page.wait_for_selector(".share")
    assert_accessible(view.page)
    assert not view.page.locator("h3:has-text('Link')").count(), "the address of a file opens on this machine only"
    picture = saved(view, "text=Save the picture")
    assert struct.unpack_from(">4xII", picture, 12) == (1200, 728)
    view.page.select_option("[aria-label='From turn']", label="30")
    view.page.select_option("[aria-label='To turn']", label="34")
    view.page.click("text=Make the film")
    film = saved(view, ".made a")
    times = pictures_of(film)
    assert set(times[:-1]) == {8}
    assert times[-1] == 150
    said = view.page.inner_text(".share [role=status]")
    assert said == f"{sum(times) / 100:.0f} s"
    line = view.page.input_value("[aria-label='Line of HTML']")
    assert re.fullmatch(r'<iframe src="saloon-sheriff-pianist\.html#t=30" title="Saloon: .*></iframe>', line)
    (tmp_path / "copy").mkdir()
    copy = tmp_path / "copy" / "saloon-sheriff-pianist.html"
    copy.write_bytes(saved(view, "text=Save the page"))
    assert view.picture() == board, "the page shows what it has shown before"
    again = viewer(1280, 800).open(f"{copy.as_uri()}#t=30")
    assert again.picture() == board
    assert again.do("document.querySelectorAll('dialog.share, script[src]').length") == 0
    around = tmp_path / "copy" / "page.html"
    around.write_text(f"<!doctype html><title>A page</title>{line}")
    outside = viewer(1280, 800)
    outside.page.goto(around.as_uri())
    frame = outside.page.frame_locator("iframe")
    frame.locator(".where:has-text('turn 30')").wait_for(state="attached")


@pytest.mark.kill  # a film of 20 s; the first test makes one of a few turns
def test_a_long_stretch_becomes_a_film_of_20_seconds(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer(1280, 800).open(exported(match))
    found = view.do("""(async () => {
        const { film, stretch, lengthOf } = await import("arena/film");
        const shots = stretch(arena, 0, arena.position.turns.length - 1);
        const begun = performance.now();
        const bytes = await film(arena, shots);
        return [lengthOf(shots), performance.now() - begun, bytes.length, shots.length];
    })()""")
    print("film of {:.1f} s in {:.0f} ms: {} bytes, {} pictures".format(*found))
    assert 19.5 <= found[0] <= 20
    assert found[2] < 10e6


def test_a_page_plays_when_it_is_seen(viewer: View, exported: Callable[..., str], match: Path) -> None:
    page = exported(match)
    view = viewer(plays=True)
    view.page.add_init_script(SHIFT)
    view.open(page)
    view.until("arena.playback.playing && arena.position.frame > 0")
    view.page.keyboard.press("Tab")
    view.page.keyboard.press("Tab")
    assert view.page.evaluate("document.activeElement.title") == "Pause"
    assert view.do("shift") <= 0.01
    assert (
        not viewer(plays=True)
        .open(page + "#t=3")
        .do("new Promise((done) => setTimeout(() => done(arena.playback.playing || arena.position.turn !== 2), 300))")
    )
    still = viewer(plays=True, reduced_motion="reduce").open(page)
    assert still.do("new Promise((done) => setTimeout(() => done(arena.position.frame), 300))") == 0


def test_a_page_without_installation_opens_replays(viewer: View, tmp_path: Path, match: Path) -> None:
    page = tmp_path / "viewer.html"
    page.write_text(opening_page({name: renderer_of(name) for name in ("saloon", "derelict")}, "Watch a match"))
    view = viewer(390, 844).open(page.as_uri())
    view.shot("opening-390")
    (tmp_path / "foreign.arena").write_bytes(b"not a replay")
    view.page.set_input_files("input[type=file]", tmp_path / "foreign.arena")
    view.page.wait_for_selector("text=foreign.arena: This file is not a replay of Arena.")
    view.page.set_input_files("input[type=file]", match)
    view.until("globalThis.arena?.replay.header.game === 'saloon'")
    view.settle()
    assert view.do("arena.board.failure") == ""
    drop(view, REPLAYS / "derelict-1.arena", REPLAYS / "derelict-2.arena")
    view.until("arena.replay.header.game === 'derelict'")
    assert view.page.locator(".legs button").count() == 3
    cut = tmp_path / "cut.arena"
    cut.write_bytes(match.read_bytes()[:9000])
    drop(view, cut)
    view.page.wait_for_selector(".notice:has-text('This file is damaged')")
    assert {request.split(":")[0] for request in view.requests} <= {"file", "data"}


def drop(view: Any, *files: Path) -> None:
    """Drops files on a page, as a reader drags them from a folder."""
    parts = [{"name": file.name, "bytes": [*file.read_bytes()]} for file in files]
    view.page.evaluate(
        """(parts) => {
            const carried = new DataTransfer();
            for (const { name, bytes } of parts) carried.items.add(new File([Uint8Array.from(bytes)], name));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true }));
        }""",
        parts,
    )


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    server = Server(LocalPages().application())
    server.start()
    yield server
    server.stop()


def test_the_start_page_opens_replays_by_drop_and_by_a_button(
    start: Server, viewer: View, match: Path, tmp_path: Path
) -> None:
    view = viewer(1280, 800).open(start.url)
    (tmp_path / "foreign.arena").write_bytes(b"not a replay")
    view.page.set_input_files(".open input", tmp_path / "foreign.arena")
    view.page.wait_for_selector(".recent [role=status]:has-text('foreign: ')")
    assert (
        view.page.inner_text(".recent [role=status]")
        == "foreign: This is not a replay of Arena. Replays end in .arena."
    )
    until(lambda: view.complaints)
    assert all("409" in complaint for complaint in view.complaints)
    view.complaints.clear()
    drop(view, match)
    view.page.wait_for_url("**/view/**")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.title().startswith("Saloon: sheriff – pianist (")
    assert view.page.locator(".what-if-open").count() == 1
    view.page.click("[aria-label=Share]")
    assert "Only this machine opens it" in view.page.inner_text(".share")
    page = saved(view, "text=Save without logs")
    assert page.startswith(b"<!doctype html>")
    assert b'property="og:title"' in page
