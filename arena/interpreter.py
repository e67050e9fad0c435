"""The commands that start Python interpreters."""

from __future__ import annotations

import sys


def python(*arguments: str) -> list[str]:
    """Return a command that runs our Python without importing anything from the current folder.

    If ``-P`` is missing, Python with ``-m`` or ``-c`` searches the current folder first. This folder may contain an
    untrusted bot.
    """
    return [sys.executable, "-P", *arguments]
