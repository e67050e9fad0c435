"""Prints how fast the viewer is, on this machine, in headless Chromium: `python tests/browser/figures.py REPLAY...`."""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from arena_replays.export import export_html

MEASURE = """
async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const turns = arena.replay.content.turns.length;
  const seeks = [];
  for (let at = 0; at < 300; at++) {
    const turn = (at * 7919) % turns;
    const start = performance.now();
    arena.position.seekTurn(turn);
    arena.tick(0);
    seeks.push(performance.now() - start);
    if (at % 10 === 0) await frame();
  }
  const opened = performance.now();
  arena.tabs.open("charts");
  arena.tick(0);
  while (arena.charts.left.length) await frame();
  const charts = performance.now() - opened;
  arena.tabs.open("turn");
  arena.position.seek(0);
  arena.playback.setSpeed(32);
  arena.playback.play();
  const costs = [];
  let last = await frame();
  const gaps = [];
  for (let at = 0; at < 120 && arena.playback.playing; at++) {
    const start = performance.now();
    arena.playback.advance(16);
    arena.board.draw(arena.position.states, arena.position.frame, arena.position.fraction, arena.look, []);
    costs.push(performance.now() - start);
    const now = await frame();
    gaps.push(now - last);
    last = now;
  }
  return { seeks, charts, costs, gaps, frames: arena.position.states.frames.length, turns };
}
"""


LOADS = 4


def load(browser: Any, page_file: Path) -> dict[str, Any]:
    """Opens a page and measures it once."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    start = time.perf_counter()
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready=true]")
    opened = (time.perf_counter() - start) * 1000
    found: dict[str, Any] = page.evaluate(MEASURE)
    page.close()
    return {**found, "opened": opened}


def measure(browser: Any, page_file: Path) -> dict[str, Any]:
    """Opens a page several times. Of each seek, the quickest counts: what else runs on the machine is not measured."""
    loads = [load(browser, page_file) for _ in range(LOADS)]
    seeks = [min(same) for same in zip(*(found["seeks"] for found in loads), strict=True)]
    worst = max(max(found["seeks"]) for found in loads)
    found = loads[-1]
    return {
        "turns": found["turns"],
        "frames": found["frames"],
        "open_ms": round(min(found["opened"] for found in loads)),
        "seek_ms": {
            "median": round(statistics.median(seeks), 1),
            "worst": round(max(seeks), 1),
            "with_noise": round(worst, 1),
        },
        "charts_ms": round(min(found["charts"] for found in loads)),
        "frame_cost_ms": [round(statistics.median(found["costs"]), 2), round(max(found["costs"]), 2)],
        "frames_per_second": round(1000 / statistics.median(found["gaps"]), 1),
        "page_kb": round(page_file.stat().st_size / 1000),
    }


def main() -> None:
    """Measures the replays named on the command line."""
    from playwright.sync_api import sync_playwright

    from arena.study.replaying.presentation import legs_for, renderer_for
    from arena_replays import Reader
    from arena_replays.legs import as_matches

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        args = ["--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=args)
        for match in as_matches(sys.argv[1:], legs_for):
            out = Path(folder) / "page.html"
            export_html(match, out, renderer_for(Reader(match[0]).header))
            sizes = sum(path.stat().st_size for path in match)
            print(*match, json.dumps({**measure(browser, out), "replays_kb": round(sizes / 1000)}))
        browser.close()


if __name__ == "__main__":
    main()
