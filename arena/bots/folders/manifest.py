"""`bot.toml`: the manifest in a bot's folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from arena.bots.folders.parser import Parser
from arena.errors import ArenaError
from arena.game.validation import Defect, ListOf, Table, Text, Validator, shortened
from arena.toml_lines import located

MANIFEST = "bot.toml"
LONGEST_NAME = 60
LONGEST_DESCRIPTION = 500
MOST_DEFECTS = 8


class _Line(Validator):
    """One line for people."""

    def describe(self) -> str:
        """Describe the accepted values."""
        return f"one printable line of at most {LONGEST_DESCRIPTION} characters"

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return isinstance(value, str) and len(value) <= LONGEST_DESCRIPTION and (not value or value.isprintable())


_TEXT = Text(r"[^\0]*")
_MANIFEST = Table(
    {
        "name": _TEXT,
        "game": _TEXT,
        "python": _TEXT,
        "command": ListOf(_TEXT, 'a list of texts, such as ["node", "bot.js"]'),
        "description": _Line(),
    }
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a `bot.toml`.

    Attributes:
        name: The bot's name.
        game: The game it plays; empty if not given.
        python: The Python file to run.
        command: Instead of `python`: the command, run in the bot's folder.
        description: One line about it.
    """

    name: str
    game: str = ""
    python: str = ""
    command: tuple[str, ...] = field(default=())
    description: str = ""


def read_manifest(path: Path, name: str, parser: Parser) -> Manifest:
    """Read and check a `bot.toml`.

    Args:
        path: The file.
        name: The bot's name if the file gives none.
        parser: The parser of the file.

    Raises:
        ArenaError: It is not TOML, or has defects. Each defect is reported with its line.
    """
    text, table = parser.table(path)
    wrong = located(_defects(table), text, str(path))
    if wrong:
        raise ArenaError("\n".join(wrong[:MOST_DEFECTS]))
    return Manifest(
        name=check_name(table.get("name") or name, str(path)),
        game=table.get("game", ""),
        python=PurePosixPath(table["python"]).as_posix() if table.get("python") else "",
        command=tuple(table.get("command", ())),
        description=table.get("description", ""),
    )


def _defects(table: dict[str, Any]) -> Iterator[Defect]:
    found = list(_MANIFEST.defects(table))
    yield from found
    if any(defect.place.startswith(("python", "command")) for defect in found):
        return
    python, command = table.get("python", ""), table.get("command", [])
    if command and not command[0]:
        yield Defect("command", "names no program.")
        return
    if bool(python) == bool(command):
        yield Defect("", 'Give either python = "file.py" or command = ["program", ...].')
        return
    program = python or command[0]
    parts = PurePosixPath(program)
    if (python or "/" in program) and (parts.is_absolute() or ".." in parts.parts or "\\" in program):
        place = "python" if python else "command"
        yield Defect(place, f"must be a path inside the bot's folder, not {shortened(program)}.")


def check_name(name: str, where: str) -> str:
    """Return the name if it is valid in tables, file names and pages.

    Raises:
        ArenaError: It is empty, too long, or has control characters or parts of a path.
    """
    wrong = ""
    if not name.strip():
        wrong = "is empty"
    elif len(name) > LONGEST_NAME:
        wrong = f"has {len(name)} characters, more than {LONGEST_NAME}"
    elif not name.isprintable():
        wrong = "has control characters"
    elif "/" in name or "\\" in name or name in {".", ".."}:
        wrong = "has parts of a path"
    if wrong:
        raise ArenaError(f"{where}: the bot's name {name[:LONGEST_NAME]!r} {wrong}")
    return name.strip()
