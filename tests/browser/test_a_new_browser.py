"""A browser that hangs costs one test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import os, signal
from arena.bots.system.orphans import descendants

def test_hangs(browser):
    page = browser.new_page()
    for process in descendants(os.getpid()):
        if process != os.getpid():
            os.kill(process, signal.SIGSTOP)
    assert page.evaluate("6 * 7") == 42

def test_after_it(browser):
    assert browser.new_page().evaluate("6 * 7") == 42
"""


@pytest.mark.kill
def test_a_browser_that_hangs_is_replaced(tmp_path: Path) -> None:
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("needs a Chromium")
    root = Path(__file__).parents[2]
    shutil.copy(root / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(TESTS)
    marks = "".join(f"    {mark}\n" for mark in ("alone", "browser", "process", "sandbox"))
    plugins = root / "tests" / "plugins"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {plugins}\ntimeout = 25\nmarkers =\n{marks}")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "test_some.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 passed" in done.stdout
