"""What is known about a Python file of a bot: computed once for each content, and remembered in the user's cache."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.bots.folders.files import cache_folder
from arena.errors import ArenaError

MAX_REMEMBERED = 1000
"""Files in the cache; when there are more, the older half goes."""


class Source(NamedTuple):
    """What is known about a Python file.

    Attributes:
        imports: First parts of the names of the modules that it imports, sorted.
        problem: Why it does not compile; empty if it does.
        line: The line of the problem; 0 where there is none to name.
    """

    imports: tuple[str, ...] = ()
    problem: str = ""
    line: int = 0


def source_of(path: Path) -> Source:
    """Return what is known about a Python file. Nothing of it is run.

    Raises:
        OSError: It cannot be read.
    """
    data = path.read_bytes()
    key = hashlib.sha256(f"{sys.version}\0".encode() + data).hexdigest()
    remembered = cache_folder() / "sources" / key
    with contextlib.suppress(OSError, ValueError, TypeError):
        imports, problem, line = json.loads(remembered.read_text(encoding="utf-8"))
        return Source(tuple(imports), problem, line)
    source = _examine(data)
    with contextlib.suppress(OSError):
        _remember(remembered, source)
    return source


def _remember(path: Path, source: Source) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    known = sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for old in known[: len(known) // 2 if len(known) >= MAX_REMEMBERED else 0]:
        old.unlink(missing_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(source), encoding="utf-8")
    fresh.replace(path)  # a reader sees all of it or nothing


def _examine(data: bytes) -> Source:
    imports: tuple[str, ...] = ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they reach the author when the bot runs
        try:
            imports = tuple(sorted(_imports(ast.walk(ast.parse(data)))))
            compile(data, "bot", "exec", dont_inherit=True)
        except SyntaxError as error:
            return Source(imports, error.msg, error.lineno or 0)
        except (ValueError, RecursionError, MemoryError) as error:
            return Source(imports, f"it does not compile: {error}")
    return Source(imports)


def _imports(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                names.add(node.module.partition(".")[0])
            elif node.level:
                names.update(alias.name for alias in node.names)
    return names


def bring_files(path: Path) -> tuple[str, ...]:
    """Return a single Python file and the modules beside it that it imports.

    They are found by reading the text, and nothing else of the folder is shown to the bot: a bot is often a
    file among other people's bots, or in somebody's home.
    """
    folder = path.parent
    found: dict[str, None] = {}
    pending = [path.name]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found[name] = None
        source = folder / name
        texts = [source] if source.is_file() else sorted(source.rglob("*.py"))
        for text in texts:
            pending.extend(beside for module in source_of(text).imports if (beside := _beside(folder, module)))
    return tuple(sorted(found))


def _beside(folder: Path, module: str) -> str:
    if (folder / module / "__init__.py").is_file():
        return module
    return f"{module}.py" if (folder / f"{module}.py").is_file() else ""


def check_python(path: Path) -> None:
    """Check that a Python file compiles, without running any of it.

    Raises:
        ArenaError: It does not; the message has file, line and reason.
    """
    source = source_of(path)
    if source.problem:
        raise ArenaError(f"{path}{f', line {source.line}' if source.line else ''}: {source.problem}")
