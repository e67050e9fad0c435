"""`arena play --live` shows a match while it runs, or at its end if a player must not see what the game hides."""

from __future__ import annotations

import queue
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

import pytest

from arena.web.viewing import LivePage
from arena_replays import Writer


class Announced:
    """The addresses and messages of a page."""

    def __init__(self, path: Path) -> None:
        self.urls: queue.Queue[str] = queue.Queue()
        self.said: queue.Queue[str] = queue.Queue()
        self.page = LivePage(path, 0, self.urls.put, self.said.put)


def growing(path: Path, bot: str, streams: int) -> Writer:
    """Begin a replay of a match between an isolated bot and another player."""
    players = [{"name": "one", "bot": "builtin:castaway"}, {"name": "two", "bot": bot}]
    writer = Writer(path, {"game": "derelict", "players": players, "streams": streams})  # type: ignore[typeddict-item]
    writer.setup([], [["u1", "+", "Unit", "u1", "count", 3]] * streams)
    return writer


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(urljoin(url, "../replay/0"), timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize("bot", ["remote", "human", "human:terminal"])
@pytest.mark.promise("watching")
def test_a_match_with_somebody_who_could_look_is_shown_at_its_end(tmp_path: Path, bot: str) -> None:
    path = tmp_path / "live.arena"
    live = Announced(path)
    writer = growing(path, bot, 3)
    assert "when it is over" in live.said.get(timeout=10)
    time.sleep(0.3)
    assert live.urls.empty()
    assert status_of(live.page._server.url + "view/0") == 404
    writer.finish({"seed": 7})
    waiting = threading.Thread(target=live.page.wait)
    waiting.start()
    assert status_of(live.urls.get(timeout=10)) == 200
    live.page.stop()
    waiting.join(10)


@pytest.mark.parametrize(("bot", "streams"), [("builtin:veteran", 3), ("remote", 1), ("human", 1)])
def test_any_other_match_is_shown_at_once(tmp_path: Path, bot: str, streams: int) -> None:
    path = tmp_path / "live.arena"
    live = Announced(path)
    writer = growing(path, bot, streams)
    assert status_of(live.urls.get(timeout=10)) == 200
    assert live.said.empty()
    writer.abandon()
    live.page.stop()


def test_it_stops_while_it_waits(tmp_path: Path) -> None:
    path = tmp_path / "live.arena"
    live = Announced(path)
    growing(path, "remote", 3).abandon()
    live.said.get(timeout=10)
    live.page.stop()
    assert live.urls.empty()
