"""A bot's Python files: check that they compile, and find the modules that a single file imports."""

from __future__ import annotations

from pathlib import Path

from arena.bots.folders.files import MOST_FILES, file_kind
from arena.bots.folders.parser import Parser
from arena.errors import ArenaError


def bring_files(path: Path, parser: Parser) -> tuple[str, ...]:
    """Return the names of a Python file and of the modules in its folder that it imports, also indirectly.

    The imports are found by parsing the text. The bot sees no other files of the folder, since they can be private or
    belong to other bots.
    """
    folder = path.parent
    found: dict[str, None] = {}
    pending = [path.name]
    read = 0
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found[name] = None
        source = folder / name
        texts = [source] if source.is_file() else sorted(source.rglob("*.py"))
        for text in texts:
            read += 1
            if read > MOST_FILES:
                raise ArenaError(f"{path} imports more than {MOST_FILES} files.")
            if file_kind(text, folder) == "file":
                pending.extend(beside for module in parser.source(text).imports if (beside := _beside(folder, module)))
    return tuple(sorted(found))


def _beside(folder: Path, module: str) -> str:
    if (folder / module / "__init__.py").is_file():
        return module
    if (folder / f"{module}.py").is_file():
        return f"{module}.py"
    return module if next((folder / module).rglob("*.py"), None) else ""  # a package without `__init__.py`


def check_python(path: Path, parser: Parser) -> None:
    source = parser.source(path)
    if source.problem:
        raise ArenaError(f"{path}{f', line {source.line}' if source.line else ''}: {source.problem}")
