"""Figures of a show in one browser: six screens, a remote and ten phones after "next" and after a kill, and frames.

python tests/bench/bench_show.py
"""

import re
import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
folders = ("extras/show/tests", "tests/contests", "tests/game", "tests/referee", "tests/plugins")
sys.path[:0] = [str(ROOT / folder) for folder in folders]
from server import Server  # noqa: E402
from worlds import Matches, secret_of, world_in  # noqa: E402

HAS_BOARD = "document.querySelector('iframe')?.contentDocument?.documentElement?.dataset.ready === 'true'"
SCREENS = ("board", "bracket", "table", "queue", "overlay", "director")
PHONES, STEPS, SECONDS = 10, 12, 5.0
KEEPS_ITS_ID = "localStorage.setItem('arena-show screens', JSON.stringify(['{}']))"
NOTES = """
globalThis.reached = {};
new MutationObserver(() => {
  const { step, lost } = document.documentElement.dataset;
  if (step) reached[step] ??= Date.now();
  if (lost === "false") globalThis.back ??= Date.now();
  if (lost === "true") globalThis.back = undefined;
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-step", "data-lost"] });
"""
FRAMES = """(milliseconds) => new Promise((done) => {
  const times = [];
  const frame = (now) => {
    times.push(now);
    if (now - times[0] < milliseconds) requestAnimationFrame(frame);
    else done(times);
  };
  requestAnimationFrame(frame);
})"""


class Show(Server):
    """`arena show` of a contest."""

    command = ("show",)


def opened(browser, url, path, *scripts, size=(1280, 720)):
    """Return a page in a browser of its own: browsers make at most six connections to a server."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    for script in (NOTES, *scripts):
        page.add_init_script(script)
    page.goto(url + path)
    return page


def awaited(page, script, limit=60.0):
    end = time.monotonic() + limit
    while not (found := page.evaluate(script)):
        assert time.monotonic() < end, f"{page.url} {script}"
        time.sleep(0.01)
    return found


def after_next(remote, everyone, step):
    """Press "Next", and return after how many milliseconds the last page is at the step."""
    pressed = awaited(
        remote,
        "(() => { const one = document.querySelector('footer .next');"
        " if (one.disabled) return 0; const now = Date.now(); one.click(); return now; })()",
    )
    return [awaited(page, f"reached['{step}']") - pressed for page in everyone]


def frames(page):
    times = page.evaluate(FRAMES, 1000 * SECONDS)
    gaps = [later - now for now, later in pairwise(times)]
    return f"{(len(times) - 1) / SECONDS:.0f} a second, median gap {statistics.median(gaps):.1f} ms"


def measure(browser, show, remote_address):
    url = show.url.rstrip("/")
    remote = opened(browser, url, remote_address, size=(390, 844))
    remote.click("button")
    screens = [opened(browser, url, "/display", KEEPS_ITS_ID.format(secret_of(role))) for role in SCREENS]
    phones = [opened(browser, url, "/show", size=(390, 844)) for _ in range(PHONES)]
    everyone = [page for page, role in zip(screens, SCREENS, strict=True) if role != "director"] + phones
    for page in everyone:
        awaited(page, "document.documentElement.dataset.step")
    lasts = [max(after_next(remote, everyone, step)) for step in range(STEPS)]
    print(f"{len(everyone) + 2} pages at the same step after Next: median {statistics.median(lasts)} ms, all {lasts}")
    show.kill()
    for page in everyone:
        awaited(page, "document.documentElement.dataset.lost === 'true'")
    started = time.time()
    show.start()
    back = [awaited(page, "globalThis.back") / 1000 - started for page in everyone]
    print(f"after a kill, all are back {max(back):.1f} s after the new start (the first one {min(back):.1f} s)")
    roles = [page.evaluate("document.documentElement.dataset.role") for page in screens]
    assert roles == list(SCREENS), roles


def main():
    folder = Path(tempfile.mkdtemp(prefix="arena-show"))
    with world_in(folder, Matches(folder), begin=True) as world:
        world.play(world.next_of_cup(), "Red")
    show = Show(folder, options=("--host", "127.0.0.1"), config=folder / "contest.toml")
    addresses = dict(re.findall(r"^(\w+)[^:\n]*: (http\S+)$", show.complain(), re.MULTILINE))
    remote_address = "/remote?" + addresses["Remote"].partition("?")[2]
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        measure(browser, show, remote_address)
        for context in browser.contexts[1:]:
            context.close()
        begun = time.monotonic()
        director = opened(browser, show.url.rstrip("/"), "/display", KEEPS_ITS_ID.format(secret_of("director")))
        awaited(director, HAS_BOARD)
        print(f"a director's screen shows a board {time.monotonic() - begun:.1f} s after its page was opened")
        director.context.close()
        remote = browser.contexts[0].pages[0]
        page = opened(
            browser, show.url.rstrip("/"), "/display", KEEPS_ITS_ID.format(secret_of("board")), size=(3840, 2160)
        )
        seen = set()
        for step in range(STEPS, STEPS + 6):
            after_next(remote, [page], step)
            kind = page.evaluate("document.documentElement.dataset.kind")
            if kind == "match":
                awaited(page, HAS_BOARD)
            if kind not in seen:
                print(f"frames at 3840 x 2160, {kind}: {frames(page)}")
            seen.add(kind)
        browser.close()
    show.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
