"""`bot.toml`: the manifest in a bot's folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from arena.bots.folders.parser import Parser
from arena.errors import ArenaError
from arena.game.validation import Defect, Flag, ListOf, Table, Text, Validator, shortened
from arena.text.lookalikes import without_invisible
from arena.text.toml_files import located

MANIFEST = "bot.toml"
MAIN = "main.py"
"""The program of a bot without a manifest."""
LONGEST_NAME = 60
LONGEST_DESCRIPTION = 500
MOST_DEFECTS = 8


class _Line(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and len(value) <= LONGEST_DESCRIPTION and (not value or value.isprintable())


_LINE = _Line(f"one printable line of at most {LONGEST_DESCRIPTION} characters")
_TEXT = Text(r"[^\0]*")
_COMMAND = ListOf(_TEXT, 'a list of texts, such as ["node", "bot.js"]')
_BUILD = Table(
    {"command": _COMMAND, "output": ListOf(_LINE, 'a list of files or folders, such as ["bot"]', lengths=(1, 100))},
    ("command", "output"),
    "a table",
)
_MANIFEST = Table(
    {
        "name": _TEXT,
        "game": _TEXT,
        "python": _TEXT,
        "command": _COMMAND,
        "bridge": Flag(),
        "build": _BUILD,
        "description": _LINE,
        "rules": Flag(),
    }
)


@dataclass(frozen=True, slots=True)
class Build:
    command: tuple[str, ...]
    output: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a `bot.toml`.

    Attributes:
        python: The Python file to run; empty for a command.
        command: The command to run in the bot's folder; empty for a Python file.
        rules: Whether a bot with a command starts the rules service (`python -m arena_player.rules`).
    """

    name: str
    game: str = ""
    python: str = ""
    command: tuple[str, ...] = field(default=())
    bridge: bool = False
    build: Build | None = None
    description: str = ""
    rules: bool = False


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
    )


def _build(table: dict[str, Any]) -> Build:
    return Build(tuple(table["command"]), tuple(PurePosixPath(name).as_posix() for name in table["output"]))


def _defects(table: dict[str, Any]) -> Iterator[Defect]:
    found = list(_MANIFEST.defects(table))
    yield from found
    if any(defect.place.startswith(("python", "command", "build")) for defect in found):
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
