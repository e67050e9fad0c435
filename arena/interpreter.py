"""The Python interpreters that we start."""

from __future__ import annotations

import sys


def python(*arguments: str) -> list[str]:
    """Return a command that runs our Python, and that imports nothing from the current folder.

    Without ``-P``, ``-m`` and ``-c`` search the current folder first. A stranger's bot may lie there.
    """
    return [sys.executable, "-P", *arguments]
