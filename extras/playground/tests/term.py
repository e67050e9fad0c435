"""A contest with the playground in this process, in which nothing is checked or played."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from arena.contests.open_contest import OpenContest
from arena.contests.people import accounts
from arena.web.contests.app import ContestPages
from arena.web.server import Server
from arena_playground.contest import pages

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "contests"))
from contests_toys import opened, write_config

COOKIE = "arena-contest"


class NotingApp:
    """Notes each request, and whether it came with a session."""

    requests: list[tuple[str, str, bool]]

    def __init__(self, app: ASGIApp, requests: list[tuple[str, str, bool]]) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            cookie = dict(scope["headers"]).get(b"cookie", b"").decode()
            self._requests.append((scope.get("method", "socket"), scope["path"], COOKIE in cookie))
        await self._app(scope, receive, send)


@dataclass
class Term:
    """A contest in this process, in which nothing is checked or played."""

    contest: OpenContest
    url: str
    token: str
    requests: list[tuple[str, str, bool]] = field(default_factory=list)


@contextmanager
def begun(folder: Path) -> Iterator[Term]:
    with opened(write_config(folder)) as contest:
        _, token = accounts.join(contest, accounts.invite(contest, "Reds", "", "member", ""), "Rita")
        further = {"playground": pages(contest.game, contest.config.name)}
        app = ContestPages(contest, None, {}, further).application()
        found = Term(contest, "", token)
        app.add_middleware(NotingApp, requests=found.requests)
        server = Server(app, public=True, forms=True)
        server.start()
        found.url = server.url.rstrip("/")
        yield found
        server.stop()


def sign_in(page: Any, url: str, token: str) -> None:
    page.goto(f"{url}/sign-in?token={token}")
    page.click("main button")
    page.wait_for_selector("text=Sign out")
