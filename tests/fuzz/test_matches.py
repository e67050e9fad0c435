"""A short run of the structural fuzzer."""

import subprocess
import sys
from pathlib import Path

FUZZER = Path(__file__).parent / "matches.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(FUZZER), *arguments], capture_output=True, text=True, timeout=300)


def test_a_few_thousand_messages() -> None:
    done = run("4000", "--seed", "1000000")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "messages in" in done.stdout
