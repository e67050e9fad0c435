"""Visitors of the pages of a contest, in this process: the real application behind the real guard, without a socket."""

import asyncio
import io
import itertools
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from urllib.parse import quote, urljoin, urlsplit

import httpx
from contests_toys import Futures

from arena.contests.loop import Loop
from arena.contests.open_contest import OpenContest
from arena.contests.people import accounts
from arena.web.contests.app import ContestPages
from arena.web.contests.requests import COOKIE
from arena.web.guard import Guard
from arena_replays import Reader

HOST = "http://testserver"
MARKED = '''
from saloon import AI


class Bot(AI):
    """SOURCE-OF-RED"""

    def run_turn(self):
        self.log("LOG-OF-RED")
        print("OUTPUT-OF-RED")
'''


def pages_of(contest, further=MappingProxyType({}), base=MappingProxyType({"bot.py": "TEMPLATE"}), engine=None):
    """Return the pages, with a loop that nobody has started, and the guarded application."""
    loop = Loop(contest, engine or Futures(), stays=True) if isinstance(contest, OpenContest) else None
    pages = ContestPages(contest, None, base, further, loop)
    return pages, Guard(pages.application(), "", ("testserver",), forms=True)


class Visitor:
    """The browser of somebody. Each request has an event loop of its own, so that tests are plain functions.

    The loop is in a thread of its own, since Playwright leaves one running in the main thread.
    """

    def __init__(self, app, cookie=""):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=HOST, timeout=60)
        self.cookies = self._client.cookies
        if cookie:
            self.cookies.set(COOKIE, cookie, "testserver.local")

    def get(self, place, **settings):
        return self._answer(self._client.get, place, settings)

    def post(self, place, **settings):
        return self._answer(self._client.post, place, settings)

    @staticmethod
    def _answer(ask, place, settings):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: asyncio.run(ask(place, **settings))).result()


def visitor(app, token="", cookie=""):
    """Return the browser of somebody, who signs in if they have a token."""
    client = Visitor(app, cookie)
    if token:
        done = client.post("/sign-in", data={"token": token}, headers={"Origin": HOST})
        assert done.status_code == 303, done.text
    return client


def csrf_of(client):
    """Return the value that forms of this visitor need."""
    return re.search(r'data-csrf="(\w*)"', client.get("/").text)[1]


def send(client, place, **fields):
    """Send a form as the page does."""
    return client.post(place, data={"csrf": csrf_of(client), **fields}, headers={"Origin": HOST})


def upload(client, data, name="bot.zip", **headers):
    """Upload a file as the page does."""
    known = {"Origin": HOST, "X-CSRF": csrf_of(client), "X-File-Name": name, "Accept": "application/json"}
    return client.post("/api/submit", content=data, headers={**known, **headers})


def add_person(contest, team, role="member"):
    """Return the token of a new person."""
    _, token = accounts.join(contest, accounts.invite(contest, team, "", role, ""), f"{team or role} person")
    return token


def addresses_of(app, values):
    """Return the address of every route, with all values of its parameters."""
    found = []
    for route in app.routes:
        if "GET" not in getattr(route, "methods", ()):
            continue
        names = re.findall(r"{(\w+)(?::\w+)?}", route.path)
        for chosen in itertools.product(*(values[name] for name in names)):
            path = route.path
            for name, value in zip(names, chosen, strict=True):
                path = re.sub(rf"{{{name}(:\w+)?}}", lambda _, value=value: quote(value, safe="%./"), path)
            if not re.search(r"\.(js|css|svg|woff2)$", path):  # the same files for everybody
                found.append(path)
    return found


def text_of(answer):
    """Return everything that a reader gets: headers but those about versions of the page, and the body, unpacked."""
    headers = {name: value for name, value in answer.headers.items() if name not in ("etag", "last-modified")}
    text = "\n".join(f"{name}: {value}" for name, value in headers.items())
    if answer.content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            return text + "".join(packed.read(name).decode(errors="replace") for name in packed.namelist())
    if "/replay/" in str(answer.url) and answer.status_code == 200:
        reader = Reader(answer.content)
        return text + str(reader.notes) + str(reader.header) + str(reader.footer)
    return text + re.sub(r'"now": [\d.]+', "", answer.text)  # the clock of the server, for the screens of a show


def crawled(client, pending):
    """Return what a visitor gets from each address, and from all links on these pages."""
    pending, seen = [*pending], {}
    while pending:
        address = pending.pop()
        if address in seen:
            continue
        answer = client.get(address)
        seen[address] = text_of(answer)
        assert answer.status_code < 500, (address, answer.text)
        if "text/html" in answer.headers.get("content-type", ""):
            for link in re.findall(r'(?:href|src|action)="([^"]+)"', answer.text):
                place = urlsplit(urljoin(f"{HOST}{address}", link.replace("&amp;", "&")))
                if place.netloc == "testserver" and not place.path.endswith((".js", ".css", ".svg", ".whl")):
                    pending.append(place.path + (f"?{place.query}" if place.query else ""))
    return seen
