"""What tests of several folders need: compilers, and one browser for all, since one thread can drive only one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def need_program() -> Callable[[str], str]:
    """Return the path of a program, or skip the test. With ARENA_TEST_COMPILERS=required, fail it instead."""

    def need(name: str) -> str:
        path = shutil.which(name)
        if path is None and os.environ.get("ARENA_TEST_COMPILERS") == "required":
            pytest.fail(f"{name} is not installed. tools/setup.sh installs it from the distribution.")
        return path or pytest.skip(f"needs {name}")

    return need


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium is None:
        pytest.skip("needs a Chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
        yield browser
        browser.close()
