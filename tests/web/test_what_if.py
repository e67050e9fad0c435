"""What if, over HTTP: real matches in the background, and what is refused."""

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

from arena.study.checks.verification import verify
from arena.study.replaying.course import course
from arena.study.replaying.presentation import result_in_words
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf
from arena_replays import Reader

pytestmark = pytest.mark.process
REPLAYS = Path(__file__).parents[1] / "replays"


class Site:
    """A server that plays on, and requests as its page sends them."""

    def __init__(self, replay: Path, folder: Path | None = None) -> None:
        self.server = Server(WhatIf(Viewing([replay]), folder or replay.parent).application())
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

    def finished(self) -> dict[str, dict[str, Any]]:
        """Wait until nothing is played, and return the statuses of all matches by the names of their files."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            matches: dict[str, dict[str, Any]] = self.get("what-if/0")["matches"]
            if not any(one["state"] in ("waiting", "playing") for one in matches.values()):
                return matches
            time.sleep(0.05)
        pytest.fail("the matches are not finished")


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(REPLAYS / "saloon.arena", tmp_path_factory.mktemp("what-if")))


@pytest.fixture
def site(replay: Path) -> Iterator[Site]:
    site = Site(replay)
    yield site
    site.server.stop()


BOTS = ["builtin:pianist", "builtin:rowdy"]


def place_of(replay: Path, frame: int) -> str:
    step = next(step for step in course(Reader(replay)) if step.frame == frame)
    return f"{step.turn}.{step.action}" if step.action else f"{step.turn}"


def test_a_match_is_played_on_and_is_a_replay(site: Site, replay: Path) -> None:
    frame = Reader(replay).frame_count() // 2
    first = f"saloon-from-{place_of(replay, frame)}-1.arena"
    assert site.post("play-on/0", frame=frame, seats=BOTS) == (200, {"match": first})
    second = site.post("play-on/0", frame=frame, seats=["replay", "builtin:rowdy"], same_dice=True)[1]["match"]
    assert second == first.replace("-1.arena", "-2.arena"), "no file is written twice"
    finished = site.finished()
    paths = [replay.with_name(name) for name in (first, second)]
    assert [finished[path.name]["file"] for path in paths] == [str(path) for path in paths]
    names = [[player["name"] for player in Reader(path).header["players"]] for path in paths]
    assert names == [["pianist", "rowdy"], ["replay", "rowdy"]]
    assert [verify(path).parent for path in paths] == ["verified", "verified"]
    with urllib.request.urlopen(f"{site.url}{finished[first]['view']}", timeout=30) as page:
        text = page.read()
    assert b"/replay/0" in text, "beside the replay that it starts from"
    assert b"/what-if/1" in text, "and one can play on from it"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"frame": 5, "seats": ["nowhere", "builtin:rowdy"]}, "no bot at nowhere"),
        ({"frame": 5, "seats": ["builtin:rowdy"]}, "saloon is for 2 players, not 1"),
        ({"frame": 5, "seats": "builtin:rowdy"}, "Name a bot for each seat"),
        ({"frame": 10**8, "seats": BOTS}, "has no position after"),
        ({"frame": -1, "seats": BOTS}, "Name a frame"),
    ],
)
def test_a_wrong_order_is_one_message(site: Site, body: dict[str, Any], message: str) -> None:
    status, found = site.post("play-on/0", **body)
    assert status == 409
    assert message in found["message"]


@pytest.mark.parametrize("frame", ["9" * 5000, "-1", "+1", "1_0", " 1", "\u0661", "\u00b2", ""])
def test_a_frame_that_is_no_number_is_a_mistake_of_the_client(site: Site, frame: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        site.get(f"legal/0?frame={urllib.parse.quote(frame)}")
    with refused.value as answer:
        assert answer.code == 409
        assert json.load(answer)["message"] == "Name a frame of the replay."


def test_only_the_own_page_may_play(site: Site) -> None:
    for order in ("play-on/0", "halt/0", "try/0"):
        assert site.post(order, origin="http://evil.example", frame=5, seats=BOTS)[0] == 403


def test_actions_and_the_choices_of_bots_are_tried(site: Site) -> None:
    listed = site.get("legal/0?frame=40")
    move = listed["moves"][0]
    order = {"frame": 40, "player": move["player"], "documents": move["actions"][:1]}
    assert site.post("try/0", **order, bot="nobody")[0] == 409
    assert site.post("try/0", **{**order, "documents": [{"type": "nonsense"}]}, bot="rowdy")[0] == 409
    assert site.post("try/0", **{**order, "player": 1 - move["player"]}, bot="rowdy")[0] == 409
    assert site.post("try/0", **order, bot=3) == (409, {"message": "The value of bot is not a text.", "hint": ""})
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
        assert site.post("play-on/0", frame=3, seats=BOTS)[0] == 200
    begun = time.monotonic()
    site.server.stop()
    assert time.monotonic() - begun < 10


def test_only_matches_that_wait_or_are_played_count_for_the_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.what_if.MOST_WAITING", 1)
    site.finished()
    for _ in range(2):
        _, first = site.post("play-on/0", frame=3, seats=BOTS)
        _, second = site.post("play-on/0", frame=3, seats=BOTS)
        assert site.post("play-on/0", frame=3, seats=BOTS)[1]["message"] == "More than 1 matches wait or are played."
        assert site.post("halt/0", match=second["match"]) == (200, {})
        assert site.post("halt/0", match=first["match"]) == (200, {})
        site.finished()
    assert "stopped" in {one["state"] for one in site.finished().values()}


def test_a_person_plays_on_in_a_page_of_their_own(site: Site, replay: Path) -> None:
    assert site.post("play-on/0", frame=30, seats=["human:terminal", "builtin:rowdy"])[0] == 409
    status, found = site.post("play-on/0", frame=30, seats=["human", "builtin:rowdy"])
    assert status == 200
    end = time.monotonic() + 30
    while not (human := site.get("what-if/0")["matches"][found["match"]].get("human")):
        assert time.monotonic() < end
        time.sleep(0.05)
    origin = "/".join(human[0].split("/")[:3])
    with connect(human[0].replace("http:", "ws:") + "/0", origin=origin, proxy=None) as socket:  # type: ignore[arg-type]
        message: dict[str, Any] = {}
        while message.get("type") != "start":
            message = msgpack.unpackb(socket.recv(20))
        # Nobody waits until a person has moved.
        _, other = site.post("play-on/0", frame=30, seats=BOTS)
        while site.get("what-if/0")["matches"][other["match"]]["state"] != "done":
            assert time.monotonic() < end + 30
            time.sleep(0.05)
        assert site.get("what-if/0")["matches"][found["match"]]["state"] == "playing"
        socket.send('{"resign": true}')
    assert site.finished()[found["match"]]["state"] == "done"
    path = replay.with_name(found["match"])
    assert result_in_words(Reader(path)) == "rowdy wins (forfeit)"
    assert verify(path).parent == "verified"


def test_a_folder_that_cannot_be_made_is_one_message(replay: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    site = Site(replay, tmp_path / "file" / "replays")
    status, found = site.post("play-on/0", frame=3, seats=BOTS)
    site.server.stop()
    assert (status, "cannot be created: Not a directory" in found["message"]) == (409, True)
