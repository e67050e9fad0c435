"""A browser that hangs costs one try of one test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import os, signal
from arena.bots.system.orphans import descendants

tries = []

def test_hangs_in_the_first_try(browser):
    page = browser.new_page()
    tries.append(None)
    if len(tries) == 1:
        for process in descendants(os.getpid()):
            if process != os.getpid():
                os.kill(process, signal.SIGSTOP)
    assert page.evaluate("6 * 7") == 42

def test_after_it(browser):
    assert browser.new_page().evaluate("6 * 7") == 42
"""


def test_a_browser_that_hangs_is_replaced(tmp_path: Path) -> None:
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("needs a Chromium")
    root = Path(__file__).parents[2]
    shutil.copy(root / "conftest.py", tmp_path)
    (tmp_path / "tests").mkdir()
    shutil.copy(root / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)
    marks = "".join(f"    {mark}\n" for mark in ("alone", "browser", "process", "sandbox"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\ntimeout = 25\nmarkers =\n{marks}")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "tests"],
        cwd=tmp_path, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "2 passed, 1 rerun" in done.stdout
