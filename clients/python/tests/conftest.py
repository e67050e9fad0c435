"""The schemas of two games, a first view for each, and scripted referees."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_referee import FakeReferee

SCHEMAS = Path(__file__).parent / "schemas"


def load_schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    return schema


def cowboy(identity: str, owner: str, x: int | None, y: int | None) -> list[Any]:
    fields = {
        "id": identity,
        "owner": owner,
        "job": "Brawler",
        "x": x,
        "y": y,
        "health": 10,
        "is_dead": False,
        "can_move": True,
        "drunk_direction": "",
    }
    return [identity, "+", "Cowboy", *(part for name, value in fields.items() for part in (identity, name, value))]


def saloon_view() -> list[Any]:
    """Return a saloon of 6 by 5 tiles: c1 at (1, 1), c2 at (4, 3), a piano at (3, 1)."""
    game = {
        "current_turn": 0,
        "current_player": 0,
        "hazards": [[2, 2]],
        "players": ["p0", "p1"],
        "cowboys": ["c1", "c2"],
        "arrivals": [],
        "furnishings": ["f1"],
        "bottles": [],
        "jobs": ["Sharpshooter", "Bartender", "Brawler"],
        "width": 6,
        "height": 5,
    }
    view: list[Any] = ["game", "+", "Game"]
    for name, value in game.items():
        view += ["game", name, value]
    for index in (0, 1):
        player, gun = f"p{index}", f"g{index}"
        view += [player, "+", "Player", player, "index", index, player, "score", 0, player, "young_gun", gun]
        view += [player, "cowboys", [f"c{index + 1}"]]
        view += [gun, "+", "YoungGun", gun, "owner", player, gun, "x", index * 5, gun, "y", index * 4]
        view += [gun, "can_call_in", True, gun, "call_in_tile", [1 + 3 * index, 1 + 2 * index]]
    view += ["f1", "+", "Furnishing", "f1", "x", 3, "f1", "y", 1, "f1", "health", 48]
    view += ["f1", "is_piano", True, "f1", "is_destroyed", False]
    return view + cowboy("c1", "p0", 1, 1) + cowboy("c2", "p1", 4, 3)


def race_view() -> list[Any]:
    view: list[Any] = ["game", "+", "Race", "game", "counts", [0, 0], "game", "leader", None]
    view += ["game", "runners", ["r0", "r1"], "game", "note", {"free": [1]}["free"]]
    for index in (0, 1):
        runner = f"r{index}"
        view += [runner, "+", "Runner", runner, "name", runner, runner, "speed", 0.5, runner, "rivals", ["r0", None]]
    return view


@pytest.fixture(name="cowboy")
def _cowboy() -> Callable[..., list[Any]]:
    return cowboy


@pytest.fixture(name="schemas")
def _schemas() -> Path:
    return SCHEMAS


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[FakeReferee]:
    with FakeReferee(tmp_path, load_schema("saloon"), saloon_view()) as fake:
        yield fake


@pytest.fixture
def race_referee(tmp_path: Path) -> Iterator[FakeReferee]:
    with FakeReferee(tmp_path, load_schema("race"), race_view()) as fake:
        yield fake


@pytest.fixture
def start_bot(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a real bot process from source text."""
    running: list[subprocess.Popen[str]] = []

    def start(source: str, endpoint: str | None, *command: str, name: str = "bot.py") -> subprocess.Popen[str]:
        (tmp_path / name).write_text(source)
        environment = {key: value for key, value in os.environ.items() if key != "ARENA_ENDPOINT"}
        if endpoint is not None:
            environment["ARENA_ENDPOINT"] = endpoint
        process = subprocess.Popen(
            command or (sys.executable, "-m", "arena_player", str(tmp_path / name)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=tmp_path,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()
