"""Runs the command ``arena`` as a user does: a process in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs ``arena ARGS...`` in an empty folder; a traceback fails the test."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str | Path, timeout: float = 120) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "arena", *map(str, args)], capture_output=True, text=True, timeout=timeout
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return run
