"""The commands that start Python interpreters."""

from __future__ import annotations

import sys


def python(*arguments: str) -> list[str]:
    """Return a command that starts this Python interpreter, and does not search the current folder for modules.

    Without ``-P``, Python with ``-m`` or ``-c`` searches the current folder first. This folder can contain an untrusted
    bot.
    """
    return [sys.executable, "-P", *arguments]
