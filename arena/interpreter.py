"""The commands that start Python interpreters."""

from __future__ import annotations

import sys


def python(*arguments: str) -> list[str]:
    """Return a command that runs our Python without importing anything from the current folder.

    Without ``-P``, ``-m`` and ``-c`` search the current folder first. It may contain an untrusted bot.
    """
    return [sys.executable, "-P", *arguments]
