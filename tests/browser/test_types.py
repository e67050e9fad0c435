"""The types of the viewer and of the editor, as far as a TypeScript compiler is at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

import arena.web
import arena_replays


@pytest.mark.parametrize(("package", "project"), [(arena_replays, "viewer"), (arena.web, "editor")])
def test_the_javascript_is_typed(package: ModuleType, project: str) -> None:
    installed = Path(__file__).parents[2] / "tools" / "javascript" / "node_modules" / ".bin" / "tsc"
    compiler = os.environ.get("ARENA_TSC") or shutil.which("tsc") or (str(installed) if installed.exists() else None)
    if compiler is None:
        pytest.skip("needs the TypeScript compiler: `make lint` fetches it, or give its path in ARENA_TSC")
    settings = Path(str(package.__file__)).parent / project / "tsconfig.json"
    checked = subprocess.run([compiler, "-p", str(settings)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
