"""The panel for branches: a match that is played on by clicks, its tree, and a page that holds all of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "positions"))
from in_memory import play

from arena.checks.verification import verify
from arena.replaying.branches import ROOT, BranchTree
from arena.replaying.positions import position_at
from arena.web.branching import Branching
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena_replays import Reader

REPLAYS = Path(__file__).parents[1] / "replays"
BRANCHES = 50
Pages = Callable[..., str]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay of two snakes with 49 branches."""
    root = tmp_path_factory.mktemp("branches") / "snakes.arena"
    for seed in range(100):
        play(root, "snakes", seed, players=2)
        if Reader(root).frame_count() > 16:
            break
    tree = BranchTree(root)
    start = position_at(tree.place(ROOT, 6))
    for seed in range(BRANCHES - 1):
        play(tree.new()[1], "snakes", seed, start, players=2)
    return root


@pytest.fixture(scope="module")
def saloon_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(REPLAYS / "saloon.arena", tmp_path_factory.mktemp("saloon")))


@pytest.fixture
def pages() -> Iterator[Pages]:
    servers: list[Server] = []

    def start(path: Path) -> str:
        servers.append(Server(Branching(Viewing([path])).application()))
        servers[-1].start()
        return servers[-1].url

    yield start
    for server in servers:
        server.stop()


def test_a_branch_is_played_from_the_page_and_its_tree_stays(
    viewer: Callable[..., Any], pages: Pages, root: Path
) -> None:
    view = viewer(1280, 800).open(f"{pages(root)}view/0#frame=8")
    page = view.page
    assert view.do("arena.position.frame") == 8
    page.click(".branches-open")
    page.wait_for_selector(".branches-entry")
    assert page.locator(".branches-entry").count() == BRANCHES
    page.select_option("[aria-label^='In the place of'] >> nth=0", "builtin:hatchling")
    page.fill("[aria-label='Name of the branch']", "<b>calm</b>")
    page.click("text=Play on from here")
    page.wait_for_url(f"**/branch/0/b{BRANCHES}*", timeout=60_000)
    page.wait_for_selector("html[data-ready=true]")
    page.wait_for_selector(".branches-entry.here")
    assert page.locator(".branches-entry.here b").inner_text() == "<b>calm</b>"
    assert "The two matches part in turn" in page.locator("p.notice").first.inner_text()
    assert view.do("arena.other.mark.frame") > 8
    assert verify(root.with_suffix(".branches") / f"b{BRANCHES}.arena").parent == "verified"

    page.click(".branches-entry.here ~ button")
    page.fill("textarea[aria-label='Note']", "as I thought")
    page.click(".branches-list >> text=Save")
    page.wait_for_selector("text=as I thought")
    again = viewer(1280, 800).open(f"{pages(root)}view/0").page
    again.click(".branches-open")
    again.wait_for_selector("text=as I thought")
    assert again.locator(".branches-entry").count() == BRANCHES + 1


def test_escape_closes_the_panel(viewer: Callable[..., Any], pages: Pages, saloon_root: Path) -> None:
    view = viewer(1280, 800).open(f"{pages(saloon_root)}view/0#t=9&z=2,0.5,0.5")
    page = view.page
    page.focus(".branches-open")
    page.keyboard.press("Enter")
    page.wait_for_selector(".branches-entry")
    page.focus("[aria-label='Name of the branch']")
    page.keyboard.press("Escape")
    assert not page.locator("dialog.branches").is_visible()
    assert view.do("document.activeElement.className") == "branches-open"
    assert view.do("arena.board.zoom.scale") == 2, "the key does not reach the board"


def test_actions_and_the_choices_of_bots_are_weighed(
    viewer: Callable[..., Any], pages: Pages, saloon_root: Path, assert_accessible: Callable[[Any], None]
) -> None:
    page = viewer(1280, 800).open(f"{pages(saloon_root)}view/0#frame=60").page
    page.click(".branches-open")
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


def test_the_file_of_a_branch_can_be_viewed_by_itself(viewer: Callable[..., Any], pages: Pages, root: Path) -> None:
    path = BranchTree(root).path("b1")
    view = viewer(1280, 800).open(f"{pages(path)}view/0")
    assert view.do("arena.replay.content.problem") == ""
    assert view.do("arena.replay.content.streams[0].length") == Reader(path).frame_count()
    assert view.do("arena.replay.content.allTurns[0].number") == Reader(path).header["start"]["turn"]


def test_the_exported_tree_needs_no_server(viewer: Callable[..., Any], saloon_root: Path, tmp_path: Path) -> None:
    small = Path(shutil.copy(saloon_root, tmp_path))
    tree = BranchTree(small)
    play(tree.new()[1], "saloon", 1, position_at(tree.place(ROOT, 100)))
    play(tree.new()[1], "saloon", 2, position_at(tree.place("b1", 120)))
    out = tmp_path / "tree.html"
    out.write_text(tree.page())
    view = viewer(1280, 800).open(out.as_uri())
    assert view.page.locator(".branches-entry").count() == 3
    view.page.click(".branches-entry >> nth=2")
    view.page.wait_for_selector(".branches-entry.here >> text=b2")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.do("arena.replay.content.streams[0].length") == Reader(tree.course("b2")).frame_count()
