"""Explanations over HTTP: computed in the background, kept when the server stops."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import httpx
import pytest
from waiting import until

from arena.match.lookup import find_game
from arena.match.position import ReplayPosition
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.stored import explanation_of
from arena.web.analyses import ActionEstimates
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf
from arena_replays import Reader, Writer

pytestmark = pytest.mark.process
REPLAYS = Path(__file__).parents[1] / "replays"


def test_an_explanation_runs_to_its_end_and_only_a_whole_one_is_kept(tmp_path: Path) -> None:
    whole, stopped = (Path(shutil.copy(REPLAYS / "suicide.arena", tmp_path / name)) for name in ("1.arena", "2.arena"))
    server = Server(WhatIf(Viewing([whole, stopped])).application())
    server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=60) as client:
            origin = {"Origin": "/".join(server.url.split("/")[:3])}
            assert "playouts" not in client.get("explained/0").json()
            refused = client.post("explain/0", json={"seconds": 0}, headers=origin)
            assert (refused.status_code, refused.json()["message"]) == (
                409,
                "Choose a whole number of seconds from 1 to 600.",
            )
            assert client.post("explain/0", json={}, headers={"Origin": "http://evil.example"}).status_code == 403
            for number, seconds in enumerate((2, 600)):  # the second one waits for the first
                assert client.post(f"explain/{number}", json={"seconds": seconds}, headers=origin).status_code == 200
            shares = until(lambda: seen(client, 1), lambda: str(client.get("explained/0").json()))
            assert 0 <= shares < 1
            found = client.get("explained/0").json()
            assert "share" not in found
    finally:
        server.stop()
    assert explanation_of(whole)["playouts"] == found["playouts"]
    assert explanation_of(whole)["stage"] == ""
    assert explanation_of(stopped) == {}, "half a result would stay for good"


def seen(client: httpx.Client, number: int) -> float | None:
    """Return the share of an explanation that has results already."""
    found = client.get(f"explained/{number}").json()
    return found["share"] if found.get("playouts", {}).get("count") else None


def message_of(replay: Path) -> str:
    """Let a page ask for an explanation, and return the message with which it fails."""
    server = Server(WhatIf(Viewing([replay])).application())
    server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=60) as client:
            origin = {"Origin": "/".join(server.url.split("/")[:3])}
            assert client.post("explain/0", json={}, headers=origin).status_code == 200
            end = time.monotonic() + 180
            while "message" not in (found := client.get("explained/0").json()):
                assert time.monotonic() < end, found
                time.sleep(0.05)
    finally:
        server.stop()
    message: str = found["message"]
    return message


def test_a_replay_of_a_game_that_is_not_installed_is_one_message(tmp_path: Path) -> None:
    replay = tmp_path / "other.arena"
    reader = Reader(REPLAYS / "saloon.arena")
    writer = Writer(replay, {**reader.header, "game": "nowhere"})
    writer.setup([], [[]])
    assert reader.footer is not None
    writer.finish(reader.footer)
    assert "nowhere" in message_of(replay)


def test_a_fault_of_arena_ends_an_explanation_and_an_estimate_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def faulty(*_: object) -> None:
        raise KeyError("turn")

    monkeypatch.setattr(ProcessPool, "ask", faulty)
    replay = Path(shutil.copy(REPLAYS / "suicide.arena", tmp_path))
    assert message_of(replay) == "The explanation failed because of a fault of Arena."
    assert "KeyError: 'turn'" in capsys.readouterr().err
    estimates = ActionEstimates(find_game("saloon"), ReplayPosition(str(replay), 3), "rowdy", 0, [])
    end = time.monotonic() + 180
    while estimates.status["state"] != "done":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert estimates.status["message"] == "The estimate failed because of a fault of Arena."
