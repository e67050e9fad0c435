"""`bot.toml`: the manifest in a bot's folder."""

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


def chosen_settings(parameters: Sequence[BotParameter], given: Settings, where: str) -> Settings:
    """Return the settings of a bot: those that are given, on the steps of their parameters, and all other parameters.

    Args:
        where: The bot's reference, for messages.

    Raises:
        ArenaError: The bot declares parameters, and a given setting is none of them or outside of its range.
    """
    known = {one.name: one for one in parameters}
    found = {one.name: one.text_of(one.value) for one in parameters if one.value is not None}
    for name, text in given:
        if known and name not in known:
            message = f"{where} has no parameter {shortened(name)}{did_you_mean(name, known)}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT)
        if known:
            low, high = known[name].low, known[name].high
            if not _is_number(text) or not low <= float(text) <= high:
                message = f"{where}: {name} must be a number from {low:g} to {high:g}, not {shortened(text)}."
                raise ArenaError(message, exit_code=ExitCode.BAD_BOT)
        found[name] = known[name].text_of(float(text)) if known else text
    return tuple(found.items())


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def read_manifest(path: Path, name: str, parser: Parser) -> Manifest:
    text, table = parser.table(path)
    wrong = located(_defects(table), text, str(path))
    if wrong:
        raise ArenaError("\n".join(wrong[:MOST_DEFECTS]))
    return Manifest(
        name=check_name(table.get("name") or name, str(path)),
        game=table.get("game", ""),
        python=PurePosixPath(table["python"]).as_posix() if table.get("python") else "",
        command=tuple(table.get("command", ())),
        bridge=table.get("bridge", False),
        build=_build(table["build"]) if "build" in table else None,
        description=table.get("description", ""),
        rules=table.get("rules", False),
        parameters=tuple(BotParameter(name, **values) for name, values in table.get("parameters", {}).items()),
    )


def _build(table: dict[str, Any]) -> Build:
    return Build(tuple(table["command"]), tuple(PurePosixPath(name).as_posix() for name in table["output"]))


def _defects(table: dict[str, Any]) -> Iterator[Defect]:
    found = list(_MANIFEST.defects(table))
    yield from found
    if any(defect.place.startswith(("python", "command", "build", "parameters")) for defect in found):
        return
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
    paths = [("python", python)] if python else [("command", command[0])] if "/" in command[0] else []
    paths += [(f"build.output[{number}]", name) for number, name in enumerate(build["output"])]
    for place, program in paths:
        parts = PurePosixPath(program)
        if parts.is_absolute() or ".." in parts.parts or "\\" in program or not parts.parts:
            yield Defect(place, f"must be a path inside the bot's folder, not {shortened(program)}.")
    for name, one in table.get("parameters", {}).items():
        if not one["low"] <= one.get("value", one["low"]) <= one["high"] or one["low"] == one["high"]:
            yield Defect(f"parameters.{name}", "must have low < high, and its value from low to high.")
        elif one.get("step", 0) < 0:
            yield Defect(f"parameters.{name}.step", "must not be negative.")
    if "build" in table and not "".join(build["command"][:1]):
        yield Defect("build.command", "names no program.")


def check_name(name: str, where: str) -> str:
    """Return the name of a bot without outer spaces, if it is valid in tables, file names and pages."""
    wrong = ""
    if not without_invisible(name):
        wrong = "is empty" if not name.strip() else "has no visible character"
    elif len(name) > LONGEST_NAME:
        wrong = f"has {len(name)} characters, more than {LONGEST_NAME}"
    elif not name.isprintable():
        wrong = "has control characters"
    elif "/" in name or "\\" in name or name in {".", ".."}:
        wrong = "has parts of a path"
    if wrong:
        raise ArenaError(f"{where}: the bot's name {name[:LONGEST_NAME]!r} {wrong}.")
    return name.strip()
