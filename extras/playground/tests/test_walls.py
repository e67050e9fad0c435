"""What code of the page's user, or of a stranger's link, cannot reach."""

from __future__ import annotations

import base64
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from visit import REACHING, Playground

from arena.bots.builtin import module_source
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory

NESTED = """
const tries = {
  fetch: () => fetch(ORIGIN + "/secret", { credentials: "include" }),
  submit: () => fetch(ORIGIN + "/secret", { method: "POST", mode: "no-cors", credentials: "include", body: "x" }),
  later: () => fetchLater(ORIGIN + "/secret"),
  import: () => import(ORIGIN + "/make.js"),
  scripts: async () => importScripts(ORIGIN + "/make.js"),
  font: () => new FontFace("x", `url(${ORIGIN}/secret)`).load(),
  transport: () => new WebTransport(ORIGIN.replace("http", "https") + "/socket").ready,
  stream: () => new WebSocketStream(ORIGIN.replace("http", "ws") + "/socket").opened,
  compile: () => WebAssembly.compileStreaming(fetch(ORIGIN + "/secret")),
  files: () => navigator.storage.getDirectory(),
  locks: () => navigator.locks.query(),
  cookies: () => cookieStore.getAll(),
};
const out = (name, value) => postMessage({ kind: "attack", name, value });
const attempt = async ([name, code]) => {
  try {
    const found = await Promise.race([code(), new Promise((_, end) => setTimeout(end, 1000))]);
    out(name, String(found));
  } catch {}
};
Promise.all(Object.entries(tries).map(attempt)).then(() => out("nested", "ended"));
"""
"""What JavaScript can try, in a worker that a bot starts inside of Python's worker."""

ATTACKS = (
    REACHING
    + f"NESTED = {NESTED!r}\n"
    + """
def nested():
    code = to_js([f"const ORIGIN = '{ORIGIN}';" + NESTED])
    worker = js.Worker.new(js.URL.createObjectURL(js.Blob.new(code)))
    worker.onmessage = create_proxy(lambda event: js.postMessage(event.data))

def fetch():
    js.WorkerGlobalScope.prototype.fetch.call(js.self, ORIGIN + "/secret.json").then(later("fetch"))

def request():
    one = js.XMLHttpRequest.new()
    one.open("GET", ORIGIN + "/secret.json", False)
    one.send()
    reached("request", one.responseText)

def socket():
    one = js.WebSocket.new(ORIGIN.replace("http", "ws") + "/socket")
    one.onopen = later("socket")

def script():
    js.importScripts(ORIGIN + "/make.js")
    reached("script")

def cookies():
    reached("cookies", js.document.cookie)

def storage():
    reached("storage", js.localStorage.getItem("arena-playground game"))

def cached():
    js.caches.keys().then(later("cached"))

def database():
    js.indexedDB.open("x").onsuccess = later("database")

def parent():
    reached("parent", js.parent.document.title)

def channel():
    js.BroadcastChannel.new("secret").onmessage = later("channel")

def worker():
    js.Worker.new(ORIGIN + "/worker.js").onmessage = later("worker")

def evaluates():
    reached("evaluates", js.eval("self.origin"))

def beacon():
    assert js.navigator.sendBeacon(ORIGIN + "/beacon", "x")
    reached("beacon")

for attack in (nested, fetch, request, socket, script, cookies, storage, cached, database, parent, channel, worker,
               evaluates, beacon):
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

TAINTS = """
import json, zipfile
import arena_playground.inside as inside

inside.module_source = lambda spec: "evil"
zipfile.ZipFile.writestr = lambda *_: None
false = {"over": True, "headline": "Sign in again <img src=x onerror='top.owned = true'>", "failures": []}
json.dumps = lambda *_, real=json.dumps, **__: real(false)
from saloon import AI

class Bot(AI):
    def run_turn(self):
        pass
"""

LISTEN = """() => {
  window.reached = [];
  addEventListener("message", ({ data }) => data?.kind === "attack" && reached.push(`${data.name}: ${data.value}`));
  localStorage.setItem("arena-playground game", "saloon");
  document.cookie = "session=secret";
  setInterval(() => new BroadcastChannel("secret").postMessage("for the page"), 50);
}"""


def test_code_reaches_neither_the_network_nor_the_page(
    playground: Callable[..., Playground], site: str, asked: list[str]
) -> None:
    page = playground("#game=saloon")
    page.do(LISTEN)
    page.play(f"ORIGIN = {site.rstrip('/')!r}\n{ATTACKS}")
    page.until("reached.some((one) => one.startsWith('nested'))")
    page.page.wait_for_timeout(500)
    assert sorted(page.do("reached")) == ["nested: ended", "tries: ended"]
    assert any("index.html" in path or path == "/" for path in asked), "the server notes what it is asked for"
    assert [path for path in asked if "secret" in path or "beacon" in path or "socket" in path] == []


@pytest.mark.kill  # two more Pythons start
def test_a_link_cannot_leave_its_text(
    playground: Callable[..., Playground], shared: Callable[[str], Playground], site: str
) -> None:
    """Code, names and messages are shown as text, and no script of them runs in the page."""
    page = shared("saloon")
    markup = "<img src=x onerror='window.owned = true'><script>window.owned = true</script>"
    code = f"from saloon import AI\nclass Bot(AI):\n    def run_turn(self):\n        print({markup!r})\n"
    link = page.do("(code) => import('./store.js').then(({ toLink }) => toLink('saloon', code))", code)
    other = playground(link)
    assert other.run()
    assert markup in other.output
    assert other.do("window.owned") is None
    packer = zlib.compressobj(9, wbits=-15)
    bomb = packer.compress(bytes(50_000_000)) + packer.flush()
    other.page.goto(f"{site}?#game=saloon&code={base64.urlsafe_b64encode(bomb).decode()}")
    other.page.wait_for_selector("html[data-ready]")
    assert "too long" in other.status
    assert other.do("Object.keys(page.store.bots).length") == 2


DROP = """async ([name, bytes]) => {
  const frame = document.getElementById("board").contentWindow;
  const dataTransfer = new frame.DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
  const event = new frame.DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  frame.document.body.dispatchEvent(event);
  return event.defaultPrevented;
}"""


def test_a_replay_of_a_stranger_is_text(shared: Callable[[str], Playground], tmp_path: Path) -> None:
    """It can be dropped on the board itself, and what its players are called runs nowhere."""
    markup = "<img src=x onerror='top.owned = true'>"
    path = tmp_path / "evil.arena"
    play_in_memory("saloon", ["builtin:rowdy", "builtin:rowdy"], seed=1, names=[markup, "other"], replay=path)
    page = shared("saloon")
    assert page.do(DROP, [f"{markup}.arena", list(path.read_bytes())])
    board = page.page.frame_locator("#board")
    board.get_by_text(markup).first.wait_for()
    assert markup in page.status
    page.do(DROP, ["cut.arena", list(path.read_bytes()[:100])])
    board.get_by_role("alert").wait_for()
    assert page.do("window.owned") is None
    assert page.run().startswith("my_bot wins"), page.output


@pytest.mark.kill  # one more Python starts
def test_what_python_was_made_to_say_does_not_reach_a_download(
    playground: Callable[..., Playground], tmp_path: Path
) -> None:
    """Code that changes Python for later runs changes neither the user's bot, nor the page."""
    page = playground("#game=saloon")
    mine = page.do("page.editor.code")
    page.play(TAINTS)
    page.run()  # from the second time on, Python says what it was made to say
    assert "Sign in again" in page.status
    assert page.do("window.owned") is None
    page.write(mine)
    with page.page.expect_download() as download:
        page.do("document.getElementById('download').click()")
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        assert archive.read("my_bot/main.py").decode() == mine
        assert archive.read("my_bot/saloon.py").decode() == module_source(find_game("saloon"))
