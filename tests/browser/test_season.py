"""A season in a real browser: an invitation, an upload by drag and drop with its report, the ladder, the desk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "season"))
from server import Server, archive

pytestmark = [pytest.mark.process, pytest.mark.slow]
SECONDS = 120_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, ("rated_matches = 200", "rated_matches = 4"))
    yield server
    server.stop()


def test_from_an_invitation_to_a_rated_match(server: Server, viewer: Callable[..., Any], tmp_path: Path) -> None:
    olga, rita = viewer(dark=False).page, viewer(390, 844).page
    olga.goto(f"{server.url}/join?token={server.invitation}")
    olga.fill("input[name=name]", "Olga")
    olga.click("text=Join >> visible=true")
    olga.goto(f"{server.url}/desk")
    olga.fill("input[name=team]", "Red")
    olga.fill("input[name=name]", "Rita")
    olga.click("text=Make a link >> visible=true")
    invitation = olga.inner_text(".invitation")

    # A phone: join, hand in, read the report, see the match.
    rita.goto(invitation)
    rita.click("button:has-text('Join')")
    rita.click("text=Go on")
    bot = tmp_path / "bot.zip"
    bot.write_bytes(archive())
    rita.set_input_files("input[type=file]", bot)
    rita.wait_for_url("**/version/Red/1", timeout=SECONDS)
    rita.wait_for_selector("[data-state=passed]", timeout=SECONDS)
    rita.click("text=First match")
    rita.wait_for_selector("iframe")
    rita.frame_locator("iframe").locator("canvas").first.wait_for(timeout=SECONDS)
    rita.goto(f"{server.url}/team/Red")
    assert rita.evaluate("document.documentElement.scrollWidth") <= 390

    # The organizer disqualifies the version, and undoes it; the big screen shows the table.
    olga.goto(f"{server.url}/desk")
    form = olga.locator("form", has=olga.locator("input[value=disqualify_version]"))
    form.locator("input[name=reason]").fill("<b>copied</b>")
    form.locator("button").click()
    olga.goto(f"{server.url}/acts")
    assert "<b>copied</b>" in olga.inner_text(".acts")
    olga.goto(f"{server.url}/desk")
    form = olga.locator("form", has=olga.locator("input[value=undo]"))
    form.locator("input[name=reason]").fill("a mistake")
    form.locator("button").click()
    olga.goto(f"{server.url}/screen?seconds=1")
    olga.wait_for_selector("html[data-step=board]", timeout=SECONDS)
