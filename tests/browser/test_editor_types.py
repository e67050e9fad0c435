"""The types of the editor, as far as a TypeScript compiler is at hand; and its size."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import arena_replays

EDITOR = Path(arena_replays.__file__).parent / "editor"


def test_the_editor_is_typed() -> None:
    compiler = os.environ.get("ARENA_TSC") or shutil.which("tsc")
    if compiler is None:
        pytest.skip("needs the TypeScript compiler: `npm install --global typescript`, or its path in ARENA_TSC")
    checked = subprocess.run([compiler, "-p", str(EDITOR / "tsconfig.json")], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_text_never_becomes_markup() -> None:
    for module in EDITOR.glob("*.js"):
        source = module.read_text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert way not in source, f"{module.name}: {way}"


def test_the_shell_knows_no_game() -> None:
    words = ("laser", "derelict", "saloon", "marine", "alien", "grunt", "sniper")
    for module in EDITOR.glob("*.*"):
        assert not [word for word in words if word in module.read_text().lower()], module.name
