"""Write the files that commands make. Never overwrite the files that they read, or that people edit."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from arena.errors import ArenaError, ExitCode


def refuse_same_file(file: Path, out: Path | None) -> None:
    """Refuse an output path that leads to an input file. A command must never overwrite its input."""
    if out is not None and file.exists() and out.exists() and file.samefile(out):
        raise ArenaError(
            f"{out} is an input of this command, and cannot be its output.",
            hint="Give the output another name.",
            exit_code=ExitCode.CANNOT_WRITE,
        )


def refuse_same_outputs(*outs: Path | None) -> None:
    """Refuse output paths of which two lead to the same file, also to a file that does not exist yet."""
    for out, other in combinations([out for out in outs if out is not None], 2):
        both_exist = out.exists() and other.exists()
        if out.samefile(other) if both_exist else out.resolve() == other.resolve():
            raise ArenaError(
                f"{out} is named for two outputs of this command.",
                hint="Give each output its own name.",
                exit_code=ExitCode.CANNOT_WRITE,
            )


def refuse_existing(path: Path, option: str) -> None:
    """Refuse an output path that exists, for a file that people edit or keep."""
    if path.exists():
        raise ArenaError(
            f"{path} exists.",
            hint=f"Choose another file with {option}, or remove this one.",
            exit_code=ExitCode.CANNOT_WRITE,
        )


def write_text(path: Path, text: str) -> None:
    try:
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None
