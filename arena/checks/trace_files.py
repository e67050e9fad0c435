"""Find trace files and read their lines. A trace is a file of JSON lines, plain or gzipped."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec

SUFFIXES = (".jsonl", ".jsonl.gz")
VERSION = 1
LONGEST_LINE = 4 * 1024 * 1024
LARGEST_TRACE = 256 * 1024 * 1024
"""The limit for the uncompressed size of a trace, in bytes. A small gzip file can expand to more than the memory."""
Line = Document


class Lines(Protocol):
    """A file of bytes, compressed or not."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes if it is longer."""


class UnusableTrace(ValueError):  # noqa: N818 - reads as what it is
    """The lines are not a trace of this game.

    Args:
        problem: The reason, without a full stop.
    """

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def find_traces(references: Sequence[str]) -> list[Path]:
    """Return the trace files that the references name, each once, in the order of the references.

    A reference is a file, a folder or a pattern.
    """
    found: dict[Path, None] = {}
    for reference in references:
        paths = list(_expand(reference))
        if not paths:
            raise ArenaError(
                f"there is no trace at {reference}",
                hint=f"Give files, folders with {' or '.join('*' + suffix for suffix in SUFFIXES)} files, or patterns.",
                exit_code=ExitCode.BAD_TRACE,
            )
        found.update(dict.fromkeys(paths))
    return list(found)


def _expand(reference: str) -> Iterator[Path]:
    path = Path(reference)
    if path.is_dir():
        yield from sorted(one for one in path.rglob("*") if one.name.endswith(SUFFIXES) and one.is_file())
    elif path.exists():
        yield path
    elif any(letter in reference for letter in "*?["):
        for match in sorted(glob.glob(reference, recursive=True)):
            yield from _expand(match) if Path(match).is_dir() else [Path(match)]


def read_lines(file: Lines) -> Iterator[bytes]:
    left = LARGEST_TRACE
    for number in count(1):
        line = file.readline(min(LONGEST_LINE, left) + 1)
        left -= len(line)
        if len(line) > LONGEST_LINE:
            raise UnusableTrace(f"the line is longer than {LONGEST_LINE // 2**20} MiB", number)
        if left < 0:
            raise UnusableTrace(f"the trace is larger than {LARGEST_TRACE // 2**20} MiB", number)
        if not line:
            return
        yield line


def parse(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Line]]:
    number = 0
    empty = True
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            cut = text[-1:] not in ("\n", b"\n")
            reason = "the line is cut off" if cut else "the line is not JSON"
            raise UnusableTrace(reason, number) from None
        if type(line) is not dict:
            raise UnusableTrace("the line is not a JSON object", number)
        empty = False
        yield number, line
    if empty:
        raise UnusableTrace("the trace is empty")


def _refuse(word: str) -> Any:
    raise ValueError(word)


def check_first(line: Line, game: GameSpec) -> None:
    if line.get("kind") != "trace":
        raise UnusableTrace("the first line is not the first line of a trace", 1)
    if line.get("game") != game.name:
        raise UnusableTrace(f"the trace is of the game {line.get('game')}, not of {game.name}", 1)
    if line.get("version") != VERSION or type(line.get("version")) is not int:
        raise UnusableTrace(f"the trace has the version {line.get('version')}; version {VERSION} can be read", 1)
    if type(line.get("options", {})) is not dict:
        raise UnusableTrace("the options are not a JSON object", 1)


def check_action(line: Line, number: int, players: int) -> None:
    if type(line.get("ok")) is not bool or "action" not in line:
        raise UnusableTrace("the line has no action with a verdict", number)
    player = line.get("player")
    if type(player) is not int or not 0 <= player < players:
        raise UnusableTrace(f"the player is {player!r}, but the game has the players 0 to {players - 1}", number)
    if line["ok"] and type(line.get("draws", [])) is not list:
        raise UnusableTrace("the draws are not a list", number)
