"""Runs the command ``arena`` as a user does in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import cli


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs ``arena ARGS...`` in an empty folder; a traceback fails the test.

    It runs in this process, or with `apart` in one of its own.
    """
    monkeypatch.chdir(tmp_path)

    def in_a_process(words: list[str]) -> Ran:
        command = [sys.executable, "-m", "arena", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return Ran(done.returncode, done.stdout, done.stderr)

    def in_this_process(words: list[str]) -> Ran:
        done = CliRunner().invoke(cli, words, prog_name="arena")
        return Ran(done.exit_code, done.stdout, done.stderr)

    def run(*args: str | Path, apart: bool = False) -> Ran:
        words = [str(word) for word in args]
        ran = in_a_process(words) if apart else in_this_process(words)
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran

    return run
