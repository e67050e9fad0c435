"""How tests wait: for what a process, a page, a file or a server does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

Found = TypeVar("Found")
PATIENCE = 150.0
"""Seconds. Much longer than anything takes, since other tests use the processors too."""


def until(find: Callable[[], Found], complain: Callable[[], str] = str, patience: float = PATIENCE) -> Found:
    """Wait until a function returns something true, and return that.

    A look can cost a server or three processes their time. So the pauses grow.

    Args:
        complain: What to say if it never does.
    """
    end, pause = time.monotonic() + patience, 0.002
    while not (found := find()):
        assert time.monotonic() < end, f"This did not come true in {patience:.0f} s. {complain()}"
        time.sleep(pause)
        pause = min(0.2, pause * 1.5)
    return found


def until_page(page: Any, script: str, complain: Callable[[], str] = str) -> Any:
    """Wait for an expression in a page, and return its value. Playwright's way needs eval, which policies forbid."""
    return until(lambda: page.evaluate(script), lambda: f"{script} {complain()}")
