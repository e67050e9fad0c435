"""Visitors of the pages of a contest, in this process: the real application behind the real guard, without a socket."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import httpx
from contests_toys import Futures

from arena.contests.loop import Loop
from arena.contests.open_contest import OpenContest
from arena.contests.people import accounts
from arena.web.contests.app import ContestPages
from arena.web.contests.requests import COOKIE
from arena.web.guard import Guard

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
