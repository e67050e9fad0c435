"""Prints how fast pages of contests and boards are, in headless Chromium: `python tests/browser/page_figures.py`.

With `--boards`, only boards are measured: frames a second at 8 times the speed, with the tab Turn and with the charts.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "plugins")]
from bench_export import large_contest  # noqa: E402

from arena.contests.config import StageConfig  # noqa: E402
from arena.study.replaying.presentation import renderer_of  # noqa: E402
from arena.web.contests.app import ContestPages  # noqa: E402
from arena.web.contests.following import Follower  # noqa: E402
from arena.web.server import Server  # noqa: E402
from arena_replays.export import export_html  # noqa: E402
from conftest import play_match  # noqa: E402

REPLAYS = TESTS / "replays"
GAMES = {"saloon": "saloon.arena", "derelict": "derelict-1.arena", "laser_flag": "laser_flag-1.arena"}
OBSERVE = """
window.seen = { shift: 0, long: 0 };
const shifted = (one) => { if (!one.hadRecentInput) seen.shift += one.value; };
new PerformanceObserver((list) => list.getEntries().forEach(shifted))
  .observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => (seen.long = Math.max(seen.long, one.duration))))
  .observe({ type: "longtask", buffered: true });
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"
SIZE = """[...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
  .reduce((all, one) => all + one.transferSize, 0)"""
# What drawing a moment costs, painted to the last pixel: the quickest of three, so that other programs count less.
COSTS = """
() => {
  const { board, position } = arena;
  const g = board.canvas.getContext("2d");
  const costs = [];
  for (let at = 1; at <= position.last && costs.length < 120; at += Math.max(1, Math.floor(position.last / 120))) {
    const once = () => {
      const start = performance.now();
      position.progress(at, 0.5);
      arena.tick(0);
      g.getImageData(0, 0, 1, 1);
      return performance.now() - start;
    };
    costs.push(Math.min(once(), once(), once()));
  }
  costs.sort((one, other) => one - other);
  return [costs[Math.floor(costs.length / 2)], costs[Math.floor(costs.length * 0.95)]];
}
"""
FRAMES = """
async (tab) => {
  arena.tabs.open(tab);
  await new Promise((done) => setTimeout(done, 500));
  seen.long = 0;
  arena.position.seek(0); arena.playback.setSpeed(8); arena.playback.play();
  const gaps = [];
  let last = await new Promise(requestAnimationFrame);
  while (gaps.length < 240 && arena.playback.playing) {
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  const all = gaps.reduce((sum, one) => sum + one, 0);
  return { fps: (1000 * gaps.length) / all, worst: Math.max(...gaps) };
}
"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as text, sync_playwright() as driver:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        boards = sys.argv[1:2] == ["--boards"]
        if not boards:
            standings(browser, Path(text))
        snakes = play_match(Path(text) / "snakes.arena", *["builtin:forager"] * 4, game="snakes")
        for game, path in {**{game: REPLAYS / name for game, name in GAMES.items()}, "snakes": snakes}.items():
            frames(browser, game, path, Path(text))
        for path in map(Path, sys.argv[1 + boards :]):
            frames(browser, path.stem, path, Path(text))
        browser.close()


def standings(browser: Any, folder: Path) -> None:
    path = large_contest(folder, 300, StageConfig("league", "groups", groups=2, games=1))
    server = Server(ContestPages(Follower(path.with_suffix(""))).application(), public=True, forms=True)
    server.start()
    try:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.add_init_script(OBSERVE)
        began = time.perf_counter()
        page.goto(server.url)
        page.wait_for_selector("#standings-league .standings tbody tr")
        shown = time.perf_counter() - began
        page.wait_for_timeout(500)
        found = page.evaluate("seen")
        print(
            f"standings of 300 bots: first paint {page.evaluate(PAINT):.0f} ms, rows after {1000 * shown:.0f} ms, "
            f"{page.evaluate(SIZE) / 1000:.0f} KB transferred, layout shift {found['shift']:.3f}, "
            f"longest task {found['long']:.0f} ms"
        )
        context.close()
    finally:
        server.stop()


def frames(browser: Any, game: str, replay: Path, folder: Path) -> None:
    out = folder / f"{game}.html"
    export_html(replay, out, renderer_of(game))
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(OBSERVE)
    page.goto(out.as_uri())
    page.wait_for_selector("html[data-ready=true]")
    page.wait_for_timeout(500)
    for tab in ("turn", "charts"):
        found = page.evaluate(FRAMES, tab)
        seen = page.evaluate("seen")
        usual, high = page.evaluate(COSTS)
        print(
            f"{game} at 8x, tab {tab}: {found['fps']:.0f} frames a second, worst {found['worst']:.0f} ms, layout shift "
            f"{seen['shift']:.3f}, longest task {seen['long']:.0f} ms; a frame costs {usual:.1f} ms, 95 % at most "
            f"{high:.1f} ms (load {os.getloadavg()[0]:.1f})"
        )
    page.close()


if __name__ == "__main__":
    main()
