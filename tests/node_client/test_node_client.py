"""The client in JavaScript, written from docs/protocol.md alone, against a scripted referee."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_referee import FakeReferee
from shortened import shortened
from wire_examples import SCHEMA, folding

pytestmark = pytest.mark.process

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"


@pytest.fixture(scope="module", name="node")
def _node() -> str:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("needs Node and npm")
    if not (HERE / "node_modules").exists():
        installed = subprocess.run([npm, "ci"], cwd=HERE, capture_output=True, text=True, check=False)
        if installed.returncode:
            pytest.skip(f"npm ci failed: {installed.stderr[-300:]}")
    return node


def test_the_vectors_are_read_in_another_language(node: str) -> None:
    command = [node, "vectors.mjs", str(DOCS / "protocol-vectors")]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout.split()[0]) > 20


def test_a_match(node: str, tmp_path: Path) -> None:
    end = {"type": "end_turn"}
    walk: dict[str, Any] = {"type": "walk", "walker": "w1", "x": 1, "y": 0}
    steps = [step.delta for step in folding()]

    def script(fake: FakeReferee) -> None:
        hello = fake.enter()
        assert (hello["schema"], hello["legal_actions"]) == (None, True)
        assert fake.turn(0, legal_actions=[walk])["actions"] == [walk]
        assert fake.result(delta=steps[1], legal_actions=[end])["actions"] == [end]
        fake.result(your_move=False)
        assert fake.turn(2, steps[2], legal_actions=[end])["actions"] == [end]
        fake.result(delta=steps[3], your_move=False)
        fake.over("won", "lost")

    with FakeReferee(tmp_path, SCHEMA, steps[0]) as fake:
        fake.run(script)
        environment = {**os.environ, "ARENA_ENDPOINT": fake.endpoint}
        command = [node, str(HERE / "client.mjs")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"actions":3' in done.stdout
    assert any(message["type"] == "log" for message in fake.received)


@pytest.mark.parametrize("game", shortened(["saloon", "snakes", "laser_flag", "derelict"], 2))
def test_whole_games_by_the_real_referee(node: str, game: str, tmp_path: Path) -> None:
    registry = pytest.importorskip("arena.game.registry")
    if game not in registry.names():
        pytest.skip(f"{game} is not installed")
    options = ["--seed", "3", "--sandbox", "none", "--json"]
    command = [
        sys.executable,
        "-c",
        "from arena.__main__ import main; main()",
        "play",
        game,
        str(HERE),
        str(HERE),
        *options,
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    for match in result.get("matches", [result]):
        for player in match["players"]:
            assert player["ending"] in ("won", "lost", "drawn"), player
            assert player["refusals"] == {}
