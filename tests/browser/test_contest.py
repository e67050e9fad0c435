"""One evening of a contest in a real browser, as an organizer and as three teams: from `init` to a bracket."""

from __future__ import annotations

import base64
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.contests.config_file import template
from arena.match.lookup import find_game
from arena_replays import Reader

sys.path.insert(0, str(Path(__file__).parents[1] / "contests"))
from contests_toys import archive
from server import Server

pytestmark = [pytest.mark.process, pytest.mark.slow]
SECONDS = 120_000
DROP = """
([element, data, name]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], name));
  const drop = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  element.dispatchEvent(drop);
}
"""
"""What a browser does when somebody drops a file on an element."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    done = CliRunner().invoke(cli, ["contest", "init", "snakes", "--people", "--file", str(tmp_path / "init.toml")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "init.toml").read_text() == template(find_game("snakes"), [], people=True), (
        "the server starts from this file"
    )
    server = Server(
        tmp_path, ("largest_mib = 16", "largest_mib = 1"), ("rated_matches = 200", "rated_matches = 2"),
        ("waiting = 2", "waiting = 4"),
    )  # fmt: skip
    yield server
    assert server.stop() == 0, server.complain()
    assert "Traceback" not in server.complain()


class Evening:
    """The people of an evening, each with a browser of their own.

    Args:
        server: The server.
        viewer: Makes a browser.
        check: Checks a page with axe.
    """

    def __init__(self, server: Server, viewer: Callable[..., Any], check: Callable[[Any], None]) -> None:
        self.server = server
        self.check = check
        self.viewers = {
            "Olga": viewer(dark=False), "Rita": viewer(390, 844), "Bob": viewer(390, 844, dark=False),
            "Gil": viewer(), "Sam": viewer(),
        }  # fmt: skip
        self.olga, self.rita, self.bob, self.gil, self.sam = (one.page for one in self.viewers.values())

    def go(self, page: Any, place: str, wanted: str = "main") -> None:
        """Open a page, which must fit and be accessible."""
        page.goto(self.server.url + place)
        page.wait_for_selector(wanted, timeout=SECONDS)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, place
        self.check(page)

    @staticmethod
    def follow(page: Any, selector: str) -> None:
        """Click what leads to a page, also to the same one again, and wait for it."""
        with page.expect_navigation():
            page.click(selector)

    def refused(self, name: str) -> None:
        """Forget that the browser of somebody has reported answers with errors, and nothing else."""
        complaints = self.viewers[name].complaints
        assert complaints
        assert all("Failed to load resource" in one for one in complaints), complaints
        complaints.clear()

    def order(self, kind: str, reason: str, **fields: str) -> None:
        """Let the organizer carry out an act at the desk."""
        self.olga.goto(f"{self.server.url}/desk")
        form = self.olga.locator("form", has=self.olga.locator(f"input[name=kind][value={kind}]")).first
        if form.is_hidden():  # an act that is hard to take back is folded, and asks once more
            self.olga.locator("details", has=form).locator("summary").click()
            form.locator("input[type=checkbox]").check()
        for name, value in fields.items():
            form.locator(f"[name={name}]").select_option(value)
        form.locator("input[name=reason]").fill(reason)
        with self.olga.expect_navigation():
            form.locator("button").click()
        assert self.olga.url.endswith("/desk"), self.olga.inner_text("body")

    def table(self) -> bytes:
        """Return the table as everybody can read it."""
        body: bytes = self.sam.request.get(f"{self.server.url}/standings.json").body()
        return body


def agree(page: Any) -> None:
    """Let everybody watch the matches of a team that hands in for the first time."""
    for box in page.query_selector_all("fieldset [name=replays], fieldset [name=picture]"):
        box.check()


def drop(page: Any, data: bytes, name: str = "bot.zip") -> None:
    """Drop a file on the page of a team."""
    agree(page)
    page.evaluate(DROP, [page.query_selector("#upload"), base64.b64encode(data).decode(), name])


@pytest.mark.kill  # the pages, hand-ins and acts of an evening have tests of their own
@pytest.mark.timeout(900)  # many pages and matches, one after the other
def test_an_evening(
    server: Server, viewer: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    evening = Evening(server, viewer, assert_accessible)
    invite(evening)
    hand_in(evening, tmp_path)
    play(evening)
    disqualify(evening)
    finish(evening)


def invite(evening: Evening) -> None:
    """The organizer joins and invites three teams. Somebody else tries to sign in."""
    server, olga = evening.server, evening.olga
    evening.go(olga, f"/join?token={server.invitation}")
    olga.fill("input[name=name]", "Olga")
    evening.follow(olga, "main button")
    evening.check(olga)
    evening.go(olga, "/desk")
    olga.fill("textarea", "team,member\nRed,Rita\nBlue,Bob\nGreen,Gil")
    evening.follow(olga, "text=Make links")
    evening.check(olga)
    links = olga.locator(".invitation").all_inner_texts()
    for page, link in zip((evening.rita, evening.bob, evening.gil), links, strict=True):
        page.goto(link)
        evening.follow(page, "main button")
        evening.follow(page, "text=Go on")
    sam = evening.sam
    for place, field in ((links[0], ""), (f"{server.url}/sign-in", "arena-guessed")):  # a used link, a wrong token
        sam.goto(place)
        if field:
            sam.fill("input[name=token]", field)
            evening.follow(sam, "main button")
        assert re.search("was used|is not valid", sam.inner_text("h1"))
        evening.check(sam)
    evening.refused("Sam")


def hand_in(evening: Evening, folder: Path) -> None:
    """A good bot by drag and drop on a phone, one by a click, a broken one, and two that are refused at once."""
    rita, bob, gil = evening.rita, evening.bob, evening.gil
    drop(rita, archive())
    rita.wait_for_url("**/version/Red/1", timeout=SECONDS)
    (folder / "blue.zip").write_bytes(archive("\n# Blue\n"))
    agree(bob)
    bob.set_input_files("input[type=file]", folder / "blue.zip")
    bob.wait_for_url("**/version/Blue/1", timeout=SECONDS)
    refused = {
        "path": (archive(**{"../../escaped.py": "x"}), "escaped"),
        "large": (b"x" * 2_000_000, "larger than 1 MiB"),
    }
    for name, (data, message) in refused.items():
        drop(gil, data, f"{name}.zip")
        gil.wait_for_selector(f"#upload-message.problem:has-text('{name}.zip was refused')", timeout=SECONDS)
        assert message in gil.inner_text("#upload-message"), gil.inner_text("#upload-message")
    evening.refused("Gil")
    evening.check(gil)
    drop(gil, archive("\nraise SystemExit(3)\n"))
    gil.wait_for_url("**/version/Green/1", timeout=SECONDS)


def play(evening: Evening) -> None:
    """The reports of the checks, the first matches with their replays, and a challenge. No page is loaded again."""
    rita, gil, sam = evening.rita, evening.gil, evening.sam
    rita.wait_for_selector("[data-state=passed]", timeout=SECONDS)
    assert "plays a whole match" in rita.inner_text("#report")
    rita.click("text=First match")
    rita.frame_locator("iframe").locator("canvas").first.wait_for(timeout=SECONDS)
    evening.check(rita)
    evening.follow(rita, "text=log")
    evening.check(rita)
    rita.goto("about:blank")  # a viewer that nobody watches slows the others down
    gil.wait_for_selector("[data-state=failed]", timeout=SECONDS)
    assert "exit code 3" in gil.inner_text("#report")
    evening.check(gil)
    gil.goto("about:blank")
    evening.bob.wait_for_selector("[data-state=passed]", timeout=SECONDS)
    evening.bob.goto("about:blank")
    sam.goto(evening.server.url)
    sam.wait_for_selector("#ladder:has-text('Red'):has-text('Blue')", timeout=SECONDS)
    assert "Green" not in sam.inner_text("#ladder")
    rita.goto(f"{evening.server.url}/team/Red")
    rita.select_option("select[name=opponent]", "Blue")
    rita.click("text=Play an unrated match")
    rita.wait_for_selector("#matches a:has-text('Challenge')", timeout=SECONDS)
    assert "challenge" not in sam.request.get(f"{evening.server.url}/matches").text(), "it is not public"
    evening.go(rita, "/team/Red")


def disqualify(evening: Evening) -> None:
    """A disqualification and its undo: the table is the same as before, to the byte."""
    evening.order("pause", "for the speeches")
    evening.olga.goto(f"{evening.server.url}/queue")
    evening.olga.wait_for_selector("text=0 of >> nth=0", timeout=SECONDS)
    evening.check(evening.olga)
    before = evening.table()
    evening.order("disqualify", "<b>copied</b>", subject="Blue/1")
    assert evening.table() != before
    evening.go(evening.sam, "/acts")
    assert "<b>copied</b>" in evening.sam.inner_text(".acts")
    evening.go(evening.sam, "/matches?team=Blue")
    assert "does not count" in evening.sam.inner_text("#shown")
    evening.order("undo", "a mistake")
    assert evening.table() == before


def finish(evening: Evening) -> None:
    """Freeze, a late version, a bracket from the ladder with its replays, and the sources."""
    server, olga, bob, sam = evening.server, evening.olga, evening.bob, evening.sam
    evening.order("freeze", "the end")
    olga.goto(f"{server.url}/matches")
    with olga.expect_navigation():
        olga.locator(".matches a", has_text="Ladder").first.click()
    olga.click("text=Change the result of this match")
    olga.locator("form[action='/desk/act'] [name=reason]").fill("no result")
    with olga.expect_navigation():
        olga.locator("form[action='/desk/act'] button").click()
    olga.goto(f"{server.url}/desk")
    olga.click("text=Begin a new stage")
    form = olga.locator("form", has=olga.locator("[name=best_of]"))
    form.locator("[name=subject]").fill("cup")
    form.locator("[name=format]").select_option("single_elimination")
    form.locator("[name=advance]").fill("2")
    form.locator("[name=best_of]").fill("1")
    form.locator("[name=reason]").fill("the last evening")
    with olga.expect_navigation():
        form.locator("button").click()
    assert olga.url.endswith("/desk"), olga.inner_text("body")
    bob.goto(f"{server.url}/team/Blue")
    drop(bob, archive("\n# late\n"))
    bob.wait_for_url("**/version/Blue/2", timeout=SECONDS)
    assert "late" in bob.inner_text(".sub")
    with olga.expect_download() as download:
        olga.click("text=Download all sources")
    names = zipfile.ZipFile(download.value.path()).namelist()
    assert {"base/main.py", "Red/1/main.py", "Blue/2/main.py", "Green/1/main.py", "versions.csv"} <= set(names)

    sam.goto(server.url)
    sam.wait_for_selector("#final .podium", timeout=SECONDS)
    evening.go(sam, "/")
    assert set(sam.locator("#final .podium .bot").all_inner_texts()) == {"Red", "Blue"}
    sam.locator("#standings-cup svg.bracket a").first.click()
    sam.wait_for_url("**/match/*")
    sam.frame_locator("iframe").locator("canvas").first.wait_for(timeout=SECONDS)
    evening.check(sam)
    public = Reader(sam.request.get(server.url + sam.get_attribute("[download]", "href")).body())
    assert public.notes == []
    assert {one["hash"] for one in public.header["players"]} == {"Red/1", "Blue/1"}
