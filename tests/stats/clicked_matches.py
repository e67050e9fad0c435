"""Matches of the usual length, played at random by clicks and keys in a real browser: each must end and verify.

    python tests/stats/clicked_matches.py [GAME...]

The tests play short ones in the same way.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

from arena.study.checks.verification import verify
from arena_replays.chromium import find_browser

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from test_playing import SHORT, Command, click_through, enter

OPPONENTS = {game: [word for word in words if word.startswith("builtin:")] for game, words in SHORT.items()}
ENDINGS = {"won", "lost", "drawn"}
LONGEST = 1200.0


def wrong(games: list[str]) -> Iterator[str]:
    """Yield what is wrong with a match of each game."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for game in games:
            page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
            replay = Path(name) / f"{game}.arena"
            running = Command(Path(name), game, "human", *OPPONENTS[game], "--no-swap", "--replay", str(replay))
            begun = time.monotonic()
            try:
                enter(page, running.links[0])
                on_board = click_through(page, random.Random(1), LONGEST)
                result = running.result()
            finally:
                running.process.kill()
                running.process.communicate()
                page.close()
            endings = {player["ending"] for player in result["players"]}
            if not endings <= ENDINGS or not verify(replay).ok:
                yield f"{game}: {endings}"
            turns, seconds = result["turns"], time.monotonic() - begun
            sys.stderr.write(f"{game}: {turns} turns, {on_board} choices on the board, {seconds:.0f} s\n")
        browser.close()


if __name__ == "__main__":
    found = list(wrong(sys.argv[1:] or sorted(SHORT)))
    sys.stdout.write("\n".join(found) + ("\n" if found else "All matches ended and verify.\n"))
    sys.exit(bool(found))
