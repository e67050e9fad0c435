"""Pictures, films and notebooks."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena_replays
from arena_replays import NoBrowser
from arena_replays.chromium import find_browser, record, screenshot
from arena_replays.errors import CannotWrite
from arena_replays.page import Renderer

FILMED = """
(async () => {
  const words = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  const paper = CanvasRenderingContext2D.prototype;
  paper.fillText = function (word, ...rest) { words.push(word); fillText.call(this, word, ...rest); };
  await (await import("arena/film")).picture(arena);
  paper.fillText = fillText;
  return words;
})()
"""


@pytest.fixture(autouse=True)
def _needs_chromium() -> None:
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("needs a Chromium")


def test_a_picture_of_a_turn(match: Path, saloon: Renderer, tmp_path: Path) -> None:
    screenshot(match, 30, tmp_path / "turn.png", saloon, size=(800, 600))
    data = (tmp_path / "turn.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (800, 600)


def test_a_film_of_the_match(match: Path, saloon: Renderer, tmp_path: Path, browser: Any) -> None:
    record(match, tmp_path / "match.gif", "gif", saloon)
    page = browser.new_page()
    (tmp_path / "empty.html").write_text("<!doctype html>")
    page.goto((tmp_path / "empty.html").as_uri())
    text = base64.b64encode((tmp_path / "match.gif").read_bytes()).decode()
    frames = page.evaluate(
        """async (text) => { const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            const film = new ImageDecoder({ data, type: 'image/gif' }); await film.completed; await film.tracks.ready;
            for (let at = 0; at < film.tracks.selectedTrack.frameCount; at++) await film.decode({ frameIndex: at });
            return film.tracks.selectedTrack.frameCount; }""",
        text,
    )
    page.close()
    assert frames == len(arena_replays.Reader(match).turns) + 1


def test_a_film_names_players_and_their_scores(viewer: Any, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match))
    view.page.keyboard.press("End")
    view.settle()
    words = view.do(FILMED)
    scores = view.page.locator(".score output").all_inner_texts()
    assert words[-3:-1] == [f"sheriff {scores[0]}", f"pianist {scores[1]}"]


@pytest.mark.kill  # a second film
@pytest.mark.slow
def test_a_film_with_all_movements(play: Callable[..., Path], saloon: Renderer, tmp_path: Path) -> None:
    short = play(tmp_path / "short.arena", "builtin:sheriff", "builtin:pianist", options={"max_turns": 6})
    record(short, tmp_path / "match.webm", "webm", saloon)
    assert (tmp_path / "match.webm").read_bytes()[:4] == b"\x1a\x45\xdf\xa3"


def test_without_a_browser_one_message_says_so(monkeypatch: pytest.MonkeyPatch, match: Path, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoBrowser, match="need Chromium or Chrome, and none is installed"):
        find_browser()
    with pytest.raises(CannotWrite, match="gif or webm"):
        record(match, tmp_path / "film.avi", "avi")


def test_a_browser_that_does_not_start_is_one_message(
    monkeypatch: pytest.MonkeyPatch, match: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_BROWSER", shutil.which("true") or "/bin/true")
    with pytest.raises(NoBrowser, match=r"does not answer|closed"):
        screenshot(match, 3, tmp_path / "turn.png")


def test_notebooks_show_the_page_inline(
    match: Path, saloon: Renderer, viewer: Callable[..., Any], tmp_path: Path
) -> None:
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><body>{arena_replays.show(match, saloon)._repr_html_()}", encoding="utf-8")
    view = viewer()
    view.page.goto(cell.as_uri())
    inside = view.page.frame_locator("iframe")
    inside.locator(".transport .play").click()
    inside.locator("output.where", has_text="turn 2").wait_for()
