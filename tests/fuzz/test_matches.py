"""A short run of the structural fuzzer; it finds the crash of the referee that it was written for."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).parent / "matches.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(FUZZER), *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.process
def test_a_few_thousand_messages() -> None:
    done = run("4000", "--seed", "1000000")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "messages in" in done.stdout


@pytest.mark.process
def test_a_poller_that_fails_for_a_bot_that_does_not_read_is_found() -> None:
    done = run("100000", "--old-poller")
    assert done.returncode == 1
    assert "The referee failed while serving" in done.stdout
    assert "FileNotFoundError" in done.stdout
