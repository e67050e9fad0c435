"""Branches over HTTP: real matches in the background, and what is refused."""

from __future__ import annotations

import json
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from websockets.sync.client import connect

from arena.checks.verification import verify
from arena.web.branching import Branching
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena_replays import Reader

pytestmark = pytest.mark.process
REPLAYS = Path(__file__).parents[1] / "replays"


class Site:
    """A server with branches, and requests as its page sends them."""

    def __init__(self, replay: Path) -> None:
        self.server = Server(Branching(Viewing([replay])).application())
        self.server.start()
        self.url = self.server.url

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer)

    def post(self, path: str, origin: str | None = None, **body: Any) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "Origin": origin or "/".join(self.url.split("/")[:3])}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error) if "json" in error.headers["Content-Type"] else error.read()

    def finished(self) -> list[dict[str, Any]]:
        """Wait until nothing is played, and return all branches."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            listed = self.get("branches/0")
            active = [one for one in listed["unfinished"].values() if one["state"] in ("waiting", "playing")]
            if not active:
                branches: list[dict[str, Any]] = listed["branches"]
                return branches
            time.sleep(0.05)
        pytest.fail("the branches are not finished")


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(REPLAYS / "saloon.arena", tmp_path_factory.mktemp("branching")))


@pytest.fixture
def site(replay: Path) -> Iterator[Site]:
    site = Site(replay)
    yield site
    site.server.stop()


BOTS = ["builtin:pianist", "builtin:rowdy"]


def test_a_branch_is_played_and_survives_a_restart(site: Site, replay: Path) -> None:
    frames = Reader(replay).frame_count()
    assert site.post("fork/0", frame=frames // 2, seats=BOTS, name="calm") == (200, {"branch": "b1"})
    assert site.post("fork/0", frame=frames // 3, seats=["replay", "builtin:rowdy"], same_dice=True)[0] == 200
    root, first, second = site.finished()
    assert (first["name"], first["parent"], first["players"]) == ("calm", "", ["pianist", "rowdy"])
    assert second["players"] == ["replay", "rowdy"]
    assert verify(replay.with_suffix(".branches") / "b1.arena").parent == "verified"
    assert site.post("describe/0", branch="b2", name="x", note="y") == (200, {})
    site.server.stop()
    again = Site(replay)
    try:
        listed = again.get("branches/0")["branches"]
        assert [one["id"] for one in listed] == ["", "b1", "b2"]
        assert listed[:2] == [root, first]
        assert (listed[2]["name"], listed[2]["note"]) == ("x", "y")
        with urllib.request.urlopen(f"{again.url}branch/0/b1", timeout=30) as page:
            assert b"/course/0/b1" in page.read()
    finally:
        again.server.stop()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"frame": 5, "seats": ["nowhere", "builtin:rowdy"]}, "no bot at nowhere"),
        ({"frame": 5, "seats": ["builtin:rowdy"]}, "saloon is for 2 players, not 1"),
        ({"frame": 5, "seats": "builtin:rowdy"}, "Name a bot for each seat"),
        ({"frame": 10**8, "seats": BOTS}, "has no position after"),
        ({"frame": -1, "seats": BOTS}, "Name a frame"),
        ({"frame": 5, "seats": BOTS, "branch": "../x"}, "There is no branch"),
        ({"frame": 5, "seats": BOTS, "name": 3}, "is not a text"),
    ],
)
def test_a_wrong_order_is_one_message(site: Site, body: dict[str, Any], message: str) -> None:
    status, found = site.post("fork/0", **body)
    assert status == 409
    assert message in found["message"]


@pytest.mark.parametrize("frame", ["9" * 5000, "-1", "+1", "1_0", " 1", "\u0661", "\u00b2", ""])
def test_a_frame_that_is_no_number_is_a_mistake_of_the_client(site: Site, frame: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        site.get(f"legal/0?branch=&frame={urllib.parse.quote(frame)}")
    with refused.value as answer:
        assert answer.code == 409
        assert json.load(answer)["message"] == "Name a frame of the replay."


def test_only_the_own_page_may_play(site: Site) -> None:
    for order in ("fork/0", "describe/0", "halt/0", "try/0"):
        assert site.post(order, origin="http://evil.example", frame=5, seats=BOTS)[0] == 403


def test_actions_and_the_choices_of_bots_are_tried(site: Site) -> None:
    listed = site.get("legal/0?branch=&frame=40")
    move = listed["moves"][0]
    order = {"frame": 40, "player": move["player"], "documents": move["actions"][:1]}
    assert site.post("try/0", **order, bot="nobody")[0] == 409
    assert site.post("try/0", **{**order, "documents": [{"type": "nonsense"}]}, bot="rowdy")[0] == 409
    assert site.post("try/0", **{**order, "player": 1 - move["player"]}, bot="rowdy")[0] == 409
    status, found = site.post("try/0", **order, bot="rowdy", advice=True)
    assert status == 200
    end = time.monotonic() + 120
    while (tried := site.get(f"tried/{found['try']}"))["state"] == "playing" and time.monotonic() < end:
        time.sleep(0.1)
    assert (tried["played"], tried["message"]) == (20, "")
    assert [choice["bot"] for choice in tried["choices"]] == ["rowdy", "pianist", "sheriff"]
    rows = [row["action"] for row in tried["rows"]]
    assert rows[0] == move["actions"][0]
    assert all(choice["actions"][0] in rows and choice["actions"][0] in move["actions"] for choice in tried["choices"])
    for row in tried["rows"]:
        assert 0 <= row["win"]["low"] <= row["win"]["value"] <= row["win"]["high"] <= 1


def test_the_server_ends_with_matches_that_wait(replay: Path) -> None:
    site = Site(replay)
    for _ in range(5):
        assert site.post("fork/0", frame=3, seats=BOTS)[0] == 200
    begun = time.monotonic()
    site.server.stop()
    assert time.monotonic() - begun < 10


def test_only_branches_that_wait_or_are_played_count_for_the_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.branching.MOST_WAITING", 1)
    site.finished()
    for _ in range(2):
        _, first = site.post("fork/0", frame=3, seats=BOTS)
        _, second = site.post("fork/0", frame=3, seats=BOTS)
        assert site.post("fork/0", frame=3, seats=BOTS)[1]["message"] == "More than 1 branches wait or are played."
        assert site.post("halt/0", branch=second["branch"]) == (200, {})
        assert site.post("halt/0", branch=first["branch"]) == (200, {})
        site.finished()
    assert "stopped" in {one["state"] for one in site.get("branches/0")["unfinished"].values()}


def test_a_person_plays_on_in_a_page_of_their_own(site: Site, replay: Path) -> None:
    assert site.post("fork/0", frame=30, seats=["human:terminal", "builtin:rowdy"])[0] == 409
    status, found = site.post("fork/0", frame=30, seats=["human", "builtin:rowdy"])
    assert status == 200
    end = time.monotonic() + 30
    while not (human := site.get("branches/0")["unfinished"].get(found["branch"], {}).get("human")):
        assert time.monotonic() < end
        time.sleep(0.05)
    origin = "/".join(human[0].split("/")[:3])
    with connect(human[0].replace("http:", "ws:") + "/0", origin=origin, proxy=None) as socket:  # type: ignore[arg-type]
        message: dict[str, Any] = {}
        while message.get("type") != "start":
            message = msgpack.unpackb(socket.recv(20))
        # Nobody waits until a person has moved.
        _, other = site.post("fork/0", frame=30, seats=BOTS)
        while other["branch"] not in [branch["id"] for branch in site.get("branches/0")["branches"]]:
            assert time.monotonic() < end + 30
            time.sleep(0.05)
        assert site.get("branches/0")["unfinished"][found["branch"]]["state"] == "playing"
        socket.send('{"resign": true}')
    played = next(branch for branch in site.finished() if branch["id"] == found["branch"])
    assert (played["players"], played["result"]) == (["human", "rowdy"], "rowdy wins (forfeit)")
    assert verify(replay.with_suffix(".branches") / f"{found['branch']}.arena").parent == "verified"
