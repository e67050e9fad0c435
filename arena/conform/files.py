"""Traces in files: plain or gzipped JSON lines, alone, in folders, or by pattern."""

from __future__ import annotations

import glob
import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.conform.replay import conform
from arena.conform.report import TraceReport
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec

SUFFIXES = (".jsonl", ".jsonl.gz")


def conform_file(game: GameSpec, path: Path) -> TraceReport:
    """Compare the trace in a file with the rules; a file that cannot be read is an unusable trace."""
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else open(path, "rb") as lines:
            return conform(game, lines, str(path))
    except OSError as error:
        bad = isinstance(error, gzip.BadGzipFile)
        told = "the file is no sound gzip file" if bad else f"the file cannot be read: {error.strerror or error}"
        return TraceReport(str(path), problem=told)
    except EOFError:
        return TraceReport(str(path), problem="the gzip file is cut off")
    except zlib.error:
        return TraceReport(str(path), problem="the gzip file is damaged")


def find_traces(references: Sequence[str]) -> list[Path]:
    """List the trace files that files, folders and patterns stand for, each once, in order.

    Raises:
        ArenaError: Nothing is there.
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
