"""The pages of a show in a real browser: screens, the overlay, the remote, a phone and the desk."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened
from waiting import until, until_page
from worlds import Matches, World, secret_of, world_in

from arena.contests.people import accounts
from arena.text.reading import hash_of
from arena.web.contests.requests import COOKIE
from arena.web.growing import WAIT
from arena.web.server import Server

pytestmark = [pytest.mark.process, pytest.mark.browser]
LEGIBLE = (Path(__file__).parent / "legible.js").read_text(encoding="utf-8")
KEEPS_ITS_ID = "localStorage.setItem('arena-show screens', JSON.stringify(['{}']))"
RENAMED = """
const json = Response.prototype.json;
Response.prototype.json = async function () {
  const names = { Red: "Wolpertinger-Großfamilienrunde", Gold: "Extraordinarily Long Lanterns X" };
  const text = JSON.stringify(await json.call(this));
  return JSON.parse(text.replace(/\\b(Red|Gold)\\b/g, (name) => names[name]));
};
"""
DEAF = """() => {
const heard = window.fetch;
window.fetch = (address, ...more) => (address.includes("after=") ? new Promise(() => {}) : heard(address, ...more));
}"""
SETTLED = "!document.getAnimations().some((one) => one.playState === 'running')"
SCENES = {
    "match:": "document.querySelector('iframe').contentDocument?.documentElement?.dataset.ready === 'true'",
    "award:cup:1": "document.querySelector('.award')",
    "intro:": "document.querySelector('.card')",
    "result:": "document.querySelector('.ended .name')",
    "bracket:cup": "document.querySelector('.pairs .won')",
    "bracket:cup:": "document.querySelector('.fork .won')",
    "begin": "document.querySelector('.pause svg')",
}


class Hall:
    """A show that is served, and the browsers in the hall. No page may complain."""

    def __init__(self, world: World, browser: Any) -> None:
        self.world = world
        self.complaints: list[str] = []
        self._browser = browser
        self._contexts: list[Any] = []
        self.server = Server(world.pages.application(), public=True, forms=True)
        self.server.start()
        self.url = self.server.url.rstrip("/")

    def page(self, path: str, *scripts: str, size: tuple[int, int] = (1280, 720), cookie: str = "") -> Any:
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="dark")
        self._contexts.append(context)
        if cookie:
            context.add_cookies([{"name": COOKIE, "value": cookie, "url": self.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{path}: {error.message}"))
        page.on("console", lambda message: self._hear(path, message))
        for script in scripts:
            page.add_init_script(script)
        page.goto(self.url + path)
        return page

    def _hear(self, path: str, message: Any) -> None:
        # A server that stops, or is not there; a button of a step that is not shown any more; a remote that has ended.
        is_away = any(text in message.text for text in ("ERR_CONNECTION", "503", "409", "401"))
        if message.type in ("error", "warning") and not is_away:
            self.complaints.append(f"{path}: {message.text}")

    def display(self, role: str, *scripts: str, path: str = "/display", size: tuple[int, int] = (1280, 720)) -> Any:
        return self.page(path, KEEPS_ITS_ID.format(secret_of(role)), *scripts, size=size)

    def remote(self) -> Any:
        page = self.page(f"/remote?token={self.world.evening.new_link()}", size=(390, 844))
        page.click("button")
        until_page(page, "document.querySelector('footer .next') && !document.querySelector('footer .next').disabled")
        return page

    def organizer(self) -> str:
        """Return the cookie of a new organizer."""
        contest = self.world.contest
        _, token = accounts.join(contest, accounts.invite(contest, "", "Olga", "organizer", ""), "Olga")
        return accounts.new_session(contest, hash_of(token))

    def step(self) -> int:
        return self.world.evening.at(self.world.evening.steps())

    def restart(self, *pages: Any) -> None:
        """End the server, and start another one with the same address when these pages have missed it."""
        port = self.server.port
        self.server.stop()
        for page in pages:
            until_page(page, "document.documentElement.dataset.lost === 'true'")
        self.server = Server(self.world.pages.application(), port, public=True, forms=True)
        self.server.start()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        self.server.stop()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a contest whose cup was played while its results were held back."""
    folder = tmp_path_factory.mktemp("evening")
    with world_in(folder, Matches(tmp_path_factory.mktemp("matches")), begin=True) as world:
        world.play(world.next_of_cup(), "Red")
    return folder


@pytest.fixture
def hall(begun: Path, tmp_path: Path, browser: Any) -> Iterator[Hall]:
    shutil.copytree(begun, tmp_path / "contest")
    with world_in(tmp_path / "contest", Matches.__new__(Matches)) as world:
        hall = Hall(world, browser)
        yield hall
        hall.close()
    assert hall.complaints == []


def stands_at(page: Any, step: int) -> None:
    until_page(page, f"document.documentElement.dataset.step === '{step}'")


def test_everyone_follows_the_remote_and_comes_back_after_a_restart(
    hall: Hall, assert_accessible: Callable[[Any], None]
) -> None:
    board, overlay = hall.display("board"), hall.display("overlay", path="/display?overlay")
    phone, remote = hall.page("/show", size=(390, 844)), hall.remote()
    everyone = (board, overlay, phone)
    for _ in range(3):
        before = hall.step()
        remote.click("footer .next")
        for page in everyone:
            stands_at(page, before + 1)
    assert board.evaluate("document.documentElement.dataset.kind") == "intro"
    assert overlay.evaluate("document.querySelectorAll('.card').length") == 2
    until_page(overlay, SETTLED)
    pixels = alpha_of(overlay)
    assert pixels((5, 5)) == pixels((640, 300)) == 0, "an overlay covers nothing but its boxes"
    assert pixels((300, 670)) == 255
    boxes = remote.evaluate("[...document.querySelectorAll('footer button')].map((one) => one.getBoundingClientRect())")
    assert all(box["top"] > 0.6 * 844 and box["height"] >= 48 and box["width"] >= 48 for box in boxes), "for one thumb"
    assert remote.evaluate("document.documentElement.scrollWidth") == 390
    assert_accessible(remote)
    hall.restart(*everyone)
    begun = time.monotonic()
    for page in everyone:
        until_page(page, "document.documentElement.dataset.lost === 'false'")
    assert time.monotonic() - begun < WAIT / 2, "what is as it was is said at once"
    assert board.locator(".card").count() == 2, "a screen keeps its scene while the server is away"
    hall.world.evening.go("next")
    for page in everyone:
        stands_at(page, hall.step())
    assert board.evaluate("document.documentElement.dataset.role") == "board"
    until_page(remote, "!document.querySelector('footer .next').disabled")
    remote.evaluate(DEAF)
    hall.world.evening.go("next")  # its last poll answers this, and nothing after it
    names_the_step(remote, hall)
    hall.world.evening.go("next")
    remote.click("footer .next")
    names_the_step(remote, hall)


def names_the_step(remote: Any, hall: Hall) -> None:
    title = hall.world.evening.steps()[hall.step()].title
    until_page(remote, f"document.querySelector('h1').textContent === {title!r}")


def alpha_of(page: Any) -> Callable[[tuple[int, int]], int]:
    from PIL import Image

    picture = Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")
    return lambda place: int(picture.getpixel(place)[3])


@pytest.mark.parametrize(("width", "height"), shortened([(1280, 720), (3840, 2160)]))
def test_long_names_are_legible_in_all_scenes(hall: Hall, width: int, height: int) -> None:
    page = hall.display("board", RENAMED, size=(width, height))
    found = {}
    for scene, there in SCENES.items():
        hall.world.evening.go(next(step.id for step in hall.world.evening.steps() if step.id.startswith(scene)))
        stands_at(page, hall.step())
        until_page(page, there)
        until_page(page, SETTLED)
        found[scene] = page.evaluate(LEGIBLE)
    assert found == {scene: [] for scene in SCENES}


def test_the_desk_gives_a_screen_its_role(hall: Hall, assert_accessible: Callable[[Any], None]) -> None:
    screen = hall.page("/display")
    until_page(screen, "document.querySelector('.code')?.textContent.length === 4")
    code = screen.inner_text(".code")
    desk = hall.page("/show/desk", size=(1280, 900), cookie=hall.organizer())
    until_page(desk, f"document.querySelector('[aria-label=\"Role of {code}\"]')")
    assert_accessible(desk)
    desk.select_option(f'[aria-label="Role of {code}"]', "queue")
    until_page(screen, "document.documentElement.dataset.role === 'queue'")
    assert "Nobody waits" in screen.inner_text("main")
    desk.click("#run button[value=next]")
    stands_at(screen, 0)
    until(lambda: "Welcome" in desk.inner_text("#run"))
    remote = hall.remote()
    desk.click("#remote button")
    until_page(desk, "document.querySelector('#remote a')?.href.includes('token=')")
    until_page(remote, "document.querySelector('footer .wrong').textContent.startsWith('This remote is signed out.')")
    before = desk.inner_text("#remote a")
    desk.reload()
    assert desk.inner_text("#remote a") == before, "a reload makes no new link"
