"""Find out what makes matches slower on this machine than they need to be."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import arena_player
from arena.bots.doctor.diagnosis import Diagnosis
from arena.bots.doctor.interpreters import candidates, faster, known, measure
from arena.text.printable import command_line


def find_slow_parts() -> Iterator[Diagnosis]:
    """Yield why matches are slower than necessary, and what to do."""
    own = measure(getattr(sys, "_base_executable", sys.executable))
    others = [one for one in known(candidates(os.environ.get("PATH", ""))) if own and one.path != own.path]
    if own and (better := faster(own, others)):
        gain = own.seconds / better.seconds
        yield Diagnosis(
            f"Arena runs on {own}; {better} on this machine is {gain:.1f} times as fast",
            f"Install Arena with that Python: {command_line(better.path, '-m', 'venv', 'FOLDER')}, or `make setup`.",
        )
    folder = Path(arena_player.__file__).parent
    if not_compiled(folder):
        yield Diagnosis(
            "The kit for bots has no byte code, so that each Python bot in a sandbox compiles it again",
            command_line(sys.executable, "-m", "compileall", "-q", folder),
        )


def not_compiled(folder: Path) -> bool:
    """Return whether a module in a folder has no byte code of this interpreter, or older byte code."""
    return any(_is_stale(path) for path in folder.rglob("*.py"))


def _is_stale(source: Path) -> bool:
    code = Path(importlib.util.cache_from_source(str(source)))
    return not code.exists() or code.stat().st_mtime < source.stat().st_mtime
