"""`bot.toml`: the manifest in a bot's folder. docs/bot-toml.md describes its keys.

The limited process reads the TOML (see `Parser.table`); here the table is checked and becomes a `Manifest`. A check
finds all defects at once, and names the line of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from arena.bots.references import Settings
from arena.errors import ArenaError, ExitCode
from arena.game.validation import Defect, Flag, ListOf, Number, TableOf, Text, Validator, did_you_mean, shortened
from arena.text.printable import without_invisible
from arena.text.toml_files import located

if TYPE_CHECKING:
    from arena.bots.folders.parser import Parser

MANIFEST = "bot.toml"
MAIN = "main.py"
"""The program of a bot without a manifest."""
LONGEST_NAME = 60
LONGEST_DESCRIPTION = 500
MOST_DEFECTS = 8
C_COMPILERS = ("g++", "clang++", "gcc", "clang", "c++", "cc")


class _Line(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and len(value) <= LONGEST_DESCRIPTION and (not value or value.isprintable())


_LINE = _Line(f"one printable line of at most {LONGEST_DESCRIPTION} characters")
_TEXT = Text(r"[^\0]*")
_COMMAND = ListOf(_TEXT, 'a list of texts, such as ["node", "bot.js"]')
_BUILD = TableOf(
    {"command": _COMMAND, "output": ListOf(_LINE, 'a list of files or folders, such as ["bot"]', lengths=(1, 100))},
    ("command", "output"),
    "a table",
)
_PARAMETER = TableOf(
    {"value": Number(), "low": Number(), "high": Number(), "step": Number()}, ("low", "high"), "a table"
)
_MANIFEST = TableOf(
    {
        "name": _TEXT,
        "game": _TEXT,
        "python": _TEXT,
        "command": _COMMAND,
        "bridge": Flag(),
        "build": _BUILD,
        "description": _LINE,
        "rules": Flag(),
        "parameters": TableOf({}, (), "a table", _PARAMETER),
    }
)


@dataclass(frozen=True, slots=True)
class Build:
    command: tuple[str, ...]
    output: tuple[str, ...]

    @property
    def compiles_c(self) -> bool:
        """Whether the command is a compiler for C or C++, so that it takes flags for debugging."""
        return Path(self.command[0]).name in C_COMPILERS


@dataclass(frozen=True, slots=True)
class BotParameter:
    """A number that a bot reads from its settings, so that it can be changed without a change of the program.

    Attributes:
        low, high: The range, both ends included.
        value: The value that the bot gets if nobody sets another; None if it then gets none.
        step: The smallest difference that matters; 0 for any. If `low` and `step` are whole, so are all values.
    """

    name: str
    low: float
    high: float
    value: float | None = None
    step: float = 0.0

    def text_of(self, value: float) -> str:
        """Return the nearest allowed value, as the bot gets it."""
        if self.step:
            value = self.low + round((value - self.low) / self.step) * self.step
        return f"{min(self.high, max(self.low, value)):.10g}"


AT_RANDOM = BotParameter("at_random", 0, 100)
"""A setting of every bot in Python, which the kit obeys: so many of 100 turns are random legal actions."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a `bot.toml`.

    Attributes:
        python: The Python file to run; empty for a command.
        command: The command to run in the bot's folder; empty for a Python file.
        rules: Whether a bot with a command starts the rules service (`python -m arena_player.rules`).
        parameters: The numbers that can be set, in the order of the file.
    """

    name: str
    game: str = ""
    python: str = ""
    command: tuple[str, ...] = field(default=())
    bridge: bool = False
    build: Build | None = None
    description: str = ""
    rules: bool = False
    parameters: tuple[BotParameter, ...] = ()


def chosen_settings(parameters: Sequence[BotParameter], settings: Settings, reference: str) -> Settings:
    """Return the settings that a bot gets: those of the reference, and the values of all other parameters.

    A bot that declares no parameters gets the settings of the reference as they are, except for `AT_RANDOM`.

    Raises:
        ArenaError: The bot declares parameters, and a setting is none of them or outside of its range.
    """
    by_name = {parameter.name: parameter for parameter in (*parameters, AT_RANDOM)}
    chosen = {
        name: parameter.text_of(parameter.value) for name, parameter in by_name.items() if parameter.value is not None
    }
    for name, text in settings:
        if name not in by_name:
            if not parameters:
                chosen[name] = text
                continue
            message = f"{reference} has no parameter {shortened(name)}{did_you_mean(name, by_name)}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT)
        low, high = by_name[name].low, by_name[name].high
        if not _is_number(text) or not low <= float(text) <= high:
            message = f"{reference}: {name} must be a number from {low:g} to {high:g}, not {shortened(text)}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT)
        chosen[name] = by_name[name].text_of(float(text))
    return tuple(chosen.items())


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def read_manifest(path: Path, name: str, parser: Parser) -> Manifest:
    text, table = parser.table(path)
    messages = located(_defects(table), text, str(path))
    if messages:
        raise ArenaError("\n".join(messages[:MOST_DEFECTS]))
    return Manifest(
        name=check_name(table.get("name") or name, str(path)),
        game=table.get("game", ""),
        python=PurePosixPath(table["python"]).as_posix() if table.get("python") else "",
        command=tuple(table.get("command", ())),
        bridge=table.get("bridge", False),
        build=_build_of(table),
        description=table.get("description", ""),
        rules=table.get("rules", False),
        parameters=tuple(BotParameter(name, **values) for name, values in table.get("parameters", {}).items()),
    )


def _build_of(table: dict[str, Any]) -> Build | None:
    build = table.get("build")
    if build is None:
        return None
    return Build(tuple(build["command"]), tuple(PurePosixPath(name).as_posix() for name in build["output"]))


def _defects(table: dict[str, Any]) -> Iterator[Defect]:
    defects = list(_MANIFEST.defects(table))
    yield from defects
    if any(defect.path.startswith(("python", "command", "build", "parameters")) for defect in defects):
        return  # what follows needs values of the right types
    python, command = table.get("python", ""), table.get("command", [])
    if command and not command[0]:
        yield Defect("command", "names no program.")
        return
    if bool(python) == bool(command):
        yield Defect("", 'Give either python = "file.py" or command = ["program", ...].')
        return
    if python and table.get("bridge"):
        yield Defect("bridge", "is only for a command. A Python bot needs no bridge.")
    build = table.get("build", {"command": [], "output": []})
    paths = {f"build.output[{number}]": name for number, name in enumerate(build["output"])}
    if python:
        paths = {"python": python, **paths}
    elif "/" in command[0]:
        paths = {"command": command[0], **paths}
    for key, text in paths.items():
        path = PurePosixPath(text)
        if path.is_absolute() or ".." in path.parts or "\\" in text or not path.parts:
            yield Defect(key, f"must be a path inside the bot's folder, not {shortened(text)}.")
    for name, parameter in table.get("parameters", {}).items():
        low, high = parameter["low"], parameter["high"]
        if low == high or not low <= parameter.get("value", low) <= high:
            yield Defect(f"parameters.{name}", "must have low < high, and its value from low to high.")
        elif parameter.get("step", 0) < 0:
            yield Defect(f"parameters.{name}.step", "must not be negative.")
    if "build" in table and not "".join(build["command"][:1]):
        yield Defect("build.command", "names no program.")


def check_name(name: str, source: str) -> str:
    """Return the name of a bot without outer spaces, if it is valid in tables, file names and pages.

    Args:
        source: Where the name stands, for the error.
    """
    problem = ""
    if not without_invisible(name):
        problem = "is empty" if not name.strip() else "has no visible character"
    elif len(name) > LONGEST_NAME:
        problem = f"has {len(name)} characters, more than {LONGEST_NAME}"
    elif not name.isprintable():
        problem = "has control characters"
    elif "/" in name or "\\" in name or name in {".", ".."}:
        problem = "has parts of a path"
    if problem:
        raise ArenaError(f"{source}: the bot's name {name[:LONGEST_NAME]!r} {problem}.")
    return name.strip()
