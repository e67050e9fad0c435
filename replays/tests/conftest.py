from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arena_replays import page


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


@pytest.fixture(scope="session")
def viewer_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Node finds the viewer's modules under the names by which they import each other."""
    if shutil.which("node") is None:
        pytest.skip("needs Node")
    folder = tmp_path_factory.mktemp("node")
    exports: dict[str, dict[str, str]] = {}
    for name, source in page.MODULES.items():
        package, _, module = name.partition("/")
        place = folder / "node_modules" / package / f"{module or 'index'}.js"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page.asset(source))
        exports.setdefault(package, {})[f"./{module}" if module else "."] = f"./{place.name}"
    for package, found in exports.items():
        text = json.dumps({"name": package, "type": "module", "exports": found})
        (folder / "node_modules" / package / "package.json").write_text(text)
    return folder
