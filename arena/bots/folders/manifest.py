"""`bot.toml`: what a bot's folder says about itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError

MANIFEST = "bot.toml"
LONGEST_NAME = 60
LONGEST_DESCRIPTION = 500
LARGEST_MANIFEST = 64 * 1024


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a `bot.toml`.

    Attributes:
        name: The bot's name.
        game: The game it plays; empty where it does not say.
        python: The Python file to run.
        command: Instead of `python`: the command, run in the bot's folder.
        description: One line about it.
    """

    name: str
    game: str = ""
    python: str = ""
    command: tuple[str, ...] = field(default=())
    description: str = ""


def read_manifest(path: Path, name: str) -> Manifest:
    """Reads and checks a `bot.toml`.

    Args:
        path: The file.
        name: The bot's name where the file gives none.

    Raises:
        ArenaError: It is not TOML, or a key is missing, unknown or of the wrong type.
    """
    table = _read_table(path)
    known = [entry.name for entry in fields(Manifest)]
    for key in table:
        if key not in known:
            import difflib

            close = difflib.get_close_matches(key, known, 1)
            hint = f"Did you mean {close[0]}?" if close else f"Known keys: {', '.join(known)}."
            raise ArenaError(f"{path}: unknown key {key!r}", hint=hint)
    python = _text(table, "python", path)
    command = _command(table, path)
    if bool(python) == bool(command):
        raise ArenaError(f'{path}: give either python = "file.py" or command = ["program", ...]')
    if python:
        _check_inside(python, path)
        python = PurePosixPath(python).as_posix()
    elif "/" in command[0]:
        _check_inside(command[0], path)
    description = _text(table, "description", path)
    if len(description) > LONGEST_DESCRIPTION or (description and not description.isprintable()):
        raise ArenaError(f"{path}: description must be one printable line of at most {LONGEST_DESCRIPTION}")
    return Manifest(
        name=check_name(_text(table, "name", path) or name, str(path)),
        game=_text(table, "game", path),
        python=python,
        command=command,
        description=description,
    )


def check_name(name: str, where: str) -> str:
    """Returns the name if it can stand in a table, a file name and a page.

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


def _read_table(path: Path) -> dict[str, object]:
    import tomllib

    if path.stat().st_size > LARGEST_MANIFEST:
        raise ArenaError(f"{path} is larger than {LARGEST_MANIFEST} bytes")
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArenaError(f"{path} is not valid TOML: {error}") from None


def _text(table: dict[str, object], key: str, path: Path) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or "\0" in value:
        raise ArenaError(f"{path}: {key} must be a text")
    return value


def _command(table: dict[str, object], path: Path) -> tuple[str, ...]:
    value = table.get("command", [])
    if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
        raise ArenaError(f'{path}: command must be a list of texts, such as ["node", "bot.js"]')
    if value and not value[0]:
        raise ArenaError(f"{path}: command names no program")
    return tuple(value)


def _check_inside(name: str, path: Path) -> None:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or "\\" in name:
        raise ArenaError(f"{path}: {name!r} must be a path inside the bot's folder")
