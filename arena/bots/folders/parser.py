"""Parse a bot's sources and its manifest in a limited process, and remember the answers by content.

The files of a bot can crash a compiler, so `child.py` does the work in a process with limits (`child_process.py`). A
process takes 10 ms and more; the cache makes that the cost of the first load of a bot, and not of each match.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.bots.folders import child
from arena.bots.folders.files import MOST_FILES, cache_folder, file_kind
from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError
from arena.text.reading import refuse_utf16, text_of
from arena_replays.files import replace_file

if TYPE_CHECKING:
    from arena.bots.folders.child_process import LimitedProcess

LARGEST_SOURCE = 8 * 1024 * 1024
LARGEST_MANIFEST = 64 * 1024
CHECKSUM_BYTES = 8
"""An answer that a killed process or a full disk has cut off must not pass as an answer."""
MAX_REMEMBERED = 1000
LARGEST_REMEMBERED = 64 * 1024
"""Limits of the cache: its files, and the bytes of each. Beyond `MAX_REMEMBERED`, the older half is removed."""


class ParsedSource(NamedTuple):
    """The results of parsing a Python file.

    Attributes:
        line: The number of the line with the problem, as text; empty if unknown.
        problem: Why the file does not compile; empty if it does.
        imports: The top-level names of the imported modules, sorted.
    """

    line: str
    problem: str
    imports: tuple[str, ...]


class Parser(contextlib.ExitStack):
    """Parses the files of one bot without running them. Use it as a context manager.

    A file that is not in the cache is parsed in a limited process. The process is started for the first such file.

    Args:
        trusted: Whether the files are trusted, as those of built-in bots. Arena's own process then parses them, and
            where there are no limited processes: there everybody plays with their own bots only.
    """

    def __init__(self, *, trusted: bool = False) -> None:
        super().__init__()
        self._trusted = trusted or not RUNS_PROGRAMS
        self._process: LimitedProcess | None = None

    def source(self, path: Path) -> ParsedSource:
        data = _read(path, LARGEST_SOURCE)
        try:
            refuse_utf16(data)
        except ValueError as error:
            return ParsedSource("", f"It is {error}.", ())
        answer = self._parse(child.PYTHON, path, data)
        line, problem, *imports = answer.decode("utf-8", "replace").split("\0")
        return ParsedSource(line, problem, tuple(imports))

    def table(self, path: Path) -> tuple[str, dict[str, Any]]:
        try:
            text = text_of(_read(path, LARGEST_MANIFEST))
        except ValueError as error:
            raise ArenaError(f"{path} cannot be read: it is {error}.") from None
        try:
            return text, json.loads(self._parse(child.TOML, path, text.encode()))
        except RecursionError:
            raise ArenaError(f"{path} is nested too deeply.") from None

    def _parse(self, request: bytes, path: Path, data: bytes) -> bytes:
        key = hashlib.sha256(child.EDITION + sys.version.encode() + request + data).hexdigest()
        remembered = cache_folder() / "sources" / key
        with contextlib.suppress(OSError):
            content = remembered.read_bytes()
            checksum, answer = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
            if checksum == _checksum(answer):
                return answer
        try:
            answer = self._ask(request, data)
        except child.RefusedFileError as error:
            raise ArenaError(f"{path}: {error}") from None
        if len(answer) <= LARGEST_REMEMBERED:
            with contextlib.suppress(OSError):
                _remember(remembered, answer)
        return answer

    def _ask(self, request: bytes, data: bytes) -> bytes:
        if self._trusted:
            return next(child.answers(request, data))[1]
        if self._process is None:
            from arena.bots.folders.child_process import LimitedProcess  # a browser has trusted files and no processes

            self._process = self.enter_context(LimitedProcess())
        self._process.ask(request, data)
        return self._process.receive()[1]


def _read(path: Path, limit: int) -> bytes:
    with path.open("rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ArenaError(f"{path} is larger than {limit} bytes.")
    return data


def _checksum(answer: bytes) -> bytes:
    return hashlib.sha256(answer).digest()[:CHECKSUM_BYTES]


def _remember(path: Path, answer: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    by_age = sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)
    if len(by_age) >= MAX_REMEMBERED:
        for old in by_age[: len(by_age) // 2]:
            old.unlink(missing_ok=True)
    replace_file(path, _checksum(answer) + answer, sync=False)


# A bot's Python files: check that they compile, and find the modules that a single file imports.


def imported_files(path: Path, parser: Parser) -> tuple[str, ...]:
    """Return the names of a Python file and of the modules in its folder that it imports, also indirectly.

    The imports are found by parsing the text. The bot sees no other files of the folder, since they can be private or
    belong to other bots.
    """
    folder = path.parent
    names: set[str] = set()
    pending = [path.name]
    count = 0
    while pending:
        name = pending.pop()
        if name in names:
            continue
        names.add(name)
        entry = folder / name
        for source in [entry] if entry.is_file() else sorted(entry.rglob("*.py")):
            count += 1
            if count > MOST_FILES:
                raise ArenaError(f"{path} imports more than {MOST_FILES} files.")
            if file_kind(source, folder) == "file":
                pending += filter(None, (_name_beside(folder, module) for module in parser.source(source).imports))
    return tuple(sorted(names))


def _name_beside(folder: Path, module: str) -> str:
    """Return the name of a module's file or package in a folder; empty if the module is elsewhere."""
    if (folder / module / "__init__.py").is_file():
        return module
    if (folder / f"{module}.py").is_file():
        return f"{module}.py"
    return module if next((folder / module).rglob("*.py"), None) else ""  # a package without `__init__.py`


def check_python(path: Path, parser: Parser) -> None:
    source = parser.source(path)
    if source.problem:
        line = f", line {source.line}" if source.line else ""
        raise ArenaError(f"{path}{line}: {source.problem}")
