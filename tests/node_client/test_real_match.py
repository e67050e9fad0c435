"""The client in JavaScript plays a real match under the real referee, sandboxed like any other bot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from arena.study.checks.verification import verify
from arena.testing import play_match

pytestmark = pytest.mark.process

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def folder() -> Path:
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        pytest.skip("needs Node and npm")
    if not (HERE / "node_modules").exists():
        installed = subprocess.run([npm, "ci"], cwd=HERE, capture_output=True, text=True, check=False)
        if installed.returncode:
            pytest.skip(f"npm ci failed: {installed.stderr[-300:]}")
    return HERE


@pytest.mark.parametrize("sandbox", ["auto", "none"])
def test_it_plays_saloon_to_the_end(folder: Path, sandbox: str, tmp_path: Path) -> None:
    replay = tmp_path / "m.arena"
    result = play_match("saloon", [folder, "builtin:rowdy"], seed=5, sandbox=sandbox, replay=replay)
    node, _ = result.players
    assert node.ending in ("won", "lost"), f"{node.detail}\n{node.stdout}\n{node.stderr}"
    assert node.refusals == {}
    assert result.actions > 100
    assert verify(replay).ok
