"""The coach in the reader's browser: on the pages of a contest, on an exported site, and in the playground."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from term import Term, sign_in
from visit import Playground, served
from waiting import until, until_page

from arena.cli import cli
from arena.match.lookup import find_game
from arena.play.memory import bot_class, play_in_memory

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "contests"))
from contests_toys import add_version, anchor, player, record

PHONE = {"width": 390, "height": 844}
SALOON = find_game("saloon")
BOT = "builtin:sheriff"
PLAYED_ON = "globalThis.arena?.replay.explained?.playouts?.count > 0"


class Absent(bot_class(SALOON, BOT)):  # type: ignore[misc]
    """A good bot that gives no order for some turns."""

    def run_turn(self) -> None:
        if not 10 <= self.turn <= 30:
            super().run_turn()


@pytest.fixture
def lost(term: Term) -> str:
    """The id of a match that the team Reds has lost."""
    replay = term.contest.folder / "lost.arena"
    result = play_in_memory("saloon", [Absent, BOT], seed=1, replay=replay)
    add_version(term.contest, "Reds")
    return record(term.contest, player(term.contest, "Reds"), anchor(term.contest), result=result)


def test_a_reader_of_a_contest_lets_the_own_browser_explain_a_loss(
    term: Term, lost: str, browser: Any, tmp_path: Path
) -> None:
    """On the page of a contest, on a phone; then on an exported site, whose server has files only."""
    context = browser.new_context(viewport=PHONE)
    page, faults = watched(context)
    sign_in(page, term.url, term.token)
    before = len(term.requests)
    page.goto(f"{term.url}/match/{lost}/watch")
    until_page(page, f"{PLAYED_ON} && arena.why.share === null", lambda: str(faults))
    assert page.evaluate("arena.replay.explained.stage") == ""
    assert faults == []
    sent = ("POST", f"/match/{lost}/explained", True)
    until(lambda: sent in term.requests[before:])
    address = f"{term.url}/match/{lost}/explained"
    other = until(lambda: (found := httpx.get(address).json()).get("playouts") and found)
    mine = page.evaluate("arena.replay.explained")
    assert other["playouts"] == mine["playouts"], "all readers see it"
    for lesson in other["lessons"]:
        del lesson["commands"]  # a browser has none
    assert (other["lessons"], other["win"]) == (mine["lessons"], mine["win"])
    assert httpx.post(address, content=b"{}", headers={"Origin": term.url}).status_code == 401
    script = """async (body) => {
      const { csrf } = await (await fetch("/api/session")).json();
      const answer = await fetch(location.pathname.replace("watch", "explained"), {
        method: "POST", body, headers: { "X-CSRF": csrf, Accept: "application/json" },
      });
      return [answer.status, (await answer.json()).message];
    }"""
    assert page.evaluate(script, "<script>") == [422, "The explanation cannot be read."]
    faults.clear()  # the refusal

    site = tmp_path / "site"
    (config,) = term.contest.folder.parent.glob("*.toml")
    done = CliRunner().invoke(cli, ["contest", "export", str(config), "--everything", "--out", str(site)])
    assert done.exit_code == 0, done.output
    with served(site) as address:
        page.goto(f"{address}matches/{lost}.html#tab=why")
        page.click("text=Explain this match")
        until_page(page, PLAYED_ON, lambda: str(faults))
    context.close()
    assert faults == []


@pytest.mark.kill  # the pages of a contest use the same worker
def test_a_match_of_the_playground_is_explained(shared: Callable[[str], Playground]) -> None:
    page = shared("saloon")
    page.play(
        page.do("page.game.files['main.py']").replace("def run_turn(self):", "def run_turn(self):\n        return")
    )
    (board,) = (frame for frame in page.page.frames if "/board/" in frame.url)
    board.click("text=Why")
    board.click("text=Explain this match")
    until_page(board, PLAYED_ON, lambda: str(page.faults))
    assert page.faults == []


def watched(context: Any) -> tuple[Any, list[str]]:
    """Return a page, and the errors in it."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: line.type == "error" and faults.append(line.text))
    return page, faults
