"""Check for the optional packages (extras) that only some commands need."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

CONTEST = ("confusable_homoglyphs", "msgspec", "numpy", "rich", "rustworkx")
"""The modules that the extra `contest` brings."""
REQUIREMENTS = {"confusable_homoglyphs": "confusable-homoglyphs"}
"""The name of a package on the index, if it differs from that of its module."""


def need_packages(packages: Iterable[str], purpose: str, extra: str = "") -> None:
    """Raise an error that says what to install, if one of some packages is missing.

    Args:
        packages: The names of their modules.
        purpose: What needs them, such as ``A contest``.
        extra: What installs all of them, such as ``arena-learn[datasets]``; the missing ones if empty.

    Raises:
        ArenaError: A package is missing.
    """
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        wanted = [extra] if extra else [REQUIREMENTS.get(package, package) for package in missing]
        raise ArenaError(
            f"{purpose} needs packages that are not installed: {', '.join(missing)}.",
            hint=f"Install them: {install_command(*wanted)}",
            exit_code=ExitCode.NOT_INSTALLED,
        )


def install_command(*what: str | Path) -> str:
    """Return the command that installs packages for this Python, with an installer that this machine has."""
    python = sys.executable
    if importlib.util.find_spec("pip") is not None:
        return command_line(python, "-m", "pip", "install", *what)
    near = Path(sys.prefix).parent / ".bootstrap" / "bin" / "uv"
    uv = "uv" if shutil.which("uv") else str(near)
    if uv == "uv" or near.is_file():
        return command_line(uv, "pip", "install", "--python", python, *what)
    return command_line("pip", "--python", python, "install", *what)


def needs_contest(purpose: str) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """Return a decorator that checks the packages of a contest, so that the function can import them."""

    def decorate(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
        @wraps(function)
        def checked(*args: Arguments.args, **settings: Arguments.kwargs) -> Value:
            need_packages(CONTEST, purpose)
            return function(*args, **settings)

        return checked

    return decorate
