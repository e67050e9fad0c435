"""The playground on the server of a contest: one click hands in, and code of strangers reaches no session."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from term import Term, sign_in
from visit import REACHING, Playground

from arena_playground import link

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "contests"))
from server import Server as Command


@pytest.fixture
def visit(browser: Any, term: Term) -> Iterator[Callable[[str], Playground]]:
    """Opens an address of the contest's playground, as a member of the team Reds."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})

    def start(address: str) -> Playground:
        page = context.new_page()
        sign_in(page, term.url, term.token)
        return Playground(page).open(f"{term.url}/playground/{address}")

    yield start
    context.close()


# -- attacks -----------------------------------------------------------------------------------------

IN_PYTHON = (
    REACHING
    + """
def options(**values):
    return to_js(values, dict_converter=Object.fromEntries)

def fetch_session():
    fetch = js.WorkerGlobalScope.prototype.fetch
    fetch.call(js.self, ORIGIN + "/api/session", options(credentials="include")).then(later("fetch"))

def fetch_opaquely():
    fetch = js.WorkerGlobalScope.prototype.fetch
    given = options(method="POST", mode="no-cors", credentials="include", body="bot")
    fetch.call(js.self, ORIGIN + "/api/submit", given).then(later("no-cors"))

def request():
    one = js.XMLHttpRequest.new()
    one.open("POST", ORIGIN + "/api/submit", False)
    one.withCredentials = True
    one.send("bot")
    reached("request", one.responseText)

def cookies():
    reached("cookies", js.document.cookie)

def stores():
    reached("stores", js.self.cookieStore.getAll().then(later("stores")))

def storage():
    reached("storage", js.localStorage.getItem("arena-playground saloon"))

def database():
    js.indexedDB.open("x").onsuccess = later("database")

def cached():
    js.caches.keys().then(later("cached"))

def parent():
    reached("parent", js.parent.document.body.innerText)

def top():
    js.top.location.href = ORIGIN + "/team/Reds"

def opens():
    reached("opens", js.open(ORIGIN + "/team/Reds").document.cookie)

def socket():
    one = js.WebSocket.new(ORIGIN.replace("http", "ws") + "/api/session")
    one.onopen = later("socket")

def events():
    js.EventSource.new(ORIGIN + "/api/session").onopen = later("events")

def script():
    js.importScripts(ORIGIN + "/playground/main.js")
    reached("script")

def service():
    js.navigator.serviceWorker.register(ORIGIN + "/playground/offline.js").then(later("service"))

def worker():
    js.Worker.new(ORIGIN + "/playground/worker.js").onmessage = later("worker")

def channel():
    js.BroadcastChannel.new("contest").onmessage = later("channel")

def beacon():
    assert js.navigator.sendBeacon(ORIGIN + "/api/submit", "bot")
    reached("beacon")

def forges():
    for kind in ("handIn", "submit", "contest", "call", "run", "board", "start", "stop", "frame", "ready"):
        js.postMessage(options(kind=kind, name="handIn", team="Reds", text="{}", id=1))
    for id in range(100):
        js.postMessage(options(kind="event", name="contest", found="handIn"))

for attack in (fetch_session, fetch_opaquely, request, cookies, stores, storage, database, cached, parent, top, opens,
               socket, events, script, service, worker, channel, beacon, forges):
    try:
        attack()
    except BaseException as error:
        print("blocked", attack.__name__)

reached("tries", "ended")
from saloon import AI

class Bot(AI):
    def run_turn(self):
        pass
"""
)

IN_FRAME = """
async (origin) => {
  const reached = [];
  const attempt = async (name, code) => {
    try {
      const timeout = new Promise((_, reject) => setTimeout(() => reject("no answer"), 1500));
      const found = await Promise.race([code(), timeout]);
      if (found) reached.push(`${name}: ${found}`);
    } catch {}
  };
  const element = (name, values) => {
    const made = Object.assign(document.createElement(name), values);
    document.body.append(made);
    return new Promise((resolve, reject) => { made.onload = () => resolve("loaded"); made.onerror = reject; });
  };
  await attempt("fetch", async () => (await fetch(`${origin}/api/session`, { credentials: "include" })).text());
  await attempt("no-cors", async () =>
    (await fetch(`${origin}/api/submit`, { method: "POST", mode: "no-cors", credentials: "include", body: "x" })).type);
  await attempt("cookie", () => document.cookie);
  await attempt("storage", () => localStorage.length + " entries");
  await attempt("database", () => new Promise((done) => { indexedDB.open("x").onsuccess = () => done("open"); }));
  await attempt("cached", async () => "keys " + (await caches.keys()));
  await attempt("parent", () => parent.document.body.innerText);
  await attempt("top", () => { top.location = `${origin}/team/Reds`; });
  await attempt("open", () => open(`${origin}/team/Reds`) && "opened");
  await attempt("socket", () => new Promise((done) => {
    new WebSocket(`${origin.replace("http", "ws")}/api/session`).onopen = () => done("open"); }));
  await attempt("service", async () =>
    (await navigator.serviceWorker.register(`${origin}/playground/offline.js`)) && "registered");
  await attempt("script", () => element("script", { src: `${origin}/playground/main.js` }));
  await attempt("image", () => element("img", { src: `${origin}/api/session?image` }));
  await attempt("frame", () => element("iframe", { src: `${origin}/team/Reds` }).then(() => {
    return document.querySelector("iframe").contentDocument?.body.innerText; }));
  await attempt("beacon", () => { navigator.sendBeacon(`${origin}/api/submit`, "bot"); });
  await attempt("messages", () => {
    for (const kind of ["handIn", "submit", "contest", "board", "call"])
      parent.postMessage({ kind, name: "handIn", team: "Reds", id: 1 }, "*");
  });
  await attempt("form", () => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: `${origin}/api/submit` });
    document.body.append(form);
    form.submit();
  });
  return reached;
}
"""

LEAVES = "(origin) => { location.href = `${origin}/team/Reds`; }"

LISTEN = """() => {
  window.reached = [];
  addEventListener("message", ({ data }) => data?.kind === "attack" && reached.push(`${data.name}: ${data.value}`));
  setInterval(() => new BroadcastChannel("contest").postMessage("for the page"), 50);
}"""


def untouched(page: Playground, term: Term, before: int) -> None:
    """Nothing was handed in, no request of the attacks came with the session, and the page is where it was."""
    page.page.wait_for_timeout(1000)
    assert term.contest.state.versions.get("Reds", []) == []
    own = ("/playground/", "/api/session")  # the page itself asks for its files, and who is signed in when it opens
    asked = [one for one in term.requests[before:] if not one[1].startswith(own[0])]
    assert [one for one in asked if one[2]] == [], "no request came with the session"
    assert [one for one in asked if one[1] == "/api/session" or one[0] != "GET"] == []
    assert page.page.url.startswith(f"{term.url}/playground/")
    assert len(page.page.context.pages) == 1


@pytest.mark.kill  # the walls are those of `test_walls.py`
def test_code_of_a_link_reaches_nothing_of_the_session(term: Term, visit: Callable[[str], Playground]) -> None:
    page = visit(link("saloon", f"ORIGIN = {term.url!r}\n{IN_PYTHON}"))
    assert "Reds" in page.page.inner_text("#contest")
    page.do(LISTEN)
    page.page.wait_for_timeout(500)
    assert page.do("reached") == [], "nothing runs before the user presses Run"
    before = len(term.requests)
    page.page.click("#run")
    page.until("reached.some((one) => one.startsWith('tries')) && page.played")
    untouched(page, term, before)
    assert page.do("reached") == ["tries: ended"]
    assert page.play(page.do("page.game.files['main.py']")).startswith("shared wins"), page.output


@pytest.mark.kill  # the walls are those of the test before
def test_a_frame_that_an_attacker_controls_reaches_nothing_either(
    term: Term, visit: Callable[[str], Playground]
) -> None:
    """Even with JavaScript in the frame itself, beyond what Python's worker can do."""
    page = visit("")
    frame = next(one for one in page.page.frames if one.url == "about:srcdoc")
    assert frame.evaluate("self.origin") == "null"
    before = len(term.requests)
    assert frame.evaluate(IN_FRAME, term.url) == []
    untouched(page, term, before)
    frame.evaluate(LEAVES, term.url)
    page.page.wait_for_timeout(1000)
    assert [one for one in term.requests[before:] if one[2] and not one[1].startswith("/playground/")] == []
    assert "Reds" in page.page.inner_text("#contest"), "the page is alive"


def test_another_site_cannot_read_the_session_or_frame_the_page(term: Term, browser: Any, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, term.url, term.token)
    page.goto(f"{site}editor/LICENSE.txt")  # another origin, without a policy
    read = "(url) => fetch(url, { credentials: 'include' }).then((one) => one.text()).catch(() => 'blocked')"
    assert page.evaluate(read, f"{term.url}/api/session") == "blocked"
    framed = """(url) => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.onload = () => done(frame.contentWindow.length);
      frame.src = url;
      document.body.append(frame);
    })"""
    assert page.evaluate(framed, f"{term.url}/playground/") == 0, "the page has frames, but not inside of a stranger"
    context.close()


# -- handing in --------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.slow
def test_one_click_hands_in_and_shows_the_report(tmp_path: Path, browser: Any) -> None:
    server = Command(tmp_path, game="saloon")
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        olga = server.person()
        olga.join(server.invitation, "Olga")
        (invitation,) = olga.invited(team="Reds", name="Rita", role="member")
        page = context.new_page()
        page.goto(f"{server.url}/playground/")
        page.wait_for_selector("#contest >> text=Sign in")
        page.goto(f"{server.url}/join?token={invitation}")
        page.click("main button")
        page.click("nav >> text=Playground")
        page.wait_for_selector("html[data-ready=true]", timeout=150_000)
        mine = Playground(page)
        page.click("#contest button")
        mine.until("document.getElementById('output').innerText.includes('passed')")
        assert "Version 1 of Reds" in mine.output
        assert "✓" in mine.output
        assert "plays on the ladder" in mine.status
        mine.until("document.querySelector('#output a[href^=\"../match/\"]')")
        mine.do("page.contest.handIn()")
        assert "Version 1 of Reds: passed" in mine.output, "equal files make no new version"
        mine.write("from saloon import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        1 / 0\n")
        mine.do("page.contest.handIn()")
        assert "Version 2 of Reds: failed" in mine.output, mine.output
        assert "ZeroDivisionError" in mine.output
        page.click("#output a")
        page.wait_for_selector("text=Reds, version 2")
        page.goto(f"{server.url}/team/Reds")
        assert "my_bot.zip" in page.inner_text("#versions")
    finally:
        context.close()
        server.stop()
    assert "Traceback" not in server.complain()
