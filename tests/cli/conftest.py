"""Runs the command ``arena`` as a user does in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.__main__ import RUNS_MATCHES
from arena.cli import cli

PLAYS = {*RUNS_MATCHES} - {"map"}


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs ``arena ARGS...`` in an empty folder; a traceback fails the test.

    A command that plays matches gets a process of its own, since it starts processes and catches signals. The others
    run in this one, and also `arena map`, which plays only from its pages.
    """
    monkeypatch.chdir(tmp_path)

    def in_a_process(words: list[str], timeout: float) -> Ran:
        command = [sys.executable, "-m", "arena", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        return Ran(done.returncode, done.stdout, done.stderr)

    def in_this_process(words: list[str]) -> Ran:
        done = CliRunner().invoke(cli, words, prog_name="arena")
        return Ran(done.exit_code, done.stdout, done.stderr)

    def run(*args: str | Path, timeout: float = 120) -> Ran:
        words = [str(word) for word in args]
        ran = in_a_process(words, timeout) if words and words[0] in PLAYS else in_this_process(words)
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran

    return run
