"""What code of the page's user, or of a stranger's link, cannot reach."""

from __future__ import annotations

from collections.abc import Callable

from visit import REACHING, Playground

ATTACKS = (
    REACHING
    + """
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

for attack in (fetch, request, socket, script, cookies, storage, cached, database, parent, channel, worker, evaluates,
               beacon):
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
    page.until("reached.some((one) => one.startsWith('tries'))")
    page.page.wait_for_timeout(1500)
    assert page.do("reached") == ["tries: ended"]
    assert any("index.html" in path or path == "/" for path in asked), "the server notes what it is asked for"
    assert [path for path in asked if "secret" in path or "beacon" in path or "socket" in path] == []


def test_a_link_cannot_leave_its_text(playground: Callable[..., Playground]) -> None:
    """Code, names and messages are shown as text, and no script of them runs in the page."""
    page = playground("#game=saloon")
    markup = "<img src=x onerror='window.owned = true'><script>window.owned = true</script>"
    code = f"from saloon import AI\nclass Bot(AI):\n    def run_turn(self):\n        print({markup!r})\n"
    link = page.do("(code) => import('./store.js').then(({ toLink }) => toLink('saloon', code))", code)
    other = playground(link)
    assert other.run()
    assert markup in other.output
    assert other.do("window.owned") is None
