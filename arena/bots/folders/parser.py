"""Parse a bot's sources and its manifest in a limited process, and remember the answers by content.

The files of a bot can crash a compiler, so `child.py` does the work in a process with limits (`LimitedProcess`). A
process takes 10 ms and more; the cache makes that the cost of the first load of a bot, and not of each match.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.bots.folders import child
from arena.bots.folders.files import MOST_FILES, cache_folder, file_kind
from arena.errors import ArenaError
from arena.text.reading import refuse_utf16, text_of
from arena_replays.files import replace_file

WAIT = 15.0
"""The time limit of a limited process for all its requests, in seconds since its start. It may use 5 s of processor
time (`child.SECONDS`); three times that is what the referee of a busy machine can be slower by."""
LARGEST_ANSWER = 1024 * 1024


class ChildFailedError(child.RefusedFileError):
    """The limited process failed, or refused the file. The text is the whole message."""


class LimitedProcess:
    """A process with limits on memory and time. Use it as a context manager, and for the files of one bot only."""

    def __init__(self, passed: Sequence[int] = ()) -> None:
        self._end = time.monotonic() + WAIT
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(Path(child.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            pass_fds=passed,
        )
        assert self._process.stdout
        self._answers = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)

    def ask(self, request: bytes, data: bytes) -> None:
        assert self._process.stdin
        frame = memoryview(len(data).to_bytes(4, "big") + request + data)
        try:
            while frame:
                frame = frame[self._process.stdin.write(frame) :]
        except BrokenPipeError:
            raise self._failure() from None

    def receive(self) -> tuple[bytes, bytes]:
        head = self._read(5)
        size = int.from_bytes(head[:4], "big")
        if size > LARGEST_ANSWER:
            raise ChildFailedError("It cannot be read.")
        frame_type, data = head[4:], self._read(size)
        if frame_type == child.FAILURE:
            raise ChildFailedError(data.decode("utf-8", "replace"))
        return frame_type, data

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = self._end - time.monotonic()
            if left <= 0 or not self._poll.poll(1000 * left):
                raise ChildFailedError(f"It takes more than {WAIT:g} seconds.")
            part = os.read(self._answers, size - len(data))
            if not part:
                raise self._failure()
            data += part
        return bytes(data)

    def _failure(self) -> ChildFailedError:
        code = self._process.wait()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return ChildFailedError(f"It takes more than {child.SECONDS} seconds of processor time.")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return ChildFailedError(f"Python crashes on it ({how}).")

    def __enter__(self) -> LimitedProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        with self._process:  # closes the pipes, and waits for the end of the process
            pass


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
