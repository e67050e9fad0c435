"""The figures of the playground in headless Chromium: python extras/playground/tests/figures.py."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from visit import Playground, chromium, served

from arena.play.memory import play_in_memory
from arena_playground import export
from arena_playground.export import contents_size

ROOT = Path(__file__).parents[1] / "arena_playground"
LOADED = """
window.loaded = {};
new MutationObserver(() => { loaded[document.documentElement.dataset.ready] ??= performance.now(); })
  .observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
"""
SERIES = """
async () => {
  let frames = 0;
  let runs = true;
  const step = () => { frames++; if (runs) requestAnimationFrame(step); };
  requestAnimationFrame(step);
  const began = performance.now();
  let games = 0;
  const { bot } = page;
  page.bot = () => "sheriff";
  await page.series.play("pianist", 100, ({ length }) => { games = length; });
  page.bot = bot;
  const seconds = (performance.now() - began) / 1000;
  runs = false;
  return [seconds, frames / seconds, games];
}
"""
COMPLETION = "document.querySelector('#editor').shadowRoot.querySelector('.cm-tooltip-autocomplete li') !== null"


@contextmanager
def opened(browser: Any, address: str) -> Iterator[tuple[Playground, Callable[[], dict[str, float]]]]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(LOADED)
    page = Playground(context.new_page())

    def visit() -> dict[str, float]:
        page.page.goto("about:blank")
        page.open(address)
        found: dict[str, float] = page.do("loaded")
        return found

    yield page, visit
    context.close()


def native() -> float:
    """Return the seconds of the same matches in memory, in the machine's own Python, from a tenth of them."""
    began = time.perf_counter()
    for number in range(10):
        play_in_memory("saloon", ["builtin:sheriff", "builtin:pianist"], seed=1 + number)
    return 10 * (time.perf_counter() - began)


def show(what: str, value: str, target: str) -> None:
    print(f"{what:44} {value:>22}   target {target}", flush=True)


def completion(page: Playground) -> float:
    """Return the seconds from a typed dot to the list, after the first time."""
    page.page.hover("#editor")
    page.until("page.helper.runs")
    page.write("from saloon import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        self.player")
    page.do("page.editor.goTo(6)")
    page.page.keyboard.press("End")
    found = []
    for _ in range(6):
        began = time.perf_counter()
        page.page.keyboard.press(".")
        while not page.do(COMPLETION):
            time.sleep(0.005)
        found.append(time.perf_counter() - began)
        page.page.keyboard.press("Escape")
        page.page.keyboard.press("Backspace")
        page.page.wait_for_timeout(300)
    return median(found[1:])


def lines(*patterns: str) -> int:
    found = [path for pattern in patterns for path in ROOT.glob(pattern)]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in found)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = Path(temporary) / "site"
        export(folder)
        with served(folder) as address:
            colds = []
            for _ in range(3):
                with opened(browser, f"{address}#game=saloon") as (page, visit):
                    colds.append(visit())
            with opened(browser, f"{address}#game=saloon") as (page, visit):
                visit()
                page.until("navigator.serviceWorker.ready.then(() => true)")
                warms = [visit() for _ in range(3)]
                page.run()
                seconds = []
                for _ in range(5):
                    page.run()
                    seconds.append(float(page.status.split("(")[1].split()[0]))
                many, frames, games = page.do(SERIES)
                assert games == 100
                after = completion(page)
        at = lambda visits, what: f"{median(one[what] for one in visits) / 1000:.2f} s"  # noqa: E731
        show("open to editor usable, cold", at(colds, "editor"), "1 s")
        show("open to first Run possible, cold", at(colds, "true"), "3.5 s")
        show("open to first Run possible, warm", at(warms, "true"), "2.5 s")
        show("Run to result of a Saloon match", f"{median(seconds):.2f} s", "0.5 s")
        show("100 matches of Sheriff against Pianist", f"{many:.1f} s, {frames:.0f} frames/s", "10 s, 30 frames/s")
        show("  the same without a browser, now", f"{native():.1f} s", "")
        show("completion after a key press", f"{1000 * after:.0f} ms", "150 ms")
        show("transferred on the first visit, compressed", f"{contents_size(folder) / 1e6:.1f} MB", "10 MB")
    show("lines of Python and JavaScript of ours", str(lines("*.py", "*.mjs", "page/*.js", "page/*.mjs")), "2500")
    print("load of the machine:", subprocess.run(["uptime"], capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    main()
