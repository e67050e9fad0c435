"""What tests of several folders need: programs of the machine, such as compilers, and the choice of long tests."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.study.coach.stored import save

REPLAYS = Path(__file__).parent / "replays"


@pytest.fixture(scope="session")
def need_program() -> Callable[[str], str]:
    """Return the path of a program, or skip the test. With ARENA_TEST_COMPILERS=required, fail it instead."""

    def need(name: str) -> str:
        path = shutil.which(name)
        if path is None and os.environ.get("ARENA_TEST_COMPILERS") == "required":
            pytest.fail(f"{name} is not installed. tools/setup.sh installs it from the distribution.")
        return path or pytest.skip(f"needs {name}")

    return need


@pytest.fixture
def explained_replay(tmp_path: Path) -> Path:
    """A lost match with its explanation beside it: a Forager that turned back into its own neck in turn 10.

    Nothing is computed here. `tests/coach/test_explaining.py` computes the same explanation.
    """
    replay = Path(shutil.copy(REPLAYS / "suicide.arena", tmp_path))
    save(json.loads((REPLAYS / "suicide.explain.json").read_bytes()), replay)
    return replay


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests, except with `-m kill`."""
    if "kill" in config.option.markexpr:
        return
    dropped = [item for item in items if item.get_closest_marker("kill")]
    items[:] = [item for item in items if not item.get_closest_marker("kill")]
    config.hook.pytest_deselected(items=dropped)
