"""Visitors of a season's pages, in this process: the real application behind the real guard, without any socket."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import httpx

from arena.season import people
from arena.season.matches import Matches
from arena.web.guard import Guard
from arena.web.season.app import SeasonPages

HOST = "http://testserver"
MARKED = '''
from saloon import AI


class Bot(AI):
    """SOURCE-OF-RED"""

    def run_turn(self):
        self.log("LOG-OF-RED")
        print("OUTPUT-OF-RED")
'''


def pages_of(season, further=MappingProxyType({}), base=MappingProxyType({"bot.py": "TEMPLATE"})):
    """Return the pages, without the thread that plays matches, and the guarded application."""
    pages = SeasonPages(season, Matches(season), None, base, further)
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
            self.cookies.set("arena-season", cookie, "testserver.local")

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


def add_person(season, team, role="member"):
    """Return the token of a new person."""
    _, token = people.join(season, people.invite(season, team, "", role, "test"), f"{team or role} person")
    return token
