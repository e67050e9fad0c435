"""Optional packages: those that only some commands need, and commands that other distributions add (`Extensible`).

A package that is missing is no fault: the command says how to install it, for the environment in which Arena runs.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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
        requirements = [extra] if extra else [REQUIREMENTS.get(package, package) for package in missing]
        raise ArenaError(
            f"{purpose} needs packages that are not installed: {', '.join(missing)}.",
            hint=f"Install them: {install_command(*requirements)}",
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


# Commands that come with other distributions, by entry points.

COMES_WITH = {
    "arena.commands": {
        "cluster": ("arena-cluster", "Play contests on many machines."),
        "dataset": ("arena-learn", "Write the decisions of replays as a dataset."),
        "mcp": ("arena-agents[mcp]", "Serve tools for a coding agent."),
        "playground": ("arena-playground", "Write a bot in the browser and watch it play."),
        "policy": ("arena-learn", "Check trained weights before a bot is handed in."),
        "show": ("arena-show", "Show a contest to an audience."),
        "task": ("arena-agents", "Make tasks for coding agents of games."),
        "tune": ("arena-learn", "Find better values for the parameters of a bot."),
    },
    "arena.commands.game": {"report": ("arena-learn", "Measure a game with bots: seats, length, dice, maps.")},
}
"""The distributions that bring a command, with the extra that it needs, and what it does. By group of entry points."""


@cache
def commands_of(group: str, own: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return the commands of other installed distributions. None of them replaces a command of this one.

    Args:
        group: The entry points, each of which names a `click.Command`.
        own: The names of this distribution's commands.
    """
    from importlib.metadata import entry_points  # takes as long as half of the rest: most commands are our own

    return {point.name: point for point in entry_points(group=group) if point.name not in own}


def summary(point: EntryPoint) -> str:
    """Return a command's line in a list, so that nothing is imported: a known one, or its distribution's summary."""
    entry = COMES_WITH.get(point.group, {}).get(point.name)
    if entry is not None and point.dist is not None and point.dist.name == entry[0].partition("[")[0]:
        return entry[1]
    return "" if point.dist is None else f"{point.dist.metadata['Summary']}."


def missing(group: str, name: str) -> str:
    """Return a message that says how to install a command; empty if no distribution is known to bring it."""
    distribution, _ = COMES_WITH[group].get(name, ("", ""))
    return f"It comes with {distribution}. Install it: {install_command(distribution)}" if distribution else ""


class Extensible(click.Group):
    """A group of commands to which other distributions add."""

    def __init__(self, *args: object, further_group: str, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]
        self._group = further_group

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self._further()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is None and cmd_name in (further := self._further()):
            loaded: click.Command = further[cmd_name].load()
            return loaded
        return own

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and (hint := missing(self._group, args[0])):
            raise click.UsageError(f"There is no command {args[0]}. {hint}")
        return super().resolve_command(ctx, args)

    def _further(self) -> dict[str, EntryPoint]:
        return commands_of(self._group, tuple(self.commands))
