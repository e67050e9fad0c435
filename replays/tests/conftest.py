from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _load(name: str) -> ModuleType:
    path = Path(__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module here
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def saloonish() -> ModuleType:
    """The module that makes replays like those of Saloon."""
    return sys.modules.get("saloonish") or _load("saloonish")


@pytest.fixture(scope="session")
def bombs() -> ModuleType:
    """The module that makes small replays that expand to very much data."""
    return sys.modules.get("bombs") or _load("bombs")


@pytest.fixture(scope="session")
def replay(saloonish: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished replay of 192 turns."""
    return saloonish.write(tmp_path_factory.mktemp("replay") / "game.arena")


@pytest.fixture(scope="session")
def journal(saloonish: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of the same match, as it is if the referee is killed at the end of the match."""
    return saloonish.write(tmp_path_factory.mktemp("journal") / "game.arena", end=False)
