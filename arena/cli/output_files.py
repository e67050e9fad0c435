"""Write the files that commands make. Never overwrite the files that they read, or that people edit."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import ArenaError, ExitCode
from arena_replays import records

if TYPE_CHECKING:
    from arena.match.job import Job
    from arena.match.position import Position


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
    """Write a file that a command makes, and its folder if there is none.

    Raises:
        ArenaError: It cannot be written.
    """
    try:
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None


# Choose the files of the replays of `arena play`, and never overwrite the replay that a match starts from.


def with_replays(jobs: list[Job], reference: str | None) -> list[Job]:
    """Return the jobs with the paths of their replays. The file names have numbers if there are several matches.

    Args:
        wanted: The value of ``--replay``; None for a file in the folder replays/, which is created if it is missing.
    """
    if reference == "none":
        return jobs
    if reference == "":
        raise click.UsageError("--replay needs a file. --replay none writes no replay.")
    if reference is None:
        folder = Path("replays")
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ArenaError(
                f"The folder {folder} for the replay cannot be created: {error.strerror}.",
                hint="Choose another file with --replay FILE, or write no replay with --replay none.",
                exit_code=ExitCode.CANNOT_WRITE,
            ) from None
        stem = folder / "-".join([jobs[0].game, *(_short(seat.bot) for seat in jobs[0].seats), str(jobs[0].seed)])
        path = Path(f"{stem}.arena")
    else:
        path = Path(reference)
    paths = [path]
    if len(jobs) > 1:
        width = len(str(len(jobs)))
        names = (f"{path.stem}-{number:0{width}}{path.suffix or '.arena'}" for number in range(1, len(jobs) + 1))
        paths = [path.with_name(name) for name in names]
    for replay in paths:
        _refuse_overwriting(replay, jobs[0].start)
    return [replace(job, replay=str(replay)) for job, replay in zip(jobs, paths, strict=True)]


def _refuse_overwriting(path: Path, start: Position | None) -> None:
    if start is not None and start.parent is not None:
        refuse_same_file(Path(start.parent.file), path)
    try:
        with path.open("rb") as file:
            beginning = file.read(len(records.MAGIC))
    except OSError:
        return  # there is no such file; the match reports any other error
    if beginning and beginning != records.MAGIC:
        raise ArenaError(
            f"{path} exists and is not a replay.",
            hint="Choose another file with --replay.",
            exit_code=ExitCode.CANNOT_WRITE,
        )


def _short(reference: str) -> str:
    name = reference.removeprefix("builtin:").rstrip("/").rpartition("/")[2]
    if name in (".", ".."):  # a command that runs in the bot's folder
        name = Path(reference).resolve().name
    return re.sub(r"[^\w-]+", "_", name.partition(".")[0]) or "bot"
