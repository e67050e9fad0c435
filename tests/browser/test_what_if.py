"""The panel "What if": a match that is played on by clicks, and actions that are tried."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.study.checks.verification import verify
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf

REPLAYS = Path(__file__).parents[1] / "replays"
Pages = Callable[..., str]


@pytest.fixture
def saloon(tmp_path: Path) -> Path:
    return Path(shutil.copy(REPLAYS / "saloon.arena", tmp_path))


@pytest.fixture
def pages() -> Iterator[Pages]:
    servers: list[Server] = []

    def start(path: Path) -> str:
        servers.append(Server(WhatIf(Viewing([path]), path.parent).application()))
        servers[-1].start()
        return servers[-1].url

    yield start
    for server in servers:
        server.stop()


def test_a_match_is_played_on_and_opens_beside_its_parent(
    viewer: Callable[..., Any], pages: Pages, saloon: Path
) -> None:
    url = pages(saloon)
    view = viewer(1280, 800).open(f"{url}view/0#frame=60")
    page = view.page
    assert view.do("arena.position.frame") == 60
    page.click(".what-if-open")
    page.select_option("[aria-label^='In the place of'] >> nth=0", "builtin:sheriff")
    page.click("text=Play on from here")
    page.wait_for_url("**/compare/1/0*", timeout=60_000)
    page.wait_for_selector("html[data-ready=true]")
    assert "The two matches part in turn" in page.locator("p.notice").first.inner_text()
    (played,) = saloon.parent.glob("saloon-from-*.arena")
    assert verify(played).parent == "verified"
    page.click(".what-if-open")
    page.wait_for_selector("text=Play on from here")

    again = viewer(1280, 800).open(f"{url}view/0").page
    again.click(".what-if-open")
    again.click(f".what-if-list >> text={played.name}")
    again.wait_for_url("**/compare/1/0*")


def test_escape_closes_the_panel(viewer: Callable[..., Any], pages: Pages, saloon: Path) -> None:
    view = viewer(1280, 800).open(f"{pages(saloon)}view/0#t=9&z=2,0.5,0.5")
    page = view.page
    page.focus(".what-if-open")
    page.keyboard.press("Enter")
    page.wait_for_selector("#same-dice")
    page.focus("#same-dice")
    page.keyboard.press("Escape")
    assert not page.locator("dialog.what-if").is_visible()
    assert view.do("document.activeElement.className") == "what-if-open"
    assert view.do("arena.board.zoom.scale") == 2, "the key does not reach the board"


@pytest.mark.kill  # `tests/web/test_what_if.py` weighs the same
def test_actions_and_the_choices_of_bots_are_weighed(
    viewer: Callable[..., Any], pages: Pages, saloon: Path, assert_accessible: Callable[[Any], None]
) -> None:
    page = viewer(1280, 800).open(f"{pages(saloon)}view/0#frame=60").page
    page.click(".what-if-open")
    page.click("text=Try one action here")
    assert page.locator("[aria-label='Action'] option:checked").inner_text().endswith("(played)")
    page.fill("[aria-label='Search the actions']", "ends the turn")
    assert page.locator("[aria-label='Action'] option").count() == 1
    page.click("text=What would the bots do?")
    page.wait_for_selector("text=20 of 20 played", timeout=120_000)
    assert_accessible(page)
    text = page.locator(".weighed").inner_text()
    assert "Ends the turn" in text
    assert all(word in text for word in ("played", "rowdy", "sheriff", "%"))
