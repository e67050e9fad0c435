"""Parse a bot's sources and its manifest. The results are cached by content."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.bots.folders import child
from arena.bots.folders.files import cache_folder
from arena.errors import ArenaError
from arena.text.limited import refuse_utf16, text_of
from arena_replays.files import replace_file

if TYPE_CHECKING:
    from arena.bots.folders.parser_process import LimitedProcess

LARGEST_SOURCE = 8 * 1024 * 1024
LARGEST_MANIFEST = 64 * 1024
SUM = 8
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
        trusted: Whether the files are trusted, as those of built-in bots. Arena's own process then parses them.
    """

    def __init__(self, *, trusted: bool = False) -> None:
        super().__init__()
        self._trusted = trusted
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

    def _parse(self, kind: bytes, path: Path, data: bytes) -> bytes:
        key = hashlib.sha256(child.EDITION + sys.version.encode() + kind + data).hexdigest()
        remembered = cache_folder() / "sources" / key
        with contextlib.suppress(OSError):
            answer = remembered.read_bytes()
            if answer[:SUM] == _sum(answer[SUM:]):
                return answer[SUM:]
        try:
            answer = self._ask(kind, data)
        except child.RefusedFile as error:
            raise ArenaError(f"{path}: {error}") from None
        if len(answer) <= LARGEST_REMEMBERED:
            with contextlib.suppress(OSError):
                _remember(remembered, answer)
        return answer

    def _ask(self, kind: bytes, data: bytes) -> bytes:
        if self._trusted:
            return next(child.answers(kind, data))[1]
        if self._process is None:
            from arena.bots.folders.parser_process import LimitedProcess  # not where there are no processes

            self._process = self.enter_context(LimitedProcess())
        self._process.ask(kind, data)
        return self._process.receive()[1]


def _read(path: Path, limit: int) -> bytes:
    with path.open("rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ArenaError(f"{path} is larger than {limit} bytes.")
    return data


def _sum(answer: bytes) -> bytes:
    return hashlib.sha256(answer).digest()[:SUM]


def _remember(path: Path, answer: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    known = sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for old in known[: len(known) // 2 if len(known) >= MAX_REMEMBERED else 0]:
        old.unlink(missing_ok=True)
    replace_file(path, _sum(answer) + answer, sync=False)
