"""`arena show` in a process of its own, which is killed: everybody is back in their role, without a touch."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from server import Server
from worlds import ROLES, Matches, secret_of, world_in

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.alone]
BACK = 5.0
"""The limit for the seconds from the new start to the documents of all."""
FIRST = 2.0
"""The limit for the seconds from the step of the first match to its first bytes."""


class Show(Server):
    """`arena show` of a contest."""

    command = ("show",)


@pytest.fixture
def show(tmp_path: Path) -> Iterator[Show]:
    with world_in(tmp_path, Matches(tmp_path), begin=True) as world:
        world.play(world.next_of_cup(), "Red")
    show = Show(tmp_path, options=("--host", "127.0.0.1"), config=tmp_path / "contest.toml")
    yield show
    show.stop()


def test_after_a_kill_everybody_is_where_they_were(show: Show) -> None:
    """Also the bytes of the match that is shown go on where they were."""
    addresses = dict(re.findall(r"^(\w+)[^:\n]*: (http\S+)$", show.complain(), re.MULTILINE))
    assert {*addresses} >= {"Invitation", "Desk", "Remote", "Displays", "Phones"}
    presenter = show.person()
    token = addresses["Remote"].partition("token=")[2]
    assert presenter.post("/remote", data={"token": token}).status_code == 303
    begun = time.monotonic()
    for _ in range(4):
        assert presenter.post("/show/act", data={"do": "next"}).status_code in (204, 303)
    places = {role: f"/display/state.json?id={secret_of(role)}" for role in ROLES}
    document = presenter.get(places["board"]).json()
    assert document["scene"]["kind"] == "match"
    replay = document["scene"]["watch"].replace("watch", "replay")
    first = presenter.get(replay)
    assert time.monotonic() - begun < FIRST, "the board has its first bytes"
    before = {place: presenter.get(place).json() for place in ("/show/state.json", *places.values())}
    show.kill()
    restarted = time.monotonic()
    show.start()
    remote = presenter.get("/remote/state.json").json()
    after = {place: presenter.get(place).json() for place in before}
    assert time.monotonic() - restarted < BACK
    now = next(step["id"] for step in remote["steps"] if step["now"])
    assert now == document["scene"]["id"]
    for place, told in before.items():
        assert after[place].get("role") == told.get("role")
        assert after[place]["scene"]["id"] == told["scene"]["id"] or "director" in told["scene"]["id"], place
    query = {"from": len(first.content), "generation": first.headers["X-Arena-Generation"]}
    more = presenter.get(replay, params=query)
    assert (more.headers["X-Arena-Whole"], len(more.content) > 0) == ("0", True)
    assert presenter.post("/show/act", data={"do": "reveal"}).status_code in (204, 303)
    assert presenter.get("/show/state.json").json()["scene"]["kind"] == "result"
